"""Reads of the comments of a user."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from comments import keys
from comments.host import Product, find_products
from comments.lists.entries import CommentEntry, entry_of
from comments.lists.recent import Recent, read_recent
from comments.models import ByAuthor
from comments.store.states import product_id_of
from comments.store.table import index_of
from dynapages.calls import labelled_calls
from dynapages.django.access import Visitor
from dynapages.items import Item
from dynapages.lists import Page, PageRequest, PageResult, Run, every_entry, id_at
from dynapages.process import pool, read

T = TypeVar("T")
PLAN = ByAuthor.Meta.index_name
ALL_AT_ONCE = 100
LOOKED_THROUGH = 40
"""A user's comments among which one on a product is looked for, since no key names both."""
_BY_AUTHOR = index_of(ByAuthor)


def list_written_by(user_id: str, request: PageRequest) -> PageResult[CommentEntry]:
    """Read a page of a user's comments, newest first, hidden ones included."""
    page = read([_run(user_id)], request)
    return PageResult(tuple(entry_of(entry.item) for entry in page.entries), page)


def read_profile(
    user_id: str, request: PageRequest, *, visitor: Visitor, recent: Sequence[str]
) -> tuple[PageResult[CommentEntry], Recent]:
    """Read a page of a user's comments, and what the visitor has just written."""
    with pool().together() as together:
        is_user = together.start(visitor.is_confirmed)
        written = together.start(partial(read_recent, recent)) if recent else None
        found = list_written_by(user_id, request)
        is_user.result()
        return found, written.result() if written else {}


def find_written_about(
    product_id: str, find: Callable[[], T], *, user_id: str, recent: Sequence[str]
) -> tuple[T, CommentEntry | None]:
    """Return what ``find`` does, and a user's newest comment on a product, None without one.

    It may be hidden. It is looked for, in the round of ``find``, among the ``recent`` ones and the
    newest `LOOKED_THROUGH` of the user, for half a unit for each 4 KB of them, 5 units at most.
    """
    with pool().together() as together:
        latest = together.start(partial(read_recent, recent)) if recent else None
        written = together.start(partial(latest_written_by, user_id))
        found = find()
        listed = {id_at(entry.position.place): entry.item for entry in written.result().entries}
        items = {**listed, **(latest.result() if latest else {})}
    mine = [item for item in items.values() if item and is_written_by(user_id, item)]
    about = [entry_of(item) for item in mine if product_id_of(item) == product_id]
    return found, max(about, key=lambda entry: entry.created, default=None)


def latest_written_by(user_id: str) -> Page:
    """Read a user's newest `LOOKED_THROUGH` comments, hidden ones included, by one call."""
    with labelled_calls("comments before"):
        return read([_run(user_id)], PageRequest(LOOKED_THROUGH), look_ahead=False)


def with_products(comments: Iterable[CommentEntry]) -> list[tuple[CommentEntry, Product]]:
    """Return comments with the products they are about, whose names are read."""
    found = list(comments)
    products = find_products(comment.product_id for comment in found)
    return [(each, products[each.product_id]) for each in found]


def ids_written_by(user_id: str) -> Iterator[str]:
    """Yield the ids of all of a user's comments, newest first, from the index."""
    for entry in every_entry(partial(read, [_run(user_id)]), at_once=ALL_AT_ONCE):
        yield id_at(entry.position.place)


def is_written_by(user_id: str, item: Item) -> bool:
    """Return whether an item of the table is one of a user's comments."""
    partition: str = item.get(ByAuthor.partition.attr_name, {"S": ""})["S"]
    return partition == keys.author(user_id)


def _run(user_id: str) -> Run:
    return Run(index=_BY_AUTHOR, partition=keys.author(user_id))
