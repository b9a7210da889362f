"""The orders before and after one, in the list that a visitor came from.

A link in a list names the list, by its URL, and the order's position in it, by a token as those of
pages. So the orders around it are read while it is read itself: by two pages of one order, which
are a query for each run of the list and direction. They are those around the position even after
the order has left the list.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _

from dynapages.calls import labelled_calls
from dynapages.django.paging import Pager, tokens
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest, Position
from dynapages.process import pool
from shop.order_status import OPEN
from shop.orders.entries import OrderEntry
from shop.orders.listing import OrderList, filter_of, queue_pager
from shop.orders.queries import OrdersResult, list_open_orders, list_orders

LIST, AT = "list", "at"
"""The parameters of an order's URL."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The URLs of the orders around one in a list, and of the list; empty at its ends.

    ``is_own`` says that the list is the visitor's own; others are for staff.
    """

    previous_url: str
    next_url: str
    list_url: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class PlaceInList:
    """An order's position in a list, as the requests for one order before it and one after it."""

    pager: Pager
    read: Callable[[PageRequest], OrdersResult]
    before: PageRequest
    after: PageRequest
    is_own: bool


def in_list(found: OrdersResult, pager: Pager) -> list[tuple[OrderEntry, str]]:
    """Return the orders of a page of a list, each with the URL that leads to it there."""
    entries = zip(found.items, found.page.entries, strict=True)
    return [(order, _url(order, entry.position, pager)) for order, entry in entries]


def _url(order: OrderEntry, position: Position, pager: Pager) -> str:
    token = tokens().write(position, list_name=pager.list_name)
    return f"{order.url}?{urlencode({LIST: pager.first_url, AT: token})}"


def place_in_list(query: QueryDict, *, username: str) -> PlaceInList | None:
    """Return the place in a list that the URL of an order names, None for no list.

    ``username`` is the visitor, whose list of orders has no name in its address. Raises Refusal.
    """
    if LIST not in query:
        return None
    path, _mark, filtered = query.get(LIST, "").partition("?")
    try:
        match = resolve(path)
    except Resolver404:
        match = None
    name = match.url_name if match else ""
    read: Callable[[PageRequest], OrdersResult]
    if match and name == "staff_orders":
        chosen = filter_of(QueryDict(filtered), path, among=OPEN)
        pager, read = queue_pager(chosen), partial(list_open_orders, chosen)
    elif match and name in {"orders", "staff_customer_orders"}:
        owner, values = match.kwargs.get("username", username), QueryDict(filtered)
        chosen = filter_of(values, path, is_open=values.get("open", ""))
        pager, read = OrderList(owner, path).pager(chosen), partial(list_orders, owner, chosen)
    else:
        raise Refusal(_("There is no such list of orders."), first_url=reverse("orders"))
    before, after = (
        pager.requested(QueryDict(urlencode({side: query.get(AT, "")})), size=1)
        for side in ("before", "after")
    )
    return PlaceInList(pager, read, before, after, is_own=name == "orders")


T = TypeVar("T")


def beside(place: PlaceInList | None, read: Callable[[], T]) -> tuple[T, Neighbours | None]:
    """Return what ``read`` does, and the orders around a place, if any, read in the same round."""
    if place is None:
        return read(), None
    with pool().together() as together, labelled_calls("neighbours"):
        pages = [
            together.start(partial(place.read, request)) for request in (place.before, place.after)
        ]
        found = read()
        previous_url, next_url = (
            next((url for _, url in in_list(page.result(), place.pager)), "") for page in pages
        )
    return found, Neighbours(previous_url, next_url, place.pager.first_url, place.is_own)
