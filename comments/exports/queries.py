"""Walks through the comments of one product, or of all, for exports.

Hidden comments are in no list, and in no export.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from comments import keys
from comments.exports.rows import row_of
from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.lists.queries import CommentEntry, entry_of
from comments.models import TABLE, Comment, CommentBody
from comments.replies.queries import reply_in
from comments.store.comments import is_tombstone
from comments.store.table import comment_key
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.files.exports import Batch, Walk
from dynamo.items import Item
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from dynamo.lists.site_reader import read

AT_A_TIME = 200
"""Comments of a product that are read, and then written, together."""
SCANNED_AT_A_TIME = 2_000
"""Items of the table, of any kind."""
_TEXT = CommentBody.text.attr_name


def walk_through(product_id: str | None) -> Walk:
    """Return the walk through a product's comments, newest first, or through those of all products.

    One product is read by its list, a page of 200 comments for about a capacity unit for each
    8 KB; all of them by a Scan of the table, in no order that means anything.
    """
    return _scan if product_id is None else partial(_list, product_id)


def _list(product_id: str, position: Sequence[str] | None) -> Iterator[Batch]:
    runs = plan(product_id, CommentFilter()).runs
    request = PageRequest(AT_A_TIME, Position(position[0], position[1]) if position else None)
    while True:
        page = read(runs, request)
        items = [dict(entry.item) for entry in page.entries]
        last = page.entries[-1].position if page.has_next else None
        yield Batch(_rows(items), [last.place, last.rest] if last else None)
        if last is None:
            return
        request = PageRequest(AT_A_TIME, last)


def _scan(position: dict[str, Any] | None) -> Iterator[Batch]:
    start: dict[str, Any] = {"ExclusiveStartKey": position} if position else {}
    while True:
        answer = client().scan(TableName=TABLE, Limit=SCANNED_AT_A_TIME, **start)
        last = answer.get("LastEvaluatedKey")
        yield Batch(_rows([item for item in answer["Items"] if _is_listed(item)]), last)
        if last is None:
            return
        start = {"ExclusiveStartKey": last}


def _is_listed(item: Item) -> bool:
    is_comment = item["pk"]["S"].startswith(keys.comment("")) and item["pk"] == item["sk"]
    return is_comment and not is_tombstone(item) and Comment.product_partition.attr_name in item


def _rows(items: Sequence[Item]) -> list[dict[str, object]]:
    """Build the rows of comments, whose long texts and replies are read together."""
    entries = [entry_of(item) for item in items]
    wanted = [comment_key(entry.id, part) for entry in entries for part in _parts(entry)]
    found = Batches(client(), pool()).get(TABLE, wanted, consistent=False) if wanted else []
    beside = {(item["pk"]["S"], item["sk"]["S"]): item for item in found}
    return [_row(entry, beside) for entry in entries]


def _parts(entry: CommentEntry) -> Iterator[str]:
    if entry.is_long:
        yield keys.BODY
    if entry.reply is not None and entry.reply.is_long:
        yield keys.REPLY


def _row(entry: CommentEntry, beside: dict[tuple[str, str], Item]) -> dict[str, object]:
    key = keys.comment(entry.id)
    body, reply = beside.get((key, keys.BODY)), beside.get((key, keys.REPLY))
    return row_of(
        entry,
        body=body[_TEXT]["S"] if body else entry.text,
        reply=reply_in(reply) if reply else entry.reply,
    )
