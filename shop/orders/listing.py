"""A user's orders as their page shows them, and orders as data."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dynamo.calls.meter import labelled_calls, metered
from dynamo.lists.explain import Explanation, explain
from dynamo.lists.reader import PageRequest, PageResult
from dynamo.lists.runs import timestamp
from dynamo.web.addresses import Toggle
from dynamo.web.formats import CsvPage
from dynamo.web.paging import Pager
from shop.order_status import OPEN, Status, may_move, moves_from
from shop.orders.counts import counts_of
from shop.orders.entries import OrderEntry
from shop.orders.filters import OrderFilter
from shop.orders.queries import OrdersResult, list_orders
from shop.web.next_url import with_next


def dates_context(
    chosen: OrderFilter, *, url: Callable[[OrderFilter], str], action: str
) -> dict[str, Any]:
    """Build the form that narrows a list to days; ``form_hidden`` are hidden inputs."""
    return {
        "from_date": chosen.since.isoformat() if chosen.since else "",
        "to_date": chosen.until.isoformat() if chosen.until else "",
        "clear_dates_url": url(chosen.on_any_day()) if chosen.has_days else None,
        "form_hidden": chosen.on_any_day().pairs,
        "form_action": action,
    }


def address_by_statuses(url: str, chosen: OrderFilter) -> str:
    """Return a list's address on the chosen days, by the toggles pressed (static/toggles.js)."""
    days = chosen.in_any_status().query
    return f"{url}?{{status=}}&{days}" if days else f"{url}?{{status=}}"


@dataclass(frozen=True, slots=True)
class OrderList:
    """The list of a user's orders at an address, the user's own or that for staff."""

    username: str
    address: str

    def url(self, chosen: OrderFilter) -> str:
        """Return the canonical URL of the filtered list."""
        return f"{self.address}?{chosen.query}" if chosen.query else self.address

    def pager(self, chosen: OrderFilter) -> Pager:
        """Return the pager of the list; its tokens are bound to the user and the filter."""
        list_name = f"orders/{self.username}?{chosen.query}"
        return Pager(first_url=self.url(chosen), list_name=list_name, shape=chosen.shape)

    def context(self, chosen: OrderFilter, counts: Mapping[Status, int]) -> dict[str, Any]:
        """Build what the template shows around the orders."""
        return {
            "address": address_by_statuses(self.address, chosen),
            "tabs": self._tabs(chosen, counts),
            "all_statuses": self._all(chosen, counts),
            "open_orders": self._open(chosen, counts),
            "length": total_of(chosen, counts),
            "csv_url": f"{self._csv_address}?{chosen.query}".rstrip("?"),
            **dates_context(chosen, url=self.url, action=self.address),
        }

    @property
    def _csv_address(self) -> str:
        return reverse("staff_customer_orders_csv", args=[self.username])

    def _tabs(self, chosen: OrderFilter, counts: Mapping[Status, int]) -> list[Toggle]:
        return [
            Toggle(
                value=status.value,
                label=status.label,
                url=self.url(chosen.toggle(status)),
                pressed=status in chosen.statuses,
                count=counts[status],
            )
            for status in Status
        ]

    def _all(self, chosen: OrderFilter, counts: Mapping[Status, int]) -> Toggle:
        return Toggle(
            value="~",
            label=pgettext("orders", "All"),
            url=self.url(chosen.in_any_status()),
            pressed=not chosen.statuses and not chosen.open_only,
            count=sum(counts.values()),
        )

    def _open(self, chosen: OrderFilter, counts: Mapping[Status, int]) -> Toggle:
        return Toggle(
            value="1",
            label=pgettext("orders", "Open"),
            url=self.url(chosen.only_open()),
            pressed=chosen.open_only,
            count=sum(counts[status] for status in OPEN),
        )


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


def order_data(order: OrderEntry) -> dict[str, Any]:
    """Return an order for programs (docs/api.md)."""
    return {
        "id": order.id,
        "url": order.url,
        "username": order.username,
        "status": order.status.value,
        "date": order.date_iso,
        "placed": timestamp(order.placed),
        "total": order.total,
        "currency": order.currency,
        "item_count": order.item_count,
        "foreign_id": order.foreign_id or None,
    }


def total_of(chosen: OrderFilter, counts: Mapping[Status, int]) -> int | None:
    """Return how many orders a list holds; None with days, which are not counted."""
    if chosen.has_days:
        return None
    statuses = OPEN if chosen.open_only else chosen.statuses or tuple(Status)
    return sum(counts[status] for status in statuses)


@dataclass(frozen=True, slots=True)
class MoveButton:
    """A button that moves an order, and the URL of its form."""

    move: str
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class OrderButtons:
    """What may be done with an order; at ``cancel_url`` the visitor is asked first."""

    moves: tuple[MoveButton, ...]
    cancel_url: str


def buttons_for(order: OrderEntry, *, is_staff: bool, page_url: str) -> OrderButtons:
    """Return the buttons for an order; their forms redirect back to ``page_url``."""
    can_cancel = may_move(order.status, Status.CANCELED, is_staff=is_staff)
    cancel_url = with_next(reverse("cancel_order", args=[order.id]), page_url)
    moves = tuple(_moves(order, is_staff=is_staff, page_url=page_url))
    return OrderButtons(moves, cancel_url if can_cancel else "")


def _moves(order: OrderEntry, *, is_staff: bool, page_url: str) -> Iterator[MoveButton]:
    url = with_next(reverse("move_order", args=[order.id]), page_url)
    for move in moves_from(order.status, is_staff=is_staff):
        if move.target is not Status.CANCELED:
            yield MoveButton(move.target.value, str(move.label), url)


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


def explain_orders(
    username: str, chosen: OrderFilter, *, size: int, after: str | None = None
) -> Explanation:
    """Explain a page of a user's orders; ``after`` is a position token. Raises Refusal."""
    request = requested(OrderList(username, "").pager(chosen), size=size, after=after)
    with metered() as meter:
        found = list_orders(username, chosen, request)
        with labelled_calls("counts"):
            counts_of(username)
    return explain(found.page, plan=found.plan.name, meter=meter)


def requested(pager: Pager, *, size: int, after: str | None) -> PageRequest:
    """Return the page of a list behind a position token, or its first. Raises Refusal."""
    query = QueryDict(mutable=True)
    if after:
        query["after"] = after
    return pager.requested(query, size=size)
