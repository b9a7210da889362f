"""Walks through the comments of one product, or of all, for exports; hidden ones are in none."""

from collections.abc import Iterator, Sequence
from functools import partial

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.lists.queries import CommentEntry, entry_of
from comments.models import TABLE, Comment, CommentBody
from comments.replies.queries import reply_in
from comments.store.comments import is_tombstone
from comments.store.table import comment_key
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.files.exports import Walk
from dynamo.items import Item
from dynamo.lists.reader import read
from dynamo.management.files import list_walk, table_walk

AT_A_TIME = 200
"""Comments of a product that are read, and then written, together."""
_TEXT = CommentBody.text.attr_name


def walk_through(product_id: str | None) -> Walk:
    """Return the walk through a product's comments, newest first, or (None) all, by a Scan."""
    if product_id is None:
        return table_walk(TABLE, lambda items: _rows([i for i in items if _is_listed(i)]))
    runs = plan(product_id, CommentFilter()).runs
    return list_walk(partial(read, runs), _rows, at_a_time=AT_A_TIME)


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
    """Build the row of a comment with its whole text and reply; what it lacks is left out."""
    key = keys.comment(entry.id)
    body, whole = beside.get((key, keys.BODY)), beside.get((key, keys.REPLY))
    reply = reply_in(whole) if whole else entry.reply
    row: dict[str, object] = {
        "id": entry.id,
        "product_id": entry.product_id,
        "language": entry.language,
        "rating": entry.rating,
        "created_at": entry.created.isoformat(),
        "author": entry.author,
        "title": entry.title,
        "body": body[_TEXT]["S"] if body else entry.text,
        "username": entry.username,
        "verified": "true" if entry.is_verified else "",
    }
    if reply is not None:
        replied_at = reply.replied.isoformat() if reply.replied else ""
        row |= {"reply": reply.text, "replied_at": replied_at}
    return {name: value for name, value in row.items() if value != ""}
