"""Lists of orders as their pages show them: addresses, tabs, buttons, CSV, and how they are read.

An `OrderList` is that of a customer; functions named after the queue are for the shop's open
orders.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from dynapages.calls import metered
from dynapages.django.csv_lists import CsvPage
from dynapages.django.next_page import with_next
from dynapages.django.paging import ListResult, Pager, Toggle, address_of_item, grouped
from dynapages.django.refusals import Refusal
from dynapages.lists import Explanation, PageRequest, PageResult, explain, timestamp
from shop.days import DAY, BadListFilter, Days, presets
from shop.order_status import OPEN, Move, Status, moves_from
from shop.orders.entries import OrderEntry, OrderLine, WholeOrder
from shop.orders.filters import OrderFilter
from shop.orders.queries import OrdersResult
from shop.reviews import Reviews, review_source

HOUR = timedelta(hours=1)
CONFIRMATION_PAGES = {Status.CANCELED: "cancel_order", Status.RETURNED: "return_order"}
"""The names of the pages that ask before a move to a status."""
OrdersPage = ListResult[OrderFilter, OrdersResult]
"""A page of a list of orders, with what it was asked for."""
COLUMNS = (
    *("order_id", "foreign_id", "customer", "status", "placed_at"),
    *("bought", "items", "currency", "total"),
)
"""Of a list as CSV."""


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
    today: date,
) -> dict[str, Any]:
    """Build what the template shows around a list's orders, by the ``url`` of each filter.

    ``today`` is the UTC day. ``narrowed`` is the number of filters that are chosen, ``address`` is
    for toggles.js; ``form_hidden`` are hidden inputs of the form for days.
    """
    first_url = url(OrderFilter())
    query_of_days = chosen.in_any_status().query
    tabs: list[Toggle] = []
    for status, count in counts.items():
        tab = Toggle(
            value=status.value,
            label=status.label,
            url=url(chosen.toggle(status)),
            pressed=status in chosen.statuses,
            count=count,
        )
        tabs.append(tab)
    everything = Toggle(
        value="~",
        label=label_of_all,
        url=url(chosen.in_any_status()),
        pressed=not chosen.statuses and not chosen.open_only,
        count=sum(counts.values()),
    )

    def url_on(days: Days) -> str:
        return url(chosen.on(days))

    return {
        "narrowed": len(chosen.statuses) + int(chosen.open_only) + int(bool(chosen.days)),
        "presets": presets(chosen.days, today, url_on),
        # The script puts the statuses into the braces, without asking the server.
        "address": f"{first_url}?{{status=}}&{query_of_days}".rstrip("&"),
        "by_status": bool(chosen.statuses),
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

    def context(
        self, chosen: OrderFilter, counts: Mapping[Status, int], *, today: date
    ) -> dict[str, Any]:
        """Build what the template shows around the orders, on a UTC day."""
        around = list_context(
            chosen, counts, url=self.url, label_of_all=pgettext("orders", "All"), today=today
        )
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
            **around,
        }


def queue_url(chosen: OrderFilter, *, name: str = "staff_orders") -> str:
    """Return the canonical URL of the filtered queue, or of another page of the same filter."""
    if chosen.statuses == OPEN:
        # The queue has no others: that is the list without a filter, at one address.
        chosen = chosen.in_any_status()
    return f"{reverse(name)}?{chosen.query}".rstrip("?")


def queue_pager(chosen: OrderFilter) -> Pager:
    """Return the pager of the queue; its tokens are bound to the filter."""
    list_name = f"queue/{'.'.join(chosen.statuses)}"
    if chosen.days:
        list_name += f"?{chosen.in_any_status().query}"
    return Pager(first_url=queue_url(chosen), list_name=list_name, shape=chosen.shape)


def total_of(chosen: OrderFilter, counts: Mapping[Status, int]) -> int | None:
    """Return how many orders a list holds, by all its counts; None with days: not counted."""
    if chosen.days:
        return None
    # Counters have no days, so these are only known of whole statuses.
    if chosen.open_only:
        statuses: Iterable[Status] = OPEN
    elif chosen.statuses:
        statuses = chosen.statuses
    else:
        statuses = counts
    return sum(counts[status] for status in statuses)


# What a page shows of one order


@dataclass(frozen=True, slots=True)
class OrderButtons:
    """What may be done with an order.

    ``moves`` are sent to ``move_url``; ``confirmed_moves`` have the URL of a page that asks first.
    """

    moves: tuple[Move, ...]
    move_url: str
    confirmed_moves: tuple[tuple[Move, str], ...]


def buttons_for(order: OrderEntry, *, is_staff: bool, page_url: str) -> OrderButtons:
    """Return the buttons for an order; their forms redirect back to ``page_url``."""
    moves: list[Move] = []
    confirmed_moves: list[tuple[Move, str]] = []
    for move in moves_from(order.status, is_staff=is_staff):
        if move.is_end:
            address = address_of_item(CONFIRMATION_PAGES[move.target], order.id)
            confirmed_moves.append((move, with_next(address, page_url)))
        else:
            moves.append(move)
    move_url = with_next(address_of_item("move_order", order.id), page_url)
    return OrderButtons(tuple(moves), move_url, tuple(confirmed_moves))


def may_review(order: OrderEntry, *, is_own: bool) -> bool:
    """Return whether its page leads from an order to reviews: a delivered one of one's own."""
    return is_own and order.is_delivered and review_source() is not None


def with_reviews(order: WholeOrder, reviews: Reviews) -> WholeOrder:
    """Return an order whose lines lead to their reviews, or to the forms for these."""
    source = review_source()
    if source is None:
        return order
    lines: list[OrderLine] = []
    for line in order.items:
        review_url = reviews.get(line.product_id, "")
        form_url = ""
        if not review_url:
            form_url = source.form_url(line.product_id)
        lines.append(replace(line, review_url=review_url, review_form_url=form_url))
    return replace(order, items=tuple(lines))


@dataclass(frozen=True, slots=True)
class Crumb:
    """A page on the way to this one."""

    name: str
    url: str


def breadcrumbs_of(order: OrderEntry, *, is_own: bool, is_staff: bool) -> list[Crumb]:
    """Return the pages on the way to an order: the queue for staff, the list it is in."""
    crumbs: list[Crumb] = []
    if is_staff:
        crumbs.append(Crumb(_("Open orders"), reverse("staff_orders")))
    if is_own:
        crumbs.append(Crumb(_("Your orders"), reverse("orders")))
    else:
        name = _("Orders of %(customer)s") % {"customer": order.username}
        crumbs.append(Crumb(name, order.customer_url))
    return crumbs


def age_in_words(age: timedelta) -> str:
    """Format how long ago something was, in whole days, hours or minutes, such as ``4 d``."""
    if age >= DAY:
        days = age // DAY
        return ngettext("%(count)s d", "%(count)s d", days) % {"count": grouped(days)}
    if age >= HOUR:
        return _("%(count)s h") % {"count": age // HOUR}
    # A clock that is behind would make the age negative.
    minutes = max(age // timedelta(minutes=1), 0)
    return _("%(count)s min") % {"count": minutes}


# Lists for programs: as CSV, and explained


def csv_reader(read: Callable[[PageRequest], OrdersResult]) -> Callable[[PageRequest], CsvPage]:
    """Return the function that reads a page of orders as rows with these `COLUMNS`."""

    def read_rows(request: PageRequest) -> CsvPage:
        result = read(request)
        return PageResult(tuple(_row(order) for order in result.items), result.page)

    return read_rows


def _row(order: OrderEntry) -> tuple[object, ...]:
    """Return an order as a row of CSV; see `COLUMNS`."""
    return (
        order.id,
        order.foreign_id,
        order.username,
        order.status.value,
        timestamp(order.placed),
        order.summary,
        order.item_count,
        order.currency,
        order.total,
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
        result = read(request)
    return explain(result.page, plan=result.plan.name, meter=meter)
