"""Where staff picks are read from: the sparse index ``featured``, newest comment first."""

from comments import keys
from comments.models import Featured
from comments.store.table import index_of
from dynamo.lists.runs import Run

SHOWN_PICKS = 3
"""Picks that a product's page shows."""

_INDEX = index_of(Featured)


def picks_of(product_id: str) -> Run:
    """Return the run of a product's picked comments."""
    return Run(index=_INDEX, partition=keys.featured(product_id))
