"""The shop's open orders as their page shows them."""

from datetime import datetime
from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dynapages.django.access import with_next
from dynapages.django.paging import grouped
from dynapages.lists import PageRequest
from dynapages.process import pool
from shop.accounts.names import BadUsername, username_of
from shop.accounts.queries import users_called
from shop.order_status import FORWARD, OPEN, Move
from shop.orders.filters import OrderFilter
from shop.orders.listing import (
    age_in_words,
    buttons_for,
    in_list,
    list_context,
    queue_pager,
    queue_url,
)
from shop.orders.queries import (
    LONGEST_ID,
    NoSuchOrder,
    OrdersResult,
    list_orders,
    owner_of,
    pointers_to,
)


def queue_context(
    chosen: OrderFilter, found: OrdersResult, *, page_url: str, now: datetime
) -> dict[str, Any]:
    """Build what the queue's template shows: each order of a page with its URL, age and buttons."""
    around = list_context(
        chosen, found.counts, url=queue_url, label_of_all=pgettext("orders", "All open")
    )
    return {
        "orders": [
            (
                order,
                url,
                age_in_words(now - order.placed),
                buttons_for(order, is_staff=True, page_url=page_url),
            )
            for order, url in in_list(found, queue_pager(chosen))
        ],
        "csv_url": queue_url(chosen, name="staff_orders_csv"),
        "bulk_url": with_next(reverse("move_orders"), page_url),
        "bulk_moves": [move for move in FORWARD if move.source in (chosen.statuses or OPEN)],
        "all_of_it": all_context(chosen, around["length"]) if len(chosen.statuses) == 1 else None,
        **around,
    }


def all_context(chosen: OrderFilter, length: int | None) -> dict[str, Any]:
    """Build what is shown of moving all orders of the one chosen status, ``length`` in number."""
    (move,) = (move for move in FORWARD if move.source is chosen.statuses[0])
    return {
        "move": move,
        "count": length,
        "label": _label_of_all(move, length),
        "url": queue_url(chosen, name="move_all_orders"),
        "queue_url": queue_url(chosen),
    }


def _label_of_all(move: Move, count: int | None) -> str:
    if count:
        return _("%(action)s all %(count)s") % {"action": move.label, "count": grouped(count)}
    return _("%(action)s all") % {"action": move.label}


def find_orders_or_customers(typed: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Look for an order's number, here or where it was imported from, a user name and an address.

    Return the orders' ids, several if shops have the same numbers, or none and the users who may be
    meant. All reads are made in one round.
    """
    typed = typed.strip()
    if not 0 < len(typed) <= LONGEST_ID:
        return (), ()
    with pool().together() as together:
        own = together.start(partial(_order, typed.upper()))
        foreign = together.start(partial(pointers_to, typed))
        users = together.start(partial(users_called, typed))
        customer = together.start(partial(_customer, typed))
        order_ids = own.result() or [pointer.order_id for pointer in foreign.result()]
        named = [*(user.get_username() for user in users.result()), *customer.result()]
    return tuple(order_ids), () if order_ids else tuple(dict.fromkeys(named))


def _order(order_id: str) -> list[str]:
    try:
        owner_of(order_id)
    except NoSuchOrder:
        return []
    return [order_id]


def _customer(typed: str) -> list[str]:
    """Return the name of somebody who has orders, but need not have an account."""
    try:
        username = username_of(typed)
    except BadUsername:
        return []
    return [username] if list_orders(username, OrderFilter(), PageRequest(1)).items else []
