"""What belonged to a comment that is deleted: its body, votes, reports, reply and tally.

A comment is deleted together with its counts, in one transaction; whatever else belongs to it may
be too much for that, and goes right after. Where that is cut off, doing the same again, or
`check_integrity`, does the rest.
"""

from collections.abc import Iterator, Sequence

from comments import keys
from comments.models import TABLE
from comments.store.comments import is_tombstone
from comments.store.transactions import NEW_OR_DELETED, check, delete
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.writes.shards import shards_in
from dynamo.writes.transactions import MOST_ACTIONS, ConditionFailed, write_together


def sweep(comment_id: str) -> int:
    """Delete what belonged to a comment; return how many items that were.

    A comment that is there keeps all that is its own: also one that is put back meanwhile.
    Raises Contended and botocore's errors; what was deleted until then stays deleted.
    """
    key = {"S": keys.comment(comment_id)}
    comment = {"pk": key, "sk": key}
    belongings: list[Item] = []
    for item in _partition(keys.comment(comment_id)):
        if item["sk"] != key:
            belongings.append({"pk": item["pk"], "sk": item["sk"]})
        elif not is_tombstone(item):
            return 0
    belongings += _tally(comment_id)
    swept = 0
    for some in _portions(belongings):
        actions = [check(comment, NEW_OR_DELETED), *map(delete, some)]
        try:
            write_together(client(), actions)
        except ConditionFailed:
            return swept
        swept += len(some)
    return swept


def _partition(key: str) -> Iterator[Item]:
    """Read all that shares a comment's partition key, strongly."""
    pages = (
        client()
        .get_paginator("query")
        .paginate(
            TableName=TABLE,
            KeyConditionExpression="#pk = :p",
            ExpressionAttributeNames={"#pk": "pk"},
            ExpressionAttributeValues={":p": {"S": key}},
            ConsistentRead=True,
        )
    )
    for page in pages:
        yield from page["Items"]


def _tally(comment_id: str) -> list[Item]:
    """Give the keys of a comment's tally; that of share 0, which knows of the others, last."""
    first = {name: {"S": value} for name, value in keys.tally(comment_id, 0).items()}
    item = client().get_item(TableName=TABLE, Key=first, ConsistentRead=True).get("Item")
    if item is None:
        return []
    return [
        {name: {"S": value} for name, value in keys.tally(comment_id, shard).items()}
        for shard in reversed(range(shards_in(item)))
    ]


def _portions(belongings: Sequence[Item]) -> Iterator[Sequence[Item]]:
    most = MOST_ACTIONS - 1
    for start in range(0, len(belongings), most):
        yield belongings[start : start + most]
