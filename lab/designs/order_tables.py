"""Orders in four tables: the same ones, each with the keys that one design needs and no others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings

from dynamo.calls.client import client
from dynamo.items import Item, Value, table_key
from dynamo.lists.places import id_at, place_of, timestamp
from dynamo.writes.shards import SHARDS
from lab.bench.order_data import CUSTOMER, OrderAnswers, OrderData
from lab.designs.tables import Lab, LabTable, Layout
from shop import keys
from shop.models import ORDER_SHOWN, ByStatus, Order, Queue, ShopItem
from shop.order_status import Status
from shop.orders.ids import imported_order_id
from shop.orders.items import NewOrder, StatusChange, order_items_of, wire
from shop.table import OPEN_ORDERS

TABLE = ShopItem.Meta.table_name
ENTERED = "entered_at"
"""When an order entered its status: an attribute of its own where no key contains it."""
ONE_PARTITION = "OPEN"
_STATUS_KEY = Order.order_status_date.attr_name
_QUEUE_KEYS = (Order.open_shard.attr_name, Order.open_place.attr_name)
_DERIVED = {_STATUS_KEY, *_QUEUE_KEYS, Order.order_open_date.attr_name, Order.shard.attr_name}
_OPEN = Queue.Meta.index_name

BuildItem = Callable[[NewOrder, int], Item]
"""Builds an order's item as a table has it; the number is its shard."""


@dataclass(frozen=True, slots=True)
class OrderTable:
    """A table that holds the orders, and how it stores them."""

    table: LabTable
    item_of: BuildItem

    def put(self, order: NewOrder, *, shard: int) -> None:
        """Write an order, whole, in the place of what it was before."""
        client().put_item(TableName=TABLE, Item=self.item_of(order, shard))

    def key_of(self, order: NewOrder) -> Item:
        """Return the key of an order's item."""
        return table_key(keys.user(order.username), keys.order(order.id))


@dataclass(frozen=True, slots=True)
class OrderTables:
    """The four tables, and the right answers about the orders in them.

    ``shown`` is what lists show of each order, by its id; ``latest`` is the latest moment an order
    entered a status.
    """

    data: OrderData
    answers: OrderAnswers
    shown: Mapping[str, Item]
    latest: datetime
    bare: OrderTable
    by_status: OrderTable
    unsharded: OrderTable
    sharded: OrderTable

    def shown_at(self, places: Sequence[str]) -> list[Item]:
        """Return what a list shows of the orders at these places."""
        return [self.shown[id_at(place)] for place in places]


def load_orders(lab: Lab, data: OrderData) -> OrderTables:
    """Make the tables and put all orders into each."""
    orders = list(data.orders())

    def load(
        name: str, item_of: BuildItem, *indexes: str, besides: Sequence[Item] = ()
    ) -> OrderTable:
        table = lab.make(Layout(name, ShopItem, indexes))

        def items() -> Iterator[Item]:
            for number, order in enumerate(orders):
                yield item_of(order, number % settings.ORDER_SHARDS)
            yield from besides

        lab.fill(table, items(), total=len(orders) + len(besides))
        return OrderTable(table, item_of)

    shards: Item = {
        **table_key(**keys.shards(OPEN_ORDERS.name)),
        SHARDS: {"N": str(settings.ORDER_SHARDS)},
    }
    return OrderTables(
        data=data,
        answers=OrderAnswers(orders),
        shown={order.id: shown(_bare(order, 0)) for order in orders},
        latest=max(order.now_in.moment for order in orders),
        bare=load("orders", _bare),
        by_status=load("orders-by-status", _by_status, ByStatus.Meta.index_name),
        unsharded=load("orders-one-shard", _unsharded, _OPEN),
        sharded=load("orders-sharded", _sharded, _OPEN, besides=[shards]),
    )


def shown(item: Item) -> Item:
    """Cut an item down to its key and what a list of orders shows of it."""
    return {name: value for name, value in item.items() if name in {"pk", "sk", *ORDER_SHOWN}}


def order_id_in(item: Item) -> str:
    """Return the id of the order that an item is of."""
    sort_key: str = item["sk"]["S"]
    return sort_key.removeprefix(keys.ORDER_PREFIX)


def _with_keys(order: NewOrder, shard: int, *names: str) -> dict[str, Value]:
    """Build an order's item without its derived attributes, but for some."""
    item = wire(order_items_of(order, shard=shard)[0])
    return {name: item[name] for name in item if name not in _DERIVED or name in names}


def _bare(order: NewOrder, shard: int) -> Item:
    return _with_keys(order, shard) | _entered(order)


def _by_status(order: NewOrder, shard: int) -> Item:
    return _with_keys(order, shard, _STATUS_KEY)


def _sharded(order: NewOrder, shard: int) -> Item:
    return _with_keys(order, shard, *_QUEUE_KEYS) | _entered(order)


def _unsharded(order: NewOrder, shard: int) -> Item:
    if not order.now_in.status.is_open:
        return _bare(order, shard)
    place = place_of(order.placed_at, order.id)
    values = ({"S": ONE_PARTITION}, {"S": place})
    return {**_bare(order, shard), **dict(zip(_QUEUE_KEYS, values, strict=True))}


def _entered(order: NewOrder) -> dict[str, Value]:
    return {ENTERED: {"S": timestamp(order.now_in.moment)}}


def new_orders(number: int, *, after: datetime) -> Iterator[tuple[NewOrder, NewOrder]]:
    """Yield orders of the customer as they are placed, each with itself once it is shipped.

    They are the same for every design; all moments are later than ``after``.
    """
    for n in range(1, number + 1):
        placed_at = after + timedelta(hours=n)
        placed = NewOrder(
            id=imported_order_id(placed_at, f"lab-{n}"),
            username=CUSTOMER,
            placed_at=placed_at,
            lines=(),
            history=(StatusChange(Status.PLACED, placed_at),),
            currency="EUR",
        )
        shipped = StatusChange(Status.SHIPPED, placed_at + timedelta(minutes=1))
        yield placed, replace(placed, history=(*placed.history, shipped))
