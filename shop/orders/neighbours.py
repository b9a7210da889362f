"""The orders before and after one, in the list that led to it.

A link in a list names the list, by its URL, and the order's position in it, by a token as those of
pages. So the orders before and after one are read while it is read itself: by two pages of one
order, which are a query for each run of the list and direction. They are those around the position
even after the order has left the list.
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
from dynapages.lists import PageRequest
from dynapages.process import pool
from shop.orders.entries import OrderEntry
from shop.orders.listing import OrderList, filter_of, queue_pager
from shop.orders.queries import OrdersResult, list_open_orders, list_orders

LIST_PARAMETER = "list"
"""The parameter of an order's URL that has the URL of the list."""
POSITION_PARAMETER = "at"
"""That which has the token of the order's position in it."""
Result = TypeVar("Result")
ReadOrders = Callable[[PageRequest], OrdersResult]


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
    read: ReadOrders
    before: PageRequest
    after: PageRequest
    is_own: bool


def with_urls(result: OrdersResult, pager: Pager) -> list[tuple[OrderEntry, str]]:
    """Return the orders of a page of a list, each with the URL that leads to it there."""
    pairs: list[tuple[OrderEntry, str]] = []
    for order, entry in zip(result.items, result.page.entries, strict=True):
        token = tokens().write(entry.position, list_name=pager.list_name)
        query = urlencode({LIST_PARAMETER: pager.first_url, POSITION_PARAMETER: token})
        pairs.append((order, f"{order.url}?{query}"))
    return pairs


def place_in_list(query: QueryDict, *, username: str) -> PlaceInList | None:
    """Return the place in a list that the URL of an order names, None for no list.

    ``username`` is the visitor, whose list of orders has no name in its address. Raises Refusal.
    """
    if LIST_PARAMETER not in query:
        return None
    path, _mark, list_query = query.get(LIST_PARAMETER, "").partition("?")
    # Anybody can write this parameter: only the three lists of orders are read.
    try:
        match = resolve(path)
    except Resolver404 as error:
        raise _no_such_list() from error
    read: ReadOrders
    if match.url_name == "staff_orders":
        chosen = filter_of(QueryDict(list_query), path, of_queue=True)
        pager = queue_pager(chosen)
        read = partial(list_open_orders, chosen)
    elif match.url_name in {"orders", "staff_customer_orders"}:
        owner = match.kwargs.get("username", username)
        chosen = filter_of(QueryDict(list_query), path)
        pager = OrderList(owner, path).pager(chosen)
        read = partial(list_orders, owner, chosen)
    else:
        raise _no_such_list()
    token = query.get(POSITION_PARAMETER, "")
    return PlaceInList(
        pager,
        read,
        before=pager.requested({"before": token}, size=1),
        after=pager.requested({"after": token}, size=1),
        is_own=match.url_name == "orders",
    )


def _no_such_list() -> Refusal:
    return Refusal(_("There is no such list of orders."), first_url=reverse("orders"))


def read_with_neighbours(
    place: PlaceInList | None, read: Callable[[], Result]
) -> tuple[Result, Neighbours | None]:
    """Return what ``read`` does, and the orders around a place, if any, read in the same round."""
    if place is None:
        return read(), None
    # A page of one order on each side: its first entry is the neighbour.
    with pool().together() as together, labelled_calls("neighbours"):
        before = together.start(place.read, place.before)
        after = together.start(place.read, place.after)
        result = read()
        neighbours = Neighbours(
            previous_url=_url_of_first(before.result(), place.pager),
            next_url=_url_of_first(after.result(), place.pager),
            list_url=place.pager.first_url,
            is_own=place.is_own,
        )
    return result, neighbours


def _url_of_first(result: OrdersResult, pager: Pager) -> str:
    """Return the URL of the first order of a page, empty for an empty page."""
    for _order, url in with_urls(result, pager):
        return url
    return ""
