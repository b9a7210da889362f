"""Comments a visitor has just written, shown at once although the indexes lag.

The session remembers their ids for a minute. Those comments are read strongly from the table, and
replace the list entries with these ids.
"""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from comments import keys
from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from comments.lists.queries import CommentEntry, entry_of
from comments.models import TABLE, Comment
from comments.store.comments import is_tombstone
from comments.store.table import comment_key
from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.lists.reader import Order, Page, PageRequest, Toward, page_batches

REMEMBERED_FOR = timedelta(minutes=1)
MOST = 5
MOST_BYTES = 700
"""What the ids may take of the session, which is a cookie."""

_SESSION_KEY = "written"

Recent = Mapping[str, Item | None]
"""Comments just written by their ids, None for those that are deleted."""


def remember_written(session: MutableMapping[str, Any], comment_id: str, *, now: datetime) -> None:
    """Remember that this visitor writes a comment now."""
    others = [each for each in _remembered(session, now=now) if each[0] != comment_id]
    kept: list[list[Any]] = [[comment_id, int(now.timestamp())], *others][:MOST]
    while len(str(kept).encode()) > MOST_BYTES and len(kept) > 1:
        kept.pop()
    session[_SESSION_KEY] = kept


def recently_written(session: MutableMapping[str, Any], *, now: datetime) -> list[str]:
    """Return the ids of the comments this visitor has just written, changed or deleted."""
    return [comment_id for comment_id, _ in _remembered(session, now=now)]


def read_recent(comment_ids: Sequence[str]) -> Recent:
    """Read comments just written, strongly."""
    with labelled_calls("just written"):
        found = page_batches().get(TABLE, map(comment_key, comment_ids))
    items = {keys.comment_id_in(item["pk"]["S"]): item for item in found if not is_tombstone(item)}
    return {comment_id: items.get(comment_id) for comment_id in comment_ids}


def with_recent(
    entries: Sequence[CommentEntry],
    recent: Recent,
    *,
    page: Page,
    request: PageRequest,
    belongs: Callable[[Item], bool],
    order: CommentOrder = CommentOrder.NEWEST,
) -> tuple[CommentEntry, ...]:
    """Return the entries of a page with the ``recent`` ones as in the table.

    ``belongs`` returns whether an item of the table is in this list.
    """
    if not recent:
        return tuple(entries)
    found = [entry_of(item) for item in recent.values() if item and belongs(item)]
    falls = order.direction is Order.NEWEST_FIRST

    def place(entry: CommentEntry) -> str:
        return order.place(entry.created, entry.id, rating=entry.rating)

    here = [entry for entry in found if _covers(page, request, place(entry), falls=falls)]
    others = [entry for entry in entries if entry.id not in recent]
    return tuple(sorted([*others, *here], key=place, reverse=falls))


def in_list(product_id: str, chosen: CommentFilter) -> Callable[[Item], bool]:
    """Return a predicate for items of the table that are in a list of a product's comments."""
    partition = keys.product_partition(product_id)

    def belongs(item: Item) -> bool:
        if item.get(Comment.product_partition.attr_name, {"S": ""})["S"] != partition:
            return False
        entry = entry_of(item)
        right_language = not chosen.languages or entry.language in chosen.languages
        return right_language and (not chosen.ratings or entry.rating in chosen.ratings)

    return belongs


def _covers(page: Page, request: PageRequest, place: str, *, falls: bool) -> bool:
    is_onward = request.toward is Toward.NEXT
    start, end = request.position, page.next_position if is_onward else page.previous_position
    if falls is is_onward:  # places fall from the start of the reading to its end
        return not (start and place >= start.place) and not (end and place < end.place)
    return not (start and place <= start.place) and not (end and place > end.place)


def _remembered(session: MutableMapping[str, Any], *, now: datetime) -> list[list[Any]]:
    oldest = (now - REMEMBERED_FOR).timestamp()
    return [each for each in session.get(_SESSION_KEY, []) if each[1] >= oldest]
