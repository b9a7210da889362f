"""A user's orders as their page shows them.

A link in a list names the list, by its URL, and the order's position in it, by a token as those of
pages. So the orders before and after one are read while it is read itself: by two pages of one
order, which are a query for each run of the list and direction. They are those around the position
even after the order has left the list.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from dynapages.calls import labelled_calls, metered
from dynapages.django.formats import CsvPage
from dynapages.django.next_page import with_next
from dynapages.django.paging import Pager, Toggle, address_of_item, grouped, tokens
from dynapages.django.refusals import Refusal
from dynapages.lists import Explanation, PageRequest, PageResult, explain, timestamp
from dynapages.process import pool
from shop.days import BadListFilter
from shop.order_status import OPEN, Move, Status, moves_from
from shop.orders.entries import OrderEntry
from shop.orders.filters import OrderFilter
from shop.orders.queries import OrdersResult, list_open_orders, list_orders


def filter_of(query: QueryDict, first_url: str, *, of_queue: bool = False) -> OrderFilter:
    """Return the filter in the URL of a customer's list, or of the queue.

    Raises Refusal, with a link to ``first_url``.
    """
    try:
        return OrderFilter.parse(
            statuses=query.getlist("status"),
            since=query.get("from", ""),
            until=query.get("to", ""),
            is_open="" if of_queue else query.get("open", ""),
            among=OPEN if of_queue else tuple(Status),
        )
    except BadListFilter as error:
        raise Refusal(str(error), first_url=first_url) from error


def list_context(
    chosen: OrderFilter,
    counts: Mapping[Status, int],
    *,
    url: Callable[[OrderFilter], str],
    label_of_all: str,
) -> dict[str, Any]:
    """Build what the template shows around a list's orders, by the ``url`` of each filter.

    ``address`` is for toggles.js; ``form_hidden`` are hidden inputs of the form for days.
    """
    first_url, days = url(OrderFilter()), chosen.in_any_status().query
    tabs = [
        Toggle(
            value=status.value,
            label=status.label,
            url=url(chosen.toggle(status)),
            pressed=status in chosen.statuses,
            count=count,
        )
        for status, count in counts.items()
    ]
    everything = Toggle(
        value="~",
        label=label_of_all,
        url=url(chosen.in_any_status()),
        pressed=not chosen.statuses and not chosen.open_only,
        count=sum(counts.values()),
    )
    return {
        "address": f"{first_url}?{{status=}}&{days}".rstrip("&"),
        "tabs": tabs,
        "all_statuses": everything,
        "length": total_of(chosen, counts),
        "clear_dates_url": url(chosen.on_any_day()) if chosen.days else None,
        "form_hidden": chosen.on_any_day().pairs,
        "form_action": first_url,
        **chosen.days.form,
    }


@dataclass(frozen=True, slots=True)
class OrderList:
    """The list of a user's orders at an address, the user's own or that for staff."""

    username: str
    address: str

    def url(self, chosen: OrderFilter) -> str:
        """Return the canonical URL of the filtered list."""
        return f"{self.address}?{chosen.query}".rstrip("?")

    def pager(self, chosen: OrderFilter) -> Pager:
        """Return the pager of the list; its tokens are bound to the user and the filter."""
        list_name = f"orders/{self.username}?{chosen.query}"
        return Pager(first_url=self.url(chosen), list_name=list_name, shape=chosen.shape)

    def context(self, chosen: OrderFilter, counts: Mapping[Status, int]) -> dict[str, Any]:
        """Build what the template shows around the orders."""
        open_orders = Toggle(
            value="1",
            label=pgettext("orders", "Open"),
            url=self.url(chosen.only_open()),
            pressed=chosen.open_only,
            count=sum(counts[status] for status in OPEN),
        )
        csv_address = reverse("staff_customer_orders_csv", args=[self.username])
        return {
            "open_orders": open_orders,
            "csv_url": f"{csv_address}?{chosen.query}".rstrip("?"),
            **list_context(chosen, counts, url=self.url, label_of_all=pgettext("orders", "All")),
        }


def queue_url(chosen: OrderFilter, *, name: str = "staff_orders") -> str:
    """Return the canonical URL of the filtered queue, or of another page of the same filter."""
    if chosen.statuses == OPEN:
        chosen = chosen.in_any_status()
    return f"{reverse(name)}?{chosen.query}".rstrip("?")


def queue_pager(chosen: OrderFilter) -> Pager:
    """Return the pager of the queue; its tokens are bound to the filter."""
    days = f"?{chosen.in_any_status().query}" if chosen.days else ""
    list_name = f"queue/{'.'.join(chosen.statuses)}{days}"
    return Pager(first_url=queue_url(chosen), list_name=list_name, shape=chosen.shape)


@dataclass(frozen=True, slots=True)
class Crumb:
    """A page on the way to this one."""

    name: str
    url: str


def way_to(order: OrderEntry, *, is_own: bool, is_staff: bool) -> list[Crumb]:
    """Return the pages on the way to an order: the queue for staff, the list it is in."""
    steps = [Crumb(_("Open orders"), reverse("staff_orders"))] if is_staff else []
    if is_own:
        return [*steps, Crumb(_("Your orders"), reverse("orders"))]
    name = _("Orders of %(customer)s") % {"customer": order.username}
    return [*steps, Crumb(name, order.customer_url)]


def total_of(chosen: OrderFilter, counts: Mapping[Status, int]) -> int | None:
    """Return how many orders a list holds, by all its counts; None with days: not counted."""
    if chosen.days:
        return None
    statuses = OPEN if chosen.open_only else chosen.statuses or counts
    return sum(counts[status] for status in statuses)


@dataclass(frozen=True, slots=True)
class OrderButtons:
    """What may be done with an order; ``asked`` are the moves with a page that asks first."""

    moves: tuple[Move, ...]
    move_url: str
    asked: tuple[tuple[Move, str], ...]


ASKED = {Status.CANCELED: "cancel_order", Status.RETURNED: "return_order"}
"""The names of the pages that ask before a move."""


def buttons_for(order: OrderEntry, *, is_staff: bool, page_url: str) -> OrderButtons:
    """Return the buttons for an order; their forms redirect back to ``page_url``."""
    moves = moves_from(order.status, is_staff=is_staff)
    return OrderButtons(
        tuple(move for move in moves if not move.is_end),
        with_next(address_of_item("move_order", order.id), page_url),
        tuple(
            (move, with_next(address_of_item(ASKED[move.target], order.id), page_url))
            for move in moves
            if move.is_end
        ),
    )


HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def age_in_words(age: timedelta) -> str:
    """Format how long ago something was, in whole days, hours or minutes, such as ``4 d``."""
    if age >= DAY:
        return ngettext("%(count)s d", "%(count)s d", age // DAY) % {"count": grouped(age // DAY)}
    if age >= HOUR:
        return _("%(count)s h") % {"count": age // HOUR}
    return _("%(count)s min") % {"count": max(age // timedelta(minutes=1), 0)}


COLUMNS = (
    *("order_id", "foreign_id", "customer", "status", "placed_at"),
    *("bought", "items", "currency", "total"),
)


def csv_reader(read: Callable[[PageRequest], OrdersResult]) -> Callable[[PageRequest], CsvPage]:
    """Return the function that reads a page of orders as rows with these `COLUMNS`."""

    def read_rows(request: PageRequest) -> CsvPage:
        found = read(request)
        return PageResult(tuple(map(_row, found.items)), found.page)

    return read_rows


def _row(order: OrderEntry) -> tuple[object, ...]:
    return (
        *(order.id, order.foreign_id, order.username, order.status.value, timestamp(order.placed)),
        *(order.summary, order.item_count, order.currency, order.total),
    )


def explain_list(
    pager: Pager,
    read: Callable[[PageRequest], OrdersResult],
    *,
    size: int,
    position: Mapping[str, str] | None = None,
) -> Explanation:
    """Explain a page of a list; ``position`` is as in its URL. Raises Refusal."""
    request = pager.requested(position or {}, size=size)
    with metered() as meter:
        found = read(request)
    return explain(found.page, plan=found.plan.name, meter=meter)


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
    write = partial(tokens().write, list_name=pager.list_name)
    return [
        (order, f"{order.url}?{urlencode({LIST: pager.first_url, AT: write(entry.position)})}")
        for order, entry in zip(found.items, found.page.entries, strict=True)
    ]


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
        chosen = filter_of(QueryDict(filtered), path, of_queue=True)
        pager, read = queue_pager(chosen), partial(list_open_orders, chosen)
    elif match and name in {"orders", "staff_customer_orders"}:
        owner = match.kwargs.get("username", username)
        chosen = filter_of(QueryDict(filtered), path)
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
