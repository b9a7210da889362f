"""The table ``comments``: keys and ids of its items, reads of it, and conditional writes to it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from pynamodb.expressions.condition import Condition

from comments import keys
from comments.models import TABLE, Comment, CommentItem, ListIndex
from dynapages.errors import gettext_noop
from dynapages.items import Item, Value
from dynapages.lists import Index, Position, id_at
from dynapages.process import client
from dynapages.pynamodb import set_or_remove, update
from dynapages.writes import Action, ConditionFailed, Contended, Limiter, write_item

ATTEMPTS = 5
Changes = Mapping[str, Value | None]
"""Attributes of a comment's item by their names in it; None for one to remove."""
BEING_CHANGED = gettext_noop("This comment is being changed by others at the moment.")

LIST_KEYS = {
    name: getattr(Comment, name).attr_name
    for name in (
        "product_partition",
        "language_partition",
        "rating_partition",
        "language_rating_partition",
    )
}
"""The partition keys that only a listed comment has, with their names in its item."""
_PLACE = Comment.place.attr_name
_ATTRIBUTES = {attribute.attr_name: attribute for attribute in Comment.get_attributes().values()}
T = TypeVar("T")


def is_comment(item: Item) -> bool:
    """Return whether an item of the table is that of a comment, or its tombstone."""
    return bool(item["sk"]["S"] == keys.COMMENT)


def id_of(comment: Item) -> str:
    """Return the id of a comment by its item, whose place is read where the key has a digest.

    It is the digest, where the place is missing or has the id of another comment.
    """
    in_key = keys.comment_id_in(comment["pk"]["S"])
    if not isinstance(in_key, keys.IdDigest) or _PLACE not in comment:
        return in_key
    in_place = id_at(comment[_PLACE]["S"])
    if keys.id_in_keys(in_place) != in_key:
        return in_key
    return in_place


def whole_id(comment_id: str) -> str:
    """Return the id of a comment for a report: that of a digest is read, where it can be."""
    if not isinstance(comment_id, keys.IdDigest):
        return comment_id
    comment = read_item(keys.comment_key(comment_id))
    return id_of(comment) if comment else comment_id


def read_item(key: Item) -> Item:
    """Read an item strongly; an empty one where there is none."""
    item: Item = client().get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item", {})
    return item


def limiter() -> Limiter:
    """Return the rate limits of projects that have none of their own, stored in this table."""
    return Limiter(client(), TABLE, keys.limit, CommentItem.expires_at.attr_name)


def query_pages(
    condition: Condition,
    *,
    table: str = TABLE,
    **parameters: Any,  # noqa: ANN401 - botocore's
) -> Iterator[Mapping[str, Any]]:
    """Yield the pages of a Query for a key condition; each is read when it is reached.

    For parameters of DynamoDB's that PynamoDB has none for; none may bring placeholders along.
    """
    placeholders: dict[str, str] = {}
    values: dict[str, Any] = {}
    expression = condition.serialize(placeholders, values)
    # PynamoDB maps attributes to their placeholders; a call maps placeholders to attributes.
    names = {placeholder: attribute for attribute, placeholder in placeholders.items()}
    yield from (
        client()
        .get_paginator("query")
        .paginate(
            TableName=table,
            KeyConditionExpression=expression,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            **parameters,
        )
    )


def index_of(
    index: type[ListIndex],
    key_of: Callable[[str], Mapping[str, str]] = keys.comment_item,
) -> Index:
    """Describe an index to the reader of lists.

    ``key_of`` returns the table key of what is listed, by the id at the end of its place.
    """

    def table_keys(position: Position) -> Mapping[str, str]:
        return key_of(id_at(position.place))

    return Index(
        table=TABLE,
        name=index.Meta.index_name,
        partition=index.partition.attr_name,
        sort=index.place.attr_name,
        table_key=table_keys,
    )


def changed(item: Item, changes: Changes) -> Item:
    """Return an item with changes made to it."""
    after = {**item, **changes}
    return {name: value for name, value in after.items() if value is not None}


def change(key: Item, changes: Changes, condition: Condition) -> Action:
    """Build the update that makes changes to a comment's item."""
    updates = [set_or_remove(_ATTRIBUTES[name], value) for name, value in changes.items()]
    return update(Comment, key, updates, condition)


def retry(attempt: Callable[[], T], *, otherwise: str = BEING_CHANGED) -> T:
    """Return what ``attempt`` returns, which is called again after ConditionFailed.

    Raises Contended after `ATTEMPTS`, with a sentence that says what others keep changing.
    """
    for _ in range(ATTEMPTS):
        try:
            return attempt()
        except ConditionFailed:
            continue
    raise Contended(otherwise)


def write_if_condition_holds(action: Action) -> bool:
    """Write an action by itself; return whether its condition held, else nothing is written."""
    try:
        write_item(client(), action)
    except ConditionFailed:
        return False
    return True
