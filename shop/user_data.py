"""What a user leaves in the shop besides their orders, which the books need.

An order is a business record: the law that asks for a person's data to be erased excepts what
another law asks to be kept (in the European Union, Article 17(3)(b) of the GDPR). So orders stay,
and with them the name they are kept under, as a number a customer would have: nobody can sign in
by it or take it again. Whoever has no orders leaves no name either.
"""

from collections.abc import Iterator

from dynamo.calls.client import client
from dynamo.items import table_key
from dynamo.upkeep.erasure import Trace
from shop import keys
from shop.accounts.closing import delete_profile, shut_profile
from shop.accounts.queries import NoSuchUser, find_user
from shop.models import Order
from shop.orders.queries import products_bought_by
from shop.table import TABLE


def has_orders(username: str) -> bool:
    """Tell whether a user has any orders."""
    found = Order.query(
        keys.user(username),
        Order.sk.startswith(keys.ORDER_PREFIX),
        limit=1,
        consistent_read=True,
    )
    return next(iter(found), None) is not None


def _delete_purchase(username: str, product_id: str) -> None:
    key = table_key(keys.user(username), keys.bought(username, product_id))
    client().delete_item(TableName=TABLE, Key=key)


def _open_profile(username: str) -> Iterator[str]:
    """Name a profile that there is something to do about."""
    try:
        user = find_user(username)
    except NoSuchUser:
        return
    if user.is_active or user.email or user.has_usable_password() or not has_orders(username):
        yield username


def _close_profile(username: str, _name: str) -> None:
    if has_orders(username):
        shut_profile(username)
    else:
        delete_profile(username)


PURCHASES = Trace("purchases", products_bought_by, _delete_purchase)
PROFILE = Trace("profile", _open_profile, _close_profile)
