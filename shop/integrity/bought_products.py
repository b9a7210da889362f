"""The check that each product of an order has a purchase, and that each purchase has an order.

What keys a purchase has is the matter of `shop.integrity.purchases`.
"""

from collections.abc import Iterator
from functools import partial

from dynapages.items import Item, table_key
from dynapages.pynamodb import unchanged
from dynapages.upkeep import Candidate, Difference, Handlers
from dynapages.writes import Action, check, delete
from shop import keys
from shop.catalogue.also_bought import nearest_to
from shop.integrity.orders import ORDERS, order_id_of
from shop.integrity.purchases import PURCHASES, order_id_in
from shop.integrity.shards import difference_of_presence
from shop.models import Order, OrderItem, Profile, Purchase
from shop.orders.queries import every_line
from shop.orders.settling import purchase_of
from shop.table import Key, key_of, put_of, read_items, unless_changed

_PROFILES = keys.USER_PREFIX, keys.PROFILE_PREFIX
_LINES = keys.ITEM_PREFIX, keys.ORDER_PREFIX
_PRODUCT_ID = OrderItem.product_id.attr_name
_IS_ACTIVE = Profile.is_active.attr_name


class BoughtProducts:
    """Purchases that orders lack, and those of orders that do not exist.

    Without an open account they may have been erased: there none is missing. One that names no
    order is never deleted.
    """

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}
        self._lines: list[tuple[str, str]] = []
        self._stored: dict[Key, str] = {}
        self._open: set[str] = set()

    def handlers(self) -> Handlers:
        return {
            ORDERS: self._add_order,
            _LINES: self._add_line,
            PURCHASES: self._add_purchase,
            _PROFILES: self._add_profile,
        }

    def candidates(self) -> Iterator[Candidate]:
        latest = self._latest_orders()
        for key in sorted(self._stored.keys() | latest.keys()):
            if self._stored.get(key) not in self._owners:
                yield Candidate(partial(_reread_purchase, key, latest.get(key)))

    def _latest_orders(self) -> dict[Key, str]:
        """Return the latest order of each product that somebody bought, by the purchase's key."""
        latest: dict[Key, str] = {}
        for order_id, product_id in self._lines:
            username = self._owners.get(order_id)
            if username in self._open:
                key = keys.user(username), keys.bought(username, product_id)
                latest[key] = max(order_id, latest.get(key, ""))
        return latest

    def _add_order(self, order: Item) -> None:
        # The purchases of a large order are put after it, by another repair where need be.
        if Order.unsettled.attr_name not in order:
            self._owners[order_id_of(order)] = keys.username_in(order["pk"]["S"])

    def _add_line(self, line: Item) -> None:
        self._lines.append((order_id_of(line), line[_PRODUCT_ID]["S"]))

    def _add_purchase(self, purchase: Item) -> None:
        self._stored[key_of(purchase)] = order_id_in(purchase)

    def _add_profile(self, profile: Item) -> None:
        if _is_open(profile):
            self._open.add(keys.username_in(profile["pk"]["S"]))


def _reread_purchase(key: Key, latest: str | None) -> Iterator[Difference]:
    """Compare a purchase with its order, as both are now.

    ``latest`` is the id of the latest order of the product, None where nobody ordered it.
    """
    profile_key = key[0], keys.profile(keys.username_in(key[0]))
    items = read_items([key, profile_key])
    stored, profile = items.get(key), items.get(profile_key)
    if stored is not None and _order_of(key, order_id_in(stored)) is not None:
        return
    order = None
    purchase = None
    if latest is not None and _is_open(profile):
        order = _order_of(key, latest)
    if order is not None:
        purchase = _purchase_in(order, key)
    if order is not None and purchase is not None:
        actions = [
            put_of(purchase, unchanged(stored or {}, Purchase.pk, Purchase.order_id)),
            check(Order, table_key(*order.key), Order.status == order.status),
            unless_changed(profile_key, profile, Profile.is_active),
        ]
    elif stored is not None and order_id_in(stored):
        actions = _actions_of_deletion(stored)
    else:
        return
    order_id = order_id_in(stored) if stored else ""
    yield difference_of_presence(
        "purchase",
        f"order {order_id or latest}",
        is_there=stored is not None,
        is_expected=purchase is not None,
        actions=actions,
    )


def _order_of(purchase_key: Key, order_id: str) -> Order | None:
    return Order.find(purchase_key[0], keys.order(order_id))


def _is_open(profile: Item | None) -> bool:
    return profile is not None and profile[_IS_ACTIVE] == {"BOOL": True}


def _purchase_in(order: Order, key: Key) -> Purchase | None:
    """Build the purchase with this key that an order asks for; None where it asks for none."""
    if order.unsettled is not None:
        return None
    products = [line[_PRODUCT_ID]["S"] for line in every_line(order)]
    nearest = nearest_to(products, ())
    for product_id in products:
        purchase = purchase_of(order, product_id, nearest)
        if purchase.key == key:
            return purchase
    return None


def _actions_of_deletion(stored: Item) -> list[Action]:
    """Build the deletion of a purchase, unless its order comes to be."""
    key = key_of(stored)
    order_key = table_key(key[0], keys.order(order_id_in(stored)))
    return [
        delete(Purchase, table_key(*key), unchanged(stored, Purchase.order_id)),
        check(Order, order_key, Order.pk.does_not_exist()),
    ]
