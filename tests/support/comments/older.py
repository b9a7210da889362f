"""The tables of comments as version 0.1.0 made them, on an engine of a test's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from comments.models import Comment
from comments.sets.models import CommentSetItem
from dynapages.process import client
from dynapages.tables import TableSchema, create_missing
from shop.models import ShopItem
from tests.support.comments.outage import own_engine

_SHOWN = ("u", "t", "x", "m", "e", "v", "y")
_COMMENT_INDEXES = {
    "all": ("a", "o", "g", "s"),
    "by_language": ("l", "o", "s"),
    "by_rating": ("r", "o", "g"),
    "by_language_and_rating": ("b", "o"),
    "ranked": ("k", "p", "o", "g", "s"),
    "by_author": ("c", "o", "g", "s", "a", "h"),
    "moderation": ("q", "j", "o", "g", "s", "a", "h", "n", "nr"),
    "featured": ("f", "o", "g", "s"),
}
"""The keys of each index, and what it projects besides what lists show."""
_SET_INDEXES = {"by_set": ("sk", "o", "g", "s")}
OLDER_COMMENT = {
    "pk": {"S": "COMMENT#old"},
    "sk": {"S": "COMMENT#old"},
    "o": {"S": "2024-06-14T15:30:53.641539Z#old"},
    "a": {"S": "PRODUCT#scarf"},
    "l": {"S": "PRODUCT#scarf/en"},
    "r": {"S": "PRODUCT#scarf/5"},
    "b": {"S": "PRODUCT#scarf/en/5"},
    "g": {"S": "en"},
    "s": {"N": "5"},
    "n": {"N": "1"},
    "x": {"S": "Warm."},
}
"""A comment as version 0.1.0 stored it."""


def older_shop() -> TableSchema:
    """The table of the shop, whose index of products had no ratings."""
    schema = TableSchema.of(ShopItem)
    indexes = []
    for index in schema.global_indexes:
        if index["IndexName"] == ShopItem.by_data.Meta.index_name:
            names = index["Projection"]["NonKeyAttributes"]
            shown = [name for name in names if name not in {"rated", "stars"}]
            indexes.append(
                {**index, "Projection": {**index["Projection"], "NonKeyAttributes": shown}}
            )
        else:
            indexes.append(index)
    return replace(schema, global_indexes=indexes)


def older_schemas() -> list[TableSchema]:
    """The tables of comments, and of their copies."""
    return [
        _with_indexes(TableSchema.of(Comment), _COMMENT_INDEXES),
        _with_indexes(TableSchema.of(CommentSetItem), _SET_INDEXES),
    ]


def _with_indexes(schema: TableSchema, indexes: dict[str, tuple[str, ...]]) -> TableSchema:
    made = [_index(name, *attributes) for name, attributes in indexes.items()]
    keys = {part["AttributeName"] for index in made for part in index["KeySchema"]}
    names = sorted(keys | {part["AttributeName"] for part in schema.key})
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in names]
    return replace(schema, attributes=attributes, global_indexes=made)


def _index(name: str, partition: str, place: str, *projected: str) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": [
            {"AttributeName": partition, "KeyType": "HASH"},
            {"AttributeName": place, "KeyType": "RANGE"},
        ],
        "Projection": {
            "ProjectionType": "INCLUDE",
            "NonKeyAttributes": [*projected, *_SHOWN],
        },
    }


@contextmanager
def on_older_tables() -> Iterator[None]:
    """Put the site on an engine with tables of version 0.1.0, for the length of the block."""
    with own_engine(with_tables=False):
        create_missing([ShopItem, *older_schemas()], client=client())
        client().put_item(TableName=Comment.Meta.table_name, Item=OLDER_COMMENT)
        yield
