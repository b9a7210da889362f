"""Reads of the comments of a user."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from comments import keys
from comments.host import Product, find_products
from comments.lists.entries import CommentEntry, comment_at, entry_of
from comments.lists.recent import Recent, read_recent
from comments.models import ByAuthor
from comments.store.states import product_id_of
from comments.store.table import index_of
from dynapages.calls import labelled_calls
from dynapages.django.access import Visitor
from dynapages.items import Item
from dynapages.lists import Page, PageRequest, PageResult, Run, every_entry, id_at, moment_at
from dynapages.process import pool, read

PLAN = ByAuthor.Meta.index_name
"""The name of the plan: there is one way to read a user's comments."""
IDS_AT_ONCE = 100
"""Comments that are read by one call where all of a user's are wanted."""
LOOKED_THROUGH = 40
"""A user's comments among which one on a product is looked for, since no key names both."""
_BY_AUTHOR = index_of(ByAuthor)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Profile:
    """A page of a user's comments, and ``recent`` ones that the visitor has just written."""

    comments: PageResult[CommentEntry]
    recent: Recent


def list_written_by(user_id: str, request: PageRequest) -> PageResult[CommentEntry]:
    """Read a page of a user's comments, newest first, hidden ones included."""
    page = read([_run(user_id)], request)
    comments = [comment_at(entry) for entry in page.entries]
    return PageResult(tuple(comments), page)


def read_profile(
    user_id: str, request: PageRequest, *, visitor: Visitor, recent: Sequence[str]
) -> Profile:
    """Read a page of a user's comments, and what the visitor has just written."""
    with pool().together() as together:
        is_user = together.start(visitor.is_confirmed)
        recent_read = None
        if recent:
            recent_read = together.start(read_recent, recent)
        comments = list_written_by(user_id, request)
        # Nobody needs what it returns, but the page may not be shown before it is known.
        is_user.result()
        recent_comments: Recent = {}
        if recent_read is not None:
            recent_comments = recent_read.result()
        return Profile(comments, recent_comments)


def find_written_about(
    product_id: str, read_along: Callable[[], Result], *, user_id: str, recent: Sequence[str]
) -> tuple[Result, CommentEntry | None]:
    """Return what ``read_along`` does, and a user's newest comment on a product, None without one.

    It may be hidden. It is looked for in the same round, as `latest_by_product` does.
    """
    with pool().together() as together:
        by_product = together.start(latest_by_product, user_id, recent)
        result = read_along()
        return result, by_product.result().get(product_id)


def latest_by_product(user_id: str, recent: Sequence[str]) -> dict[str, CommentEntry]:
    """Return a user's newest comment on each product, by the product's id; hidden ones included.

    They are looked for, in one round, among the ``recent`` ones and the newest `LOOKED_THROUGH`,
    for half a unit for each 4 KB of these, 5 units at most.
    """
    with pool().together() as together:
        recent_read = None
        if recent:
            recent_read = together.start(read_recent, recent)
        items: dict[str, Item | None] = {}
        for entry in latest_written_by(user_id).entries:
            items[id_at(entry.position.place)] = entry.item
        # What the visitor has just written is as in the table, deleted ones included.
        if recent_read is not None:
            items.update(recent_read.result())
    newest: dict[str, CommentEntry] = {}
    for item in items.values():
        if item is None or not is_written_by(user_id, item):
            continue
        comment = entry_of(item)
        product_id = product_id_of(item)
        if product_id not in newest or newest[product_id].created < comment.created:
            newest[product_id] = comment
    return newest


def latest_written_by(user_id: str) -> Page:
    """Read a user's newest `LOOKED_THROUGH` comments, hidden ones included, by one call."""
    with labelled_calls("comments before"):
        return read([_run(user_id)], PageRequest(LOOKED_THROUGH), look_ahead=False)


def products_written_about(user_id: str, *, since: datetime) -> set[str]:
    """Return the ids of the products that a user has written about since a moment.

    Hidden and held comments count. It is one call for each `LOOKED_THROUGH` comments.
    """

    def read_page(request: PageRequest) -> Page:
        with labelled_calls("comments before"):
            return read([_run(user_id)], request)

    product_ids: set[str] = set()
    for entry in every_entry(read_page, at_once=LOOKED_THROUGH):
        if moment_at(entry.position.place) < since:
            break
        product_ids.add(product_id_of(entry.item))
    return product_ids


def with_products(comments: Iterable[CommentEntry]) -> list[tuple[CommentEntry, Product]]:
    """Return comments with the products they are about, whose names are read."""
    shown = list(comments)
    products = find_products(comment.product_id for comment in shown)
    return [(comment, products[comment.product_id]) for comment in shown]


def ids_written_by(user_id: str) -> Iterator[str]:
    """Yield the ids of all of a user's comments, newest first, from the index."""

    def read_page(request: PageRequest) -> Page:
        return read([_run(user_id)], request)

    for entry in every_entry(read_page, at_once=IDS_AT_ONCE):
        yield id_at(entry.position.place)


def is_written_by(user_id: str, item: Item) -> bool:
    """Return whether an item of the table is one of a user's comments."""
    partition: str = item.get(ByAuthor.partition.attr_name, {"S": ""})["S"]
    return partition == keys.author(user_id)


def _run(user_id: str) -> Run:
    return Run(index=_BY_AUTHOR, partition=keys.author(user_id))
