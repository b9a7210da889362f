"""Where staff picks are read from: the sparse index ``featured``, newest comment first."""

from comments import keys
from comments.models import Comment
from dynamo.lists.places import id_at
from dynamo.lists.runs import Index, Position, Run

SHOWN_PICKS = 3
"""Picks that a product's page shows."""


def _table_key(position: Position) -> dict[str, str]:
    return dict.fromkeys(("pk", "sk"), keys.comment(id_at(position.place)))


_INDEX = Index(
    table=Comment.Meta.table_name,
    name=Comment.featured.Meta.index_name,
    partition_key=Comment.featured_partition.attr_name,
    sort_key=Comment.place.attr_name,
    table_key=_table_key,
)


def picks_of(product_id: str) -> Run:
    """Give the run of a product's picked comments."""
    return Run(index=_INDEX, partition=keys.featured(product_id))
