"""Orders: a customer's of one status between two days (A6), and the shop's open ones (A7).

They are in four tables: the same ones, each with the keys that one design needs and no others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.utils.translation import gettext_noop as _
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from dynapages.items import Item, Value, table_key
from dynapages.lists import Order, Page, PageRequest, Position, Run, id_at, sort_key_of, timestamp
from dynapages.process import client, read
from lab.bench.data import CUSTOMER, OrderAnswers, OrderData, shards_item
from lab.designs.measuring import (
    Answer,
    Design,
    Lab,
    LabTable,
    Layout,
    Question,
    WriteCase,
    cut_out,
    every_item,
    measure_designs,
)
from lab.reports.results import Results
from shop import keys
from shop.days import Days
from shop.models import ORDER_SHOWN, ByStatus, Queue, ShopItem
from shop.models import Order as OrderItem
from shop.order_status import OPEN, Status
from shop.orders.filters import QUEUE, OrderFilter, plan_for_user
from shop.orders.ids import imported_order_id
from shop.orders.items import NewOrder, StatusChange, order_items
from shop.orders.queries import list_open_orders

TABLE = ShopItem.Meta.table_name
ENTERED = "entered_at"
"""When an order entered its status: an attribute of its own where no key contains it."""
ONE_PARTITION = "OPEN"
SHARDS = 4
"""Of each open status, where the design has several."""
_STATUS_KEY = OrderItem.order_status_date.attr_name
_QUEUE_KEYS = (OrderItem.open_shard.attr_name, OrderItem.open_place.attr_name)
_DERIVED = {
    _STATUS_KEY,
    *_QUEUE_KEYS,
    OrderItem.order_open_date.attr_name,
    OrderItem.shard.attr_name,
}
_OPEN = Queue.Meta.index_name

BuildItem = Callable[[NewOrder, int], Item]
"""Builds an order's item as a table has it; the number is its shard."""


class OrderTable(NamedTuple):
    """A table that holds the orders, and how it stores them."""

    table: LabTable
    item_of: BuildItem


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
                yield item_of(order, number % SHARDS)
            yield from besides

        lab.fill(table, items(), total=len(orders) + len(besides))
        return OrderTable(table, item_of)

    return OrderTables(
        data=data,
        answers=OrderAnswers(orders),
        shown={order.id: shown(_bare(order, 0)) for order in orders},
        latest=max(order.now_in.moment for order in orders),
        bare=load("orders", _bare),
        by_status=load("orders-by-status", _by_status, ByStatus.Meta.index_name),
        unsharded=load("orders-one-shard", _unsharded, _OPEN),
        sharded=load("orders-sharded", _sharded, _OPEN, besides=[shards_item(SHARDS)]),
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
    item = order_items(order, shard=shard).order.serialize()
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
    place = sort_key_of(order.placed_at, order.id)
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


SHIPPED_IN_2022, ALL_OPEN = _("shipped in 2022"), _("all open")
ASKED = OrderFilter((Status.SHIPPED,), Days(date(2022, 1, 1), date(2023, 1, 1)))
PLACE, SHIP = _("an order placed"), _("an order shipped")

ReadOwn = Callable[[OrderFilter, PageRequest], Answer]
ReadOpen = Callable[[PageRequest], Answer]


def compare_customer_orders(lab: Lab, orders: OrderTables) -> Results:
    """Measure each design for a customer's orders. Raises WrongAnswer and NeverConsistent."""
    designs = (
        ("scan", orders.bare, _own_by_scan),
        ("filter", orders.bare, _own_by_query),
        ("composite", orders.by_status, _own_by_composite_key),
    )
    positions = orders.answers.of_customer(ASKED)
    about = f"{len(positions):,} of the customer's {orders.data.of_customer:,} orders"
    return measure_designs(
        lab,
        name="customer orders",
        data=(
            f"{orders.data.count:,} orders, made for this: {orders.data.of_customer:,} of one "
            f"customer, who is asked about, and {orders.data.queued:,} open ones of others."
        ),
        questions={SHIPPED_IN_2022: Question(about, positions, orders.shown_at)},
        designs=[
            _design(
                lab,
                name,
                table,
                partial(read_own, ASKED),
                look=partial(_is_latest, read_own),
                after=orders.latest + timedelta(days=number),  # as two share a table
            )
            for number, (name, table, read_own) in enumerate(designs)
        ],
    )


def compare_open_orders(lab: Lab, orders: OrderTables) -> Results:
    """Measure each design for the open orders. Raises WrongAnswer and NeverConsistent."""
    designs = (
        ("scan", orders.bare, _open_by_scan),
        ("unsharded", orders.unsharded, _open_by_one_partition),
        ("sharded", orders.sharded, _open_by_shards),
    )
    positions = orders.answers.queue(())
    return measure_designs(
        lab,
        name="open orders",
        data=(
            f"The same {orders.data.count:,} orders; sharded, each of {len(OPEN)} open statuses "
            f"lies in {SHARDS} partitions."
        ),
        questions={
            ALL_OPEN: Question(f"{len(positions):,} open orders", positions, orders.shown_at)
        },
        designs=[
            _design(
                lab,
                name,
                table,
                read_open,
                look=partial(_is_listed, read_open),
                after=orders.latest,
                shards=SHARDS,
            )
            for name, table, read_open in designs
        ],
    )


def _design(
    lab: Lab,
    name: str,
    table: OrderTable,
    read_page: ReadOpen,
    *,
    look: Callable[[NewOrder], bool],
    after: datetime,
    shards: int = 1,
) -> Design:
    def writes() -> Sequence[WriteCase]:
        pairs = new_orders(lab.turns, after=after)
        steps = [step for pair in pairs for step in zip((PLACE, SHIP), pair, strict=True)]
        return [
            WriteCase(
                action=action,
                write=partial(_put, table.item_of(order, number % shards)),
                looks=[partial(look, order)],
                key=table_key(keys.user(order.username), keys.order(order.id)),
            )
            for number, (action, order) in enumerate(steps)
        ]

    return Design(name, table.table, lambda _question, request: read_page(request), writes)


def _put(item: Item) -> None:
    client().put_item(TableName=TABLE, Item=item)


def _own_by_scan(chosen: OrderFilter, request: PageRequest) -> Answer:
    condition = _matches(chosen) & (OrderItem.pk == keys.user(CUSTOMER))
    found = every_item(TABLE, condition)
    return [shown(item) for item in cut_out(found, request, place=_place_entered)]


def _own_by_query(chosen: OrderFilter, request: PageRequest) -> Answer:
    """Read all orders of the customer, which lie in the order of placing, not of shipping."""
    own = OrderItem.pk == keys.user(CUSTOMER)
    key = own & OrderItem.sk.startswith(keys.ORDER_PREFIX)
    found = every_item(TABLE, _matches(chosen), key=key)
    return [shown(item) for item in cut_out(found, request, place=_place_entered)]


def _own_by_composite_key(chosen: OrderFilter, request: PageRequest) -> Answer:
    return _shown_on(read(plan_for_user(CUSTOMER, chosen).runs, request))


def _matches(chosen: OrderFilter) -> Condition:
    condition = OrderItem.status.is_in(*(status.value for status in chosen.statuses))
    since, until = chosen.days.moments
    if since and until:
        condition &= Path(ENTERED) >= timestamp(since)
        condition &= Path(ENTERED) < timestamp(until)
    return condition


def _open_by_scan(request: PageRequest) -> Answer:
    found = every_item(TABLE, OrderItem.status.is_in(*(status.value for status in OPEN)))
    ordered = cut_out(found, request, place=_place_placed, order=Order.OLDEST_FIRST)
    return [shown(item) for item in ordered]


def _open_by_one_partition(request: PageRequest) -> Answer:
    return _shown_on(read([Run(QUEUE, ONE_PARTITION)], request, order=Order.OLDEST_FIRST))


def _open_by_shards(request: PageRequest) -> Answer:
    return _shown_on(list_open_orders(OrderFilter(), request).page)


def _shown_on(page: Page) -> Answer:
    return [shown(entry.item) for entry in page.entries]


def _place_entered(item: Item) -> str:
    return f"{item[ENTERED]['S']}#{order_id_in(item)}"


def _place_placed(item: Item) -> str:
    return f"{item[OrderItem.placed_at.attr_name]['S']}#{order_id_in(item)}"


def _is_latest(read_own: ReadOwn, order: NewOrder) -> bool:
    """Return whether an order is the latest of those in its status."""
    found = read_own(OrderFilter(statuses=(order.now_in.status,)), PageRequest(1))
    return [order_id_in(item) for item in found] == [order.id]


def _is_listed(read_open: ReadOpen, order: NewOrder) -> bool:
    """Return whether an order is at its place in the list, or a closed one no longer is."""
    just_before = Position(timestamp(order.placed_at), order.username)
    found = read_open(PageRequest(1, just_before))
    return (order.id in map(order_id_in, found)) is order.now_in.status.is_open
