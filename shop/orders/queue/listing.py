"""The shop's open orders as their page shows them."""

from datetime import date, datetime
from functools import partial
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dynapages.django.next_page import with_next
from dynapages.django.paging import Pager, address_of_item, grouped
from dynapages.lists import Entry, PageRequest, id_at, moment_at
from dynapages.process import pool
from shop.accounts.names import BadUsername, username_of
from shop.accounts.queries import users_called
from shop.catalogue.queries import find_tiles
from shop.days import Days
from shop.order_status import FORWARD, OPEN
from shop.orders.filters import OrderFilter
from shop.orders.ids import parse_number
from shop.orders.listing import (
    DAY,
    OrderList,
    age_in_words,
    buttons_for,
    in_list,
    list_context,
    queue_pager,
    queue_url,
)
from shop.orders.queries import LONGEST_ID, OrdersResult, list_orders, orders_numbered, pointers_to

Meant = tuple[str, str, str]
"""What staff may mean: a route's name, its argument, and what it is called, an order its owner."""


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
    label = _("%(action)s all %(count)s") if length else _("%(action)s all")
    return {
        "move": move,
        "count": length,
        "label": label % {"action": move.label, "count": grouped(length or 0)},
        "url": queue_url(chosen, name="move_all_orders"),
        "queue_url": queue_url(chosen),
    }


def buyers_pager(product_id: str) -> Pager:
    """Return the pager of a product's orders."""
    return Pager(address_of_item("product_orders", product_id), f"buyers/{product_id}")


def purchase_row(entry: Entry) -> tuple[str, datetime, str]:
    """Return whose purchase it is, when it was ordered, and where the orders of that day are."""
    place = entry.position.place
    username, placed = id_at(place), moment_at(place)
    day = min(placed.date(), date.max - DAY)
    orders_of = OrderList(username, address_of_item("staff_customer_orders", username))
    return username, placed, orders_of.url(OrderFilter(days=Days(day, day + DAY)))


def find_meant(typed: str) -> list[Meant]:
    """Look for an order's number or its end, its number in another shop, a customer, a product.

    Customers are found by user name and e-mail address, products by id. All reads are made in one
    round.
    """
    if not 0 < len(typed) <= LONGEST_ID:
        return []
    with pool().together() as together:
        own = together.start(partial(orders_numbered, parse_number(typed)))
        foreign = together.start(partial(pointers_to, typed))
        users = together.start(partial(users_called, typed))
        customer = together.start(partial(_customer, typed))
        products = find_tiles([typed]).values()
        elsewhere = [(one.order_id, one.username) for one in foreign.result()]
        orders = dict.fromkeys([*own.result(), *elsewhere])
        named = [*(user.get_username() for user in users.result()), *customer.result()]
    return [
        *(("order", *order) for order in orders),
        *(("staff_customer_orders", name, name) for name in dict.fromkeys(named)),
        *(("product_orders", product.id, product.name) for product in products),
    ]


def _customer(typed: str) -> list[str]:
    """Return the name of somebody who has orders, but need not have an account."""
    try:
        username = username_of(typed)
    except BadUsername:
        return []
    return [username] if list_orders(username, OrderFilter(), PageRequest(1)).items else []
