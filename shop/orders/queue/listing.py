"""The shop's open orders as their page shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.translation import pgettext

from dynamo.calls.client import pool
from dynamo.calls.meter import labelled_calls, metered
from dynamo.lists.explain import Explanation, explain
from dynamo.lists.reader import PageRequest
from dynamo.web.addresses import Toggle
from dynamo.web.paging import Pager
from shop import keys
from shop.accounts.names import BadUsername, username_of
from shop.accounts.queries import users_called
from shop.models import OrderPointer
from shop.order_status import FORWARD, OPEN, Status
from shop.orders.counts import queue_lengths
from shop.orders.entries import OrderEntry
from shop.orders.filters import OrderFilter
from shop.orders.listing import (
    OrderButtons,
    address_by_statuses,
    buttons_for,
    dates_context,
    requested,
)
from shop.orders.queries import LONGEST_ID, NoSuchOrder, list_open_orders, list_orders, owner_of
from shop.web.next_url import with_next


@dataclass(frozen=True, slots=True)
class QueueEntry(OrderEntry):
    """An open order with its buttons."""

    buttons: OrderButtons


def queue_url(chosen: OrderFilter, *, name: str = "staff_orders") -> str:
    """Return the canonical URL of the filtered queue, or of another page of the same filter."""
    return f"{reverse(name)}?{chosen.query}".rstrip("?")


def queue_pager(chosen: OrderFilter) -> Pager:
    """Return the pager of the queue; its tokens are bound to the filter."""
    days = f"?{chosen.in_any_status().query}" if chosen.has_days else ""
    list_name = f"queue/{'.'.join(chosen.statuses)}{days}"
    return Pager(first_url=queue_url(chosen), list_name=list_name, shape=chosen.shape)


def queue_context(
    chosen: OrderFilter,
    orders: Sequence[OrderEntry],
    *,
    lengths: Mapping[Status, int],
    page_url: str,
) -> dict[str, Any]:
    """Build what the queue's template shows; ``length`` is None where days are chosen."""
    length = length_of(chosen, lengths)
    return {
        "orders": [_entry(order, page_url) for order in orders],
        "address": address_by_statuses(reverse("staff_orders"), chosen),
        "tabs": [_tab(status, chosen, lengths) for status in OPEN],
        "all_statuses": Toggle(
            value="~",
            label=pgettext("orders", "All open"),
            url=queue_url(chosen.in_any_status()),
            pressed=not chosen.statuses,
            count=sum(lengths.values()),
        ),
        "length": length,
        "csv_url": queue_url(chosen, name="staff_orders_csv"),
        "bulk_url": with_next(reverse("move_orders"), page_url),
        "bulk_moves": [move for move in FORWARD if move.source in (chosen.statuses or OPEN)],
        "all_of_it": all_context(chosen, length),
        **dates_context(chosen, url=queue_url, action=reverse("staff_orders")),
    }


def length_of(chosen: OrderFilter, lengths: Mapping[Status, int]) -> int | None:
    """Return how many orders a filtered queue holds; None with days, which are not counted."""
    if chosen.has_days:
        return None
    return sum(lengths[status] for status in chosen.statuses or OPEN)


def all_context(chosen: OrderFilter, length: int | None) -> dict[str, Any] | None:
    """Build what is shown of moving all orders of a status; None for several or no statuses."""
    if len(chosen.statuses) != 1:
        return None
    (move,) = (move for move in FORWARD if move.source is chosen.statuses[0])
    return {
        "move": move,
        "count": length,
        "url": queue_url(chosen, name="move_all_orders"),
        "queue_url": queue_url(chosen),
    }


def _entry(order: OrderEntry, page_url: str) -> QueueEntry:
    shown = {field.name: getattr(order, field.name) for field in fields(OrderEntry)}
    return QueueEntry(**shown, buttons=buttons_for(order, is_staff=True, page_url=page_url))


def _tab(status: Status, chosen: OrderFilter, lengths: Mapping[Status, int]) -> Toggle:
    target = chosen.toggle(status)
    return Toggle(
        value=status.value,
        label=status.label,
        url=queue_url(replace(target, statuses=()) if target.statuses == OPEN else target),
        pressed=status in chosen.statuses,
        count=lengths[status],
    )


def explain_queue(chosen: OrderFilter, *, size: int, after: str | None = None) -> Explanation:
    """Explain a page of the shop's open orders; no statuses mean all. Raises Refusal."""
    request = requested(queue_pager(chosen), size=size, after=after)
    with metered() as meter:
        found = list_open_orders(chosen, request)
        with labelled_calls("counts"):
            queue_lengths()
    return explain(found.page, plan=found.plan.name, meter=meter)


@dataclass(frozen=True, slots=True)
class Found:
    """The order with a number, or else the names of the customers who may be meant."""

    order_id: str = ""
    usernames: tuple[str, ...] = ()


def find_order_or_customers(typed: str) -> Found:
    """Look for an order's number, here or where it was imported from, a user name and an address.

    All reads are made in one round. Several users may have one e-mail address.
    """
    typed = typed.strip()
    if not 0 < len(typed) <= LONGEST_ID:
        return Found()
    with pool().together() as together:
        own = together.start(partial(_order, typed.upper()))
        foreign = together.start(partial(_foreign_order, typed))
        users = together.start(partial(users_called, typed))
        customer = together.start(partial(_customer, typed))
        order_id = own.result() or foreign.result()
        named = [*(user.get_username() for user in users.result()), *customer.result()]
    return Found(order_id) if order_id else Found(usernames=tuple(dict.fromkeys(named)))


def _order(order_id: str) -> str:
    try:
        owner_of(order_id)
    except NoSuchOrder:
        return ""
    return order_id


def _foreign_order(foreign_id: str) -> str:
    key = keys.foreign(foreign_id)
    pointer = OrderPointer.find(key, key, consistent_read=False)
    return pointer.order_id if pointer else ""


def _customer(typed: str) -> list[str]:
    """Return the name of somebody who has orders, but need not have an account."""
    try:
        username = username_of(typed)
    except BadUsername:
        return []
    return [username] if list_orders(username, OrderFilter(), PageRequest(1)).items else []
