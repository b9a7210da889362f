"""What a visitor has just written: pages show it to its author before the indexes have it.

The session remembers their ids for a minute (`remember_written`, `recently_written`). A page reads
them from the table, strongly (`read_recent`), and shows them in its list, or without what was
deleted (`with_recent`).
"""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from comments import keys
from comments.filters import CommentFilter
from comments.keys import comment_key
from comments.lists.entries import CommentEntry, entry_of
from comments.lists.orders import CommentOrder
from comments.models import TABLE
from comments.store.states import is_listed, is_tombstone, product_id_of
from dynapages.calls import labelled_calls
from dynapages.items import Item
from dynapages.lists import Order, Page, Toward
from dynapages.process import page_batches

REMEMBERED_FOR = timedelta(minutes=1)
MOST_REMEMBERED = 5
MOST_BYTES_REMEMBERED = 700
"""What the ids may take of the session, which is a cookie."""
_SESSION_KEY = "written"

Recent = Mapping[str, Item | None]
"""Comments just written by their ids, None for those that are deleted."""


def remember_written(session: MutableMapping[str, Any], comment_id: str, *, now: datetime) -> None:
    """Remember in a session that its visitor writes a comment now."""
    remembered: list[list[Any]] = [[comment_id, int(now.timestamp())]]
    for other_id, written_at in _remembered(session, now=now):
        if other_id != comment_id:
            remembered.append([other_id, written_at])
    remembered = remembered[:MOST_REMEMBERED]
    # Ids of other systems may be long: what is in a cookie goes with every request.
    while len(str(remembered).encode()) > MOST_BYTES_REMEMBERED and len(remembered) > 1:
        remembered.pop()
    session[_SESSION_KEY] = remembered


def recently_written(session: MutableMapping[str, Any], *, now: datetime) -> list[str]:
    """Return the ids of the comments this visitor has just written, changed or deleted."""
    return [comment_id for comment_id, _time in _remembered(session, now=now)]


def _remembered(session: MutableMapping[str, Any], *, now: datetime) -> list[list[Any]]:
    """Return pairs of a comment's id and the time it was written, newest first."""
    oldest = (now - REMEMBERED_FOR).timestamp()
    return [entry for entry in session.get(_SESSION_KEY, []) if entry[1] >= oldest]


def read_recent(comment_ids: Sequence[str]) -> Recent:
    """Read comments just written, strongly."""
    with labelled_calls("just written"):
        items = page_batches().get(TABLE, map(comment_key, comment_ids))
    by_partition: dict[str, Item] = {}
    for item in items:
        if not is_tombstone(item):
            by_partition[item["pk"]["S"]] = item
    # What was deleted is named as well: an index may still have it.
    return {comment_id: by_partition.get(keys.comment(comment_id)) for comment_id in comment_ids}


# Their places in a list.


def with_recent(
    entries: Sequence[CommentEntry],
    recent: Recent,
    *,
    page: Page,
    belongs: Callable[[Item], bool],
    order: CommentOrder = CommentOrder.NEWEST,
    sections: Mapping[str, str] | None = None,
) -> tuple[CommentEntry, ...]:
    """Return the entries of a page with the ``recent`` ones as in the table.

    ``belongs`` returns whether an item of the table is in this list, ``sections`` are those of a
    `CommentPage`.
    """
    if not recent:
        return tuple(entries)
    descends = order.direction is Order.NEWEST_FIRST

    def sort_key(entry: CommentEntry) -> str:
        section = ""
        if sections:
            section = sections.get(entry.language, "")
        return section + order.place(
            entry.created, entry.id, rating=entry.rating, votes=entry.helpful_votes
        )

    # What an index still has of a comment that was changed or deleted is taken out first.
    shown = [entry for entry in entries if entry.id not in recent]
    for item in recent.values():
        if item is None or not belongs(item):
            continue
        entry = entry_of(item)
        if _covers(page, sort_key(entry), descends=descends):
            shown.append(entry)
    return tuple(sorted(shown, key=sort_key, reverse=descends))


def in_list(
    product_id: str, chosen: CommentFilter, *, with_hidden: bool = False
) -> Callable[[Item], bool]:
    """Return a predicate for items of the table that are in a list of a product's comments.

    Or would be, but that they are hidden, in a list ``with_hidden`` ones.
    """

    def belongs(item: Item) -> bool:
        if product_id_of(item) != product_id:
            return False
        if not with_hidden and not is_listed(item):
            return False
        entry = entry_of(item)
        if chosen.languages and entry.language not in chosen.languages:
            return False
        return not chosen.ratings or entry.rating in chosen.ratings

    return belongs


def _covers(page: Page, sort_key: str, *, descends: bool) -> bool:
    """Return whether a page reaches over a sort key: from where it begins to its neighbour."""
    is_onward = page.toward is Toward.NEXT
    end = page.previous_position
    if is_onward:
        end = page.next_position
    # A page towards the previous one is read against the order of its list.
    ascending = descends is not is_onward
    if page.start and not page.start.is_before(sort_key, ascending=ascending):
        return False
    return not (end and end.is_before(sort_key, ascending=ascending))
