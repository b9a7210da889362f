"""Orders: a customer's of one status between two days (A6), and the shop's open ones (A7)."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import partial

from django.conf import settings
from django.utils.translation import gettext_noop as _
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from dynamo.items import Item
from dynamo.lists.places import timestamp
from dynamo.lists.reader import Order, PageRequest
from dynamo.lists.runs import Position, Run
from dynamo.lists.site_reader import read
from lab.bench.order_data import CUSTOMER
from lab.designs.measuring import Answer, Design, Question, WriteCase, measure_designs
from lab.designs.order_tables import (
    ENTERED,
    ONE_PARTITION,
    TABLE,
    OrderTable,
    OrderTables,
    new_orders,
    order_id_in,
    shown,
)
from lab.designs.scanning import cut_out, query, scan
from lab.designs.tables import Lab
from lab.reports.design_figures import SubjectFigures
from shop import keys
from shop.models import Order as OrderItem
from shop.order_status import OPEN, Status
from shop.orders.access_patterns import QUEUE, plan_for_user
from shop.orders.filters import OrderFilter
from shop.orders.items import NewOrder
from shop.orders.queries import list_open_orders

CUSTOMER_ORDERS, OPEN_ORDERS = "customer orders", "open orders"
SHIPPED_IN_2022, ALL_OPEN = _("shipped in 2022"), _("all open")
ASKED = OrderFilter(statuses=(Status.SHIPPED,), since=date(2022, 1, 1), until=date(2023, 1, 1))
PLACE, SHIP = _("an order placed"), _("an order shipped")

ReadOwn = Callable[[OrderFilter, PageRequest], Answer]
ReadOpen = Callable[[PageRequest], Answer]


def compare_customer_orders(lab: Lab, orders: OrderTables) -> SubjectFigures:
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
        name=CUSTOMER_ORDERS,
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


def compare_open_orders(lab: Lab, orders: OrderTables) -> SubjectFigures:
    """Measure each design for the open orders. Raises WrongAnswer and NeverConsistent."""
    designs = (
        ("scan", orders.bare, _open_by_scan),
        ("unsharded", orders.unsharded, _open_by_one_partition),
        ("sharded", orders.sharded, _open_by_shards),
    )
    positions = orders.answers.queue(())
    return measure_designs(
        lab,
        name=OPEN_ORDERS,
        data=(
            f"The same {orders.data.count:,} orders; sharded, each of {len(OPEN)} open statuses "
            f"lies in {settings.ORDER_SHARDS} partitions."
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
                shards=settings.ORDER_SHARDS,
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
                write=partial(table.put, order, shard=number % shards),
                looks=[partial(look, order)],
                key=table.key_of(order),
            )
            for number, (action, order) in enumerate(steps)
        ]

    return Design(name, table.table, lambda _question, request: read_page(request), writes)


def _own_by_scan(chosen: OrderFilter, request: PageRequest) -> Answer:
    condition = _matches(chosen) & (OrderItem.pk == keys.user(CUSTOMER))
    found = scan(TABLE, condition)
    return [shown(item) for item in cut_out(found, request, place=_place_entered)]


def _own_by_query(chosen: OrderFilter, request: PageRequest) -> Answer:
    """Read all orders of the customer, which lie in the order of placing, not of shipping."""
    own = OrderItem.pk == keys.user(CUSTOMER)
    found = query(TABLE, own & OrderItem.sk.startswith(keys.ORDER_PREFIX), _matches(chosen))
    return [shown(item) for item in cut_out(found, request, place=_place_entered)]


def _own_by_composite_key(chosen: OrderFilter, request: PageRequest) -> Answer:
    page = read(plan_for_user(CUSTOMER, chosen).runs, request)
    return [shown(entry.item) for entry in page.entries]


def _matches(chosen: OrderFilter) -> Condition:
    condition = OrderItem.status.is_in(*(status.value for status in chosen.statuses))
    since, until = chosen.since_moment, chosen.until_moment
    if since and until:
        condition &= Path(ENTERED) >= timestamp(since)
        condition &= Path(ENTERED) < timestamp(until)
    return condition


def _open_by_scan(request: PageRequest) -> Answer:
    found = scan(TABLE, OrderItem.status.is_in(*(status.value for status in OPEN)))
    ordered = cut_out(found, request, place=_place_placed, order=Order.OLDEST_FIRST)
    return [shown(item) for item in ordered]


def _open_by_one_partition(request: PageRequest) -> Answer:
    page = read([Run(QUEUE, ONE_PARTITION)], request, order=Order.OLDEST_FIRST)
    return [shown(entry.item) for entry in page.entries]


def _open_by_shards(request: PageRequest) -> Answer:
    return [shown(entry.item) for entry in list_open_orders(OrderFilter(), request).page.entries]


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
