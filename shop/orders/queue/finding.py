"""What staff type to find an order or a customer: each kind of name is one read by its key."""

from dataclasses import dataclass
from functools import partial

from dynamo.calls.client import pool
from dynamo.lists.reader import PageRequest
from shop import keys
from shop.accounts.names import BadUsername, username_of
from shop.accounts.queries import users_called
from shop.models import OrderPointer
from shop.orders.filters import OrderFilter
from shop.orders.queries import LONGEST_ID, NoSuchOrder, list_orders, owner_of


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
