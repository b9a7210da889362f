"""The check of purchases: in the indexes are those whose order was delivered, and no others."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from dynapages.items import Item, table_key
from dynapages.process import write_actions
from dynapages.pynamodb import unchanged, update
from dynapages.upkeep import Candidate, Derived, Handlers, texts_in
from dynapages.writes import Action, check
from shop import keys
from shop.catalogue.also_bought import PURCHASE_KEYS, purchase_keys
from shop.integrity.orders import ORDERS, order_id_of
from shop.integrity.shards import read_item
from shop.models import Order, Purchase
from shop.order_status import Status
from shop.orders.ids import moment_in
from shop.table import Key, key_of, set_or_remove

PURCHASES = keys.USER_PREFIX, keys.BOUGHT_PREFIX
"""How the keys of purchases begin."""


class PurchaseItems:
    """Compares purchases with the statuses of their orders, both as the Scan finds them."""

    def __init__(self) -> None:
        self._derived = Derived(
            kind="purchase",
            starts=PURCHASES,
            subject=_subject,
            names=PURCHASE_KEYS,
            derive=_derived_keys,
            actions=_key_actions,
            write=write_actions,
            read=read_item,
        )
        self._listed_by_order: defaultdict[str, dict[Key, bool]] = defaultdict(dict)
        self._is_delivered: dict[str, bool] = {}

    def handlers(self) -> Handlers:
        return {PURCHASES: self._add, ORDERS: self._add_order}

    def candidates(self) -> Iterator[Candidate]:
        """Yield purchases that are listed though their order was not delivered, or the reverse."""
        for order_id, is_listed_by_key in self._listed_by_order.items():
            # Without its order a purchase is found by `shop.integrity.bought_products`.
            if order_id not in self._is_delivered:
                continue
            is_delivered = self._is_delivered[order_id]
            for key, is_listed in is_listed_by_key.items():
                if is_listed != is_delivered:
                    self._derived.keys_of_wrong_items.append(key)
        yield from self._derived.candidates()

    def _add(self, purchase: Item) -> None:
        """Note whether a purchase is listed; under wrong keys it is wrong by itself."""
        stored = texts_in(purchase, PURCHASE_KEYS)
        if stored and stored != _keys_if_delivered(purchase):
            self._derived.keys_of_wrong_items.append(key_of(purchase))
        else:
            is_listed = bool(stored)
            self._listed_by_order[order_id_in(purchase)][key_of(purchase)] = is_listed

    def _add_order(self, order: Item) -> None:
        """Note whether an order was delivered."""
        is_delivered = order["status"]["S"] == Status.DELIVERED.value
        self._is_delivered[order_id_of(order)] = is_delivered


def _subject(purchase: Item) -> str:
    return f"order {order_id_in(purchase)}"


def _derived_keys(purchase: Item) -> Mapping[str, str]:
    """Return the keys that a purchase should have, by its order as it is stored now."""
    username = keys.username_in(purchase["pk"]["S"])
    order = Order.find(keys.user(username), keys.order(order_id_in(purchase)))
    if order is None or order.status != Status.DELIVERED.value:
        return {}
    return _keys_if_delivered(purchase)


def _keys_if_delivered(purchase: Item) -> dict[str, str]:
    """Return the keys of a purchase whose order was delivered."""
    username = keys.username_in(purchase["pk"]["S"])
    product_id = purchase["sk"]["S"].removeprefix(keys.bought(username, ""))
    # The id of an order holds its moment; without one there are no keys.
    try:
        moment = moment_in(order_id_in(purchase))
    except ValueError:
        return {}
    return purchase_keys(username, product_id, moment)


def _key_actions(purchase: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update of a purchase, and the condition that its order's status is the same."""
    username = keys.username_in(purchase["pk"]["S"])
    order_key = table_key(keys.user(username), keys.order(order_id_in(purchase)))
    if expected:
        status = Order.status == Status.DELIVERED.value
    else:
        status = (Order.status != Status.DELIVERED.value) | Order.status.does_not_exist()
    changes = set_or_remove(Purchase, PURCHASE_KEYS, expected)
    same = unchanged(purchase, Purchase.order_id)
    return [
        update(Purchase, table_key(*key_of(purchase)), changes, same),
        check(Order, order_key, status),
    ]


def order_id_in(purchase: Item) -> str:
    """Return the id of the order that a purchase belongs to; empty where it names none."""
    return purchase["order_id"]["S"] if "order_id" in purchase else ""
