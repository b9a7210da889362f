"""The check of purchases: in the indexes are those whose order was delivered, and no others."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from dynamo.items import Item, table_key
from dynamo.upkeep.integrity import Difference
from dynamo.writes.actions import Action, check
from shop import keys
from shop.catalogue.edge_keys import purchase_data
from shop.catalogue.purchases import DERIVED
from shop.integrity.comparing import IndexKeys, write_to_shards
from shop.models import Order, Purchase
from shop.order_status import Status
from shop.orders.ids import moment_in
from shop.table import Key, key_of


class PurchasesFound:
    """The purchases and delivered orders that a Scan has passed."""

    def __init__(self) -> None:
        self._keys = purchase_keys()
        self._by_order: defaultdict[str, list[tuple[Key, bool]]] = defaultdict(list)
        self._delivered: set[str] = set()

    def take(self, item: Item) -> None:
        """Note a purchase."""
        is_listed = any(name in item for name in DERIVED)
        if is_listed and not self._keys.is_right(item, _keys_if_delivered(item, 1)):
            self._keys.suspects.append(key_of(item))
        else:
            self._by_order[_order_in(item)].append((key_of(item), is_listed))

    def take_order(self, item: Item) -> None:
        """Note an order."""
        if item["status"]["S"] == Status.DELIVERED.value:
            self._delivered.add(item["sk"]["S"].removeprefix(keys.ORDER_PREFIX))

    def differences(self, *, shards: int) -> Iterator[Difference]:
        """Yield the purchases whose keys are wrong."""
        for order_id, purchases in self._by_order.items():
            wrong = (key for key, is_in in purchases if is_in != (order_id in self._delivered))
            self._keys.suspects.extend(wrong)
        yield from self._keys.differences(write_to_shards, shards=shards)


def purchase_keys() -> IndexKeys:
    """Compare the index keys of purchases; each is derived by a read of its order."""
    return IndexKeys(
        kind="purchase",
        model=Purchase,
        names=DERIVED,
        source=(Purchase.order_id,),
        derive=_purchase_keys,
        order_in=_order_in,
        beside=_order_as_derived,
    )


def _purchase_keys(item: Item, shards: int) -> dict[str, str]:
    order = Order.find(keys.user(_username_in(item)), keys.order(_order_in(item)))
    is_delivered = order is not None and order.status == Status.DELIVERED.value
    return _keys_if_delivered(item, shards) if is_delivered else {}


def _keys_if_delivered(item: Item, shards: int) -> dict[str, str]:
    # The id of an order holds its moment; without one there are no keys.
    username = _username_in(item)
    product_id = item["sk"]["S"].removeprefix(keys.bought(username, ""))
    try:
        moment = moment_in(_order_in(item))
    except ValueError:
        return {}
    return purchase_data(username, product_id, moment, shards=shards)


def _order_as_derived(item: Item, expected: Mapping[str, str]) -> list[Action]:
    key: Item = table_key(keys.user(_username_in(item)), keys.order(_order_in(item)))
    is_delivered = Order.status == Status.DELIVERED.value
    is_other = (Order.status != Status.DELIVERED.value) | Order.status.does_not_exist()
    return [check(Order, key, is_delivered if expected else is_other)]


def _username_in(item: Item) -> str:
    return keys.username_in(item["pk"]["S"])


def _order_in(item: Item) -> str:
    return str(item.get("order_id", {"S": ""})["S"])
