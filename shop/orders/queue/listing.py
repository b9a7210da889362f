"""The shop's open orders as their page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from dynapages.django.next_page import with_next
from dynapages.django.paging import Pager, address_of_item, grouped
from dynapages.django.refusals import Refusal
from dynapages.lists import Entry, PageRequest, id_at, moment_at
from dynapages.process import pool
from shop.accounts.names import BadUsername, username_of
from shop.accounts.queries import users_called
from shop.activity.entries import Kind
from shop.catalogue.queries import find_tiles
from shop.catalogue.search import find_products, parse_search
from shop.catalogue.tiles import ProductTile
from shop.days import DAY, Days
from shop.order_status import FORWARD, OPEN, Move, Status
from shop.orders.entries import OrderEntry
from shop.orders.filters import OrderFilter
from shop.orders.ids import LONGEST_ID, parse_number
from shop.orders.listing import (
    OrderButtons,
    OrderList,
    age_in_words,
    buttons_for,
    list_context,
    queue_pager,
    queue_url,
)
from shop.orders.neighbours import with_urls
from shop.orders.queries import OrdersResult, list_orders, orders_numbered, pointers_to

MOST_NAMED = 5
"""Products that staff are shown by a word of their names."""


@dataclass(frozen=True, slots=True)
class Match:
    """What staff may have typed: an order, a customer or a product.

    ``route`` is the name of its page and ``id`` that page's argument; ``name`` is what it is
    called, of an order its customer.
    """

    route: str
    id: str
    name: str


def queue_context(
    chosen: OrderFilter, result: OrdersResult, *, page_url: str, now: datetime
) -> dict[str, Any]:
    """Build what the queue's template shows: each order of a page with its URL, age and buttons."""
    around = list_context(
        chosen,
        result.counts,
        url=queue_url,
        label_of_all=pgettext("orders", "All open"),
        today=now.date(),
    )
    rows: list[tuple[OrderEntry, str, str, OrderButtons]] = []
    for order, url in with_urls(result, queue_pager(chosen)):
        age = age_in_words(now - order.placed)
        rows.append((order, url, age, buttons_for(order, is_staff=True, page_url=page_url)))
    shown_statuses = chosen.statuses or OPEN
    all_of_it = None
    if len(chosen.statuses) == 1:
        all_of_it = all_context(chosen, around["length"])
    return {
        "orders": rows,
        "csv_url": queue_url(chosen, name="staff_orders_csv"),
        "bulk_url": with_next(reverse("move_orders"), page_url),
        "bulk_moves": [move for move in FORWARD if move.source in shown_statuses],
        "all_of_it": all_of_it,
        **around,
    }


def all_context(chosen: OrderFilter, length: int | None) -> dict[str, Any]:
    """Build what is shown of moving all orders of the one chosen status, ``length`` in number."""
    move = _forward_from(chosen.statuses[0])
    label = _("%(action)s all %(count)s") if length else _("%(action)s all")
    return {
        "move": move,
        "count": length,
        "label": label % {"action": move.label, "count": grouped(length or 0)},
        "url": queue_url(chosen, name="move_all_orders"),
        "queue_url": queue_url(chosen),
    }


def moved_in_words(target: Status, count: int) -> str:
    """Return the sentence that so many orders were moved to a status, by `FORWARD`."""
    if not count:
        return _("No order was moved.")
    if target is Status.APPROVED:
        sentence = ngettext(
            "%(count)s order was approved.", "%(count)s orders were approved.", count
        )
    elif target is Status.PROCESSING:
        sentence = ngettext(
            "%(count)s order is now being processed.",
            "%(count)s orders are now being processed.",
            count,
        )
    else:
        sentence = ngettext("%(count)s order was shipped.", "%(count)s orders were shipped.", count)
    return sentence % {"count": grouped(count)}


def where_moved(target: Status) -> tuple[str, str]:
    """Return the address of a list with the orders that were moved, and what it is called.

    The queue has no orders that were shipped: the activity log has the newest of these first.
    """
    if target.is_open:
        label = _("Orders in the status “%(status)s”") % {"status": target.label}
        return queue_url(OrderFilter(statuses=(target,))), label
    return f"{reverse('activity')}?kind={Kind.ORDER}", _("Orders in the activity log")


def _forward_from(status: Status) -> Move:
    """Return the move of an open status to the next one: each has one."""
    for move in FORWARD:
        if move.source is status:
            return move
    raise ValueError(status)


def buyers_pager(product_id: str) -> Pager:
    """Return the pager of a product's orders."""
    return Pager(address_of_item("product_orders", product_id), f"buyers/{product_id}")


def purchase_row(entry: Entry) -> tuple[str, datetime, str]:
    """Return whose purchase it is, when it was ordered, and where the orders of that day are."""
    place = entry.position.place
    username, placed = id_at(place), moment_at(place)
    day = min(placed.date(), date.max - DAY)  # the last day of all has no next one
    orders_of = OrderList(username, address_of_item("staff_customer_orders", username))
    return username, placed, orders_of.url(OrderFilter(days=Days(day, day + DAY)))


def find_matches(typed: str) -> list[Match]:
    """Look for an order's number or its end, its number in another shop, a customer, a product.

    Customers are found by user name and e-mail address, products by id. All these reads are made in
    one round. Where they find nothing, the first products are found by words of their names.
    """
    if not 0 < len(typed) <= LONGEST_ID:
        return []
    with pool().together() as together:
        own_orders = together.start(orders_numbered, parse_number(typed))
        foreign_orders = together.start(pointers_to, typed)
        users = together.start(users_called, typed)
        customers = together.start(_customers_called, typed)
        products = find_tiles([typed]).values()
        matches: list[Match] = []
        for order_id, owner in own_orders.result():
            matches.append(Match("order", order_id, owner))
        for pointer in foreign_orders.result():
            matches.append(Match("order", pointer.order_id, pointer.username))
        usernames = [user.get_username() for user in users.result()]
        for username in (*usernames, *customers.result()):
            matches.append(Match(_customer_route(username), username, username))
        for product in products:
            matches.append(Match("product_orders", product.id, product.name))
    if not matches:
        for tile in _products_named(typed):
            matches.append(Match("product_orders", tile.id, tile.name))
    # The same order or customer may be found in two ways.
    return list(dict.fromkeys(matches))


def _customer_route(username: str) -> str:
    """Return the name of a customer's page: that of their orders in a project with these alone."""
    try:
        reverse("staff_customer", args=[username])
    except NoReverseMatch:
        return "staff_customer_orders"
    return "staff_customer"


def _products_named(typed: str) -> Sequence[ProductTile]:
    """Return the first products that a search for them finds, none for what is no search."""
    try:
        words = parse_search(typed)
    except Refusal:
        return ()
    return find_products(words, PageRequest(MOST_NAMED)).items


def _customers_called(typed: str) -> list[str]:
    """Return the name of somebody who has orders, but need not have an account."""
    try:
        username = username_of(typed)
    except BadUsername:
        return []
    orders = list_orders(username, OrderFilter(), PageRequest(1)).items
    return [username] if orders else []
