"""Filling ``comment_sets`` in bulk, before its stream is switched on.

A stream makes the copies of one comment at a time, which is slow and dear for a whole shop, and
some engines get slower with every record that a stream keeps. So a table is filled first, and none
of that is in the stream.

Nobody should write comments meanwhile. `comments.sets.integrity` finds and mends what was changed
all the same, and what was deleted while lists were read from the indexes.
"""

from collections.abc import Callable, Iterable, Iterator

from comments import keys
from comments.models import Comment
from comments.sets.copies import copies_of, primary_of
from comments.sets.models import TABLE
from dynamo.calls.batches import Batches, in_chunks
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.upkeep.integrity import every_item

AT_ONCE = 250
"""Comments whose items are sent together: 8,000 items."""


def fill_sets(
    comments: Iterable[Item], *, batches: Batches, advance: Callable[[int], object]
) -> int:
    """Put the primary and the copies of comments; return the number of items put.

    ``comments`` are items of the table ``comments``; those in no list are skipped. Filling again
    puts the same. ``advance`` is called with the number of comments done. Raises what
    `dynamo.calls.batches.Batches` does.
    """
    written = 0
    for some in in_chunks(comments, AT_ONCE):
        items = [item for comment in some for item in _items_of(comment)]
        batches.put(TABLE, items)
        written += len(items)
        advance(len(some))
    return written


def every_comment() -> Iterator[Item]:
    """Read all comments, tombstones included, by a Scan: see `every_item`."""
    for item in every_item(client(), Comment.Meta.table_name):
        if item["pk"] == item["sk"] and item["pk"]["S"].startswith(keys.COMMENT_PREFIX):
            yield item


def has_stream() -> bool:
    """Return whether the stream of the table is on."""
    described = client().describe_table(TableName=TABLE)["Table"]
    return bool(described.get("StreamSpecification", {}).get("StreamEnabled"))


def _items_of(comment: Item) -> list[Item]:
    primary = primary_of(comment)
    return [primary, *copies_of(primary)] if primary else []
