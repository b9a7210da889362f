"""Orders of a customer, of one status between two days (A6), and open orders of the shop (A7).

Each design has the same orders, with the keys that it needs and no others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from django.utils.translation import gettext_noop as _
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from dynapages.django.options import Progress
from dynapages.items import Item, table_key
from dynapages.lists import Order, Page, PageRequest, Position, Run, id_at, sort_key_of, timestamp
from dynapages.process import client, read
from dynapages.pynamodb import DynamoModel
from lab.bench.data import CUSTOMER, OrderAnswers, OrderData, shards_item
from lab.designs.measuring import (
    Design,
    SubjectList,
    WriteCase,
    compare_designs,
    cut_sorted,
    filtered_items,
)
from lab.figures import SubjectFigures
from shop import keys
from shop.days import Days
from shop.models import ORDER_SHOWN, ByStatus, Queue, ShopItem
from shop.models import Order as OrderItem
from shop.order_status import OPEN, Status
from shop.orders.filters import QUEUE, OrderFilter, plan_for_user
from shop.orders.ids import imported_order_id
from shop.orders.items import NewOrder, StatusChange, order_items
from shop.orders.queries import list_open_orders

CUSTOMER_ORDERS, OPEN_ORDERS = "customer orders", "open orders"
SHIPPED_IN_2022, ALL_OPEN = _("shipped in 2022"), _("all open")
PLACE, SHIP = _("an order placed"), _("an order shipped")
PAIRS_OF_WRITES = 5
SHIPPED_FILTER = OrderFilter((Status.SHIPPED,), Days(date(2022, 1, 1), date(2023, 1, 1)))

TABLE = ShopItem.Meta.table_name
ENTERED_AT = "entered_at"
"""When an order entered its status: an attribute of its own where no key contains it."""
ONE_PARTITION = "OPEN"
SHARDS = 4
"""Of each open status, where the design has several."""
STATUS_KEY = OrderItem.order_status_date.attr_name
OPEN_PARTITION_KEY = OrderItem.open_shard.attr_name
OPEN_SORT_KEY = OrderItem.open_place.attr_name
DERIVED_ATTRIBUTES = {
    STATUS_KEY,
    OPEN_PARTITION_KEY,
    OPEN_SORT_KEY,
    OrderItem.order_open_date.attr_name,
    OrderItem.shard.attr_name,
}


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders that are stored, and the right answers about them."""

    data: OrderData
    all: Sequence[NewOrder]

    @classmethod
    def make(cls, data: OrderData) -> "Orders":
        """Make the orders of a data set."""
        return cls(data, list(data.orders()))

    @property
    def answers(self) -> OrderAnswers:
        return OrderAnswers(self.all)

    @property
    def latest(self) -> datetime:
        """The latest moment that an order entered its status."""
        return max(order.now_in.moment for order in self.all)

    def shown(self) -> dict[str, Item]:
        """Return what lists show of each order, by its id."""
        return {order.id: shown_part(bare_item(order)) for order in self.all}


# Items.


def bare_item(order: NewOrder, *derived: str) -> Item:
    """Build an order's item without the attributes of any index but some."""
    return {**_stored_item(order, 0, *derived), **_entered(order)}


def _stored_item(order: NewOrder, shard: int, *derived: str) -> Item:
    left_out = DERIVED_ATTRIBUTES.difference(derived)
    item = order_items(order, shard=shard).order.serialize()
    return {name: value for name, value in item.items() if name not in left_out}


def _entered(order: NewOrder) -> Item:
    return {ENTERED_AT: {"S": timestamp(order.now_in.moment)}}


def shown_part(item: Item) -> Item:
    """Return an item's key and what a list of orders shows of it."""
    shown_names = {"pk", "sk", *ORDER_SHOWN}
    return {name: value for name, value in item.items() if name in shown_names}


def order_id_in(item: Item) -> str:
    """Return the id of the order that an item is of."""
    sort_key: str = item["sk"]["S"]
    return sort_key.removeprefix(keys.ORDER_PREFIX)


def _entered_sort_key(item: Item) -> str:
    return f"{item[ENTERED_AT]['S']}#{order_id_in(item)}"


def _placed_sort_key(item: Item) -> str:
    return f"{item[OrderItem.placed_at.attr_name]['S']}#{order_id_in(item)}"


def _shown_on(page: Page) -> list[Item]:
    return [shown_part(entry.item) for entry in page.entries]


# Designs.


class OrderDesign(Design[NewOrder]):
    """A way to store the orders and to read a list of them; subclasses are the designs."""

    model: type[DynamoModel] = ShopItem

    def __init__(self, orders: Orders) -> None:
        self.orders = orders

    def items(self) -> Iterator[Item]:
        for number, order in enumerate(self.orders.all):
            yield self.item_of(order, number % SHARDS)

    def item_of(self, order: NewOrder, shard: int) -> Item:
        """Build the item of an order; ``shard`` is where an open one is, in designs with shards."""
        return bare_item(order)

    def write_cases(self) -> Iterator[WriteCase[NewOrder]]:
        for placed, shipped in new_orders(PAIRS_OF_WRITES, after=self.orders.latest):
            key = table_key(keys.user(placed.username), keys.order(placed.id))
            yield WriteCase(PLACE, key, placed)
            yield WriteCase(SHIP, key, shipped)

    def write(self, record: NewOrder) -> None:
        # New orders are an hour apart: the shards take turns.
        shard = record.placed_at.hour % SHARDS
        client().put_item(TableName=TABLE, Item=self.item_of(record, shard))


class CustomerOrders(OrderDesign):
    """A design for a customer's orders of some statuses between two days, latest first."""

    def read(self, list_name: str, request: PageRequest) -> Sequence[Item]:
        return self.read_customer_orders(SHIPPED_FILTER, request)

    def read_customer_orders(self, chosen: OrderFilter, request: PageRequest) -> list[Item]:
        """Read a page of the customer's orders."""
        raise NotImplementedError

    def is_shown(self, record: NewOrder) -> bool:
        """Return whether an order is the latest of those in its status."""
        in_its_status = OrderFilter(statuses=(record.now_in.status,))
        latest = self.read_customer_orders(in_its_status, PageRequest(1))
        return [order_id_in(item) for item in latest] == [record.id]


class ScanCustomerOrders(CustomerOrders):
    """A Scan of the orders of all customers."""

    name = "scan"

    def read_customer_orders(self, chosen: OrderFilter, request: PageRequest) -> list[Item]:
        condition = _matches(chosen) & (OrderItem.pk == keys.user(CUSTOMER))
        matching = filtered_items(TABLE, condition)
        page = cut_sorted(matching, request, sort_key=_entered_sort_key)
        return [shown_part(item) for item in page]


class QueryCustomerOrders(CustomerOrders):
    """A Query of all orders of the customer, which lie in the order of placing, not of shipping."""

    name = "filter"

    def read_customer_orders(self, chosen: OrderFilter, request: PageRequest) -> list[Item]:
        key = OrderItem.pk == keys.user(CUSTOMER)
        key &= OrderItem.sk.startswith(keys.ORDER_PREFIX)
        # No part of the key narrows the days: what is shipped in them may be placed at any time.
        matching = filtered_items(TABLE, _matches(chosen), key=key)
        page = cut_sorted(matching, request, sort_key=_entered_sort_key)
        return [shown_part(item) for item in page]


class CompositeKey(CustomerOrders):
    """An index whose sort key joins status and moment: the site's design."""

    name = "composite"
    indexes: Sequence[str] = (ByStatus.Meta.index_name,)

    def item_of(self, order: NewOrder, shard: int) -> Item:
        return _stored_item(order, shard, STATUS_KEY)

    def read_customer_orders(self, chosen: OrderFilter, request: PageRequest) -> list[Item]:
        return _shown_on(read(plan_for_user(CUSTOMER, chosen).runs, request))


def _matches(chosen: OrderFilter) -> Condition:
    condition = OrderItem.status.is_in(*(status.value for status in chosen.statuses))
    since, until = chosen.days.moments
    if since and until:
        condition &= Path(ENTERED_AT) >= timestamp(since)
        condition &= Path(ENTERED_AT) < timestamp(until)
    return condition


class OpenOrders(OrderDesign):
    """A design for all open orders, oldest first."""

    def is_shown(self, record: NewOrder) -> bool:
        """Return whether an order is in its place in the list, or a closed one no longer is."""
        # The list begins years before: only what lies behind this moment can be the order.
        just_before = Position(timestamp(record.placed_at), record.username)
        shown = self.read(ALL_OPEN, PageRequest(1, just_before))
        is_in_list = record.id in [order_id_in(item) for item in shown]
        return is_in_list is record.now_in.status.is_open


class ScanOpenOrders(OpenOrders):
    """A Scan of all orders there ever were."""

    name = "scan"

    def read(self, list_name: str, request: PageRequest) -> Sequence[Item]:
        matching = filtered_items(TABLE, OrderItem.status.is_in(*(one.value for one in OPEN)))
        page = cut_sorted(matching, request, sort_key=_placed_sort_key, order=Order.OLDEST_FIRST)
        return [shown_part(item) for item in page]


class OnePartition(OpenOrders):
    """An index of open orders alone (sparse), in one partition."""

    name = "unsharded"
    indexes: Sequence[str] = (Queue.Meta.index_name,)

    def item_of(self, order: NewOrder, shard: int) -> Item:
        if not order.now_in.status.is_open:
            return bare_item(order)
        sort_key = sort_key_of(order.placed_at, order.id)
        index_key = {OPEN_PARTITION_KEY: {"S": ONE_PARTITION}, OPEN_SORT_KEY: {"S": sort_key}}
        return {**bare_item(order), **index_key}

    def read(self, list_name: str, request: PageRequest) -> Sequence[Item]:
        return _shown_on(read([Run(QUEUE, ONE_PARTITION)], request, order=Order.OLDEST_FIRST))


class Sharded(OpenOrders):
    """An index of open orders alone, in several partitions: the site's design."""

    name = "sharded"
    indexes: Sequence[str] = (Queue.Meta.index_name,)

    def items(self) -> Iterator[Item]:
        yield from super().items()
        yield shards_item(SHARDS)

    def item_of(self, order: NewOrder, shard: int) -> Item:
        return {
            **_stored_item(order, shard, OPEN_PARTITION_KEY, OPEN_SORT_KEY),
            **_entered(order),
        }

    def read(self, list_name: str, request: PageRequest) -> Sequence[Item]:
        return _shown_on(list_open_orders(OrderFilter(), request).page)


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


# The comparisons.


def compare_customer_orders(
    orders: Orders, *, page_size: int, progress: Progress
) -> SubjectFigures:
    """Compare designs for a customer's orders. Raises WrongAnswer and NeverConsistent."""
    positions = orders.answers.of_customer(SHIPPED_FILTER)
    about = f"{len(positions):,} of the customer's {orders.data.of_customer:,} orders"
    return compare_designs(
        CUSTOMER_ORDERS,
        f"{orders.data.count:,} orders, made for this: {orders.data.of_customer:,} of one "
        f"customer, who is asked about, and {orders.data.queued:,} open ones of others.",
        [_subject_list(SHIPPED_IN_2022, about, positions, orders)],
        [ScanCustomerOrders(orders), QueryCustomerOrders(orders), CompositeKey(orders)],
        page_size=page_size,
        progress=progress,
    )


def compare_open_orders(orders: Orders, *, page_size: int, progress: Progress) -> SubjectFigures:
    """Compare designs for the open orders. Raises WrongAnswer and NeverConsistent."""
    positions = orders.answers.queue(())
    return compare_designs(
        OPEN_ORDERS,
        f"The same {orders.data.count:,} orders; sharded, each of {len(OPEN)} open statuses "
        f"lies in {SHARDS} partitions.",
        [_subject_list(ALL_OPEN, f"{len(positions):,} open orders", positions, orders)],
        [ScanOpenOrders(orders), OnePartition(orders), Sharded(orders)],
        page_size=page_size,
        progress=progress,
    )


def _subject_list(
    name: str, about: str, positions: Sequence[Position], orders: Orders
) -> SubjectList:
    shown = orders.shown()

    def shown_at(sort_keys: Sequence[str]) -> list[Item]:
        return [shown[id_at(sort_key)] for sort_key in sort_keys]

    return SubjectList(name, about, positions, shown_at)
