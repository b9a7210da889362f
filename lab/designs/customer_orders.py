"""A customer's orders of one status between two days (A6): by Scan, by Query, by composite key."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.lists.places import timestamp
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import OneOf
from dynamo.lists.site_reader import read
from lab.bench.order_data import CUSTOMER
from lab.designs.figures import DesignFigures, SubjectFigures, Writing
from lab.designs.order_tables import (
    ENTERED,
    TABLE,
    OrderTable,
    OrderTables,
    new_orders,
    order_id_in,
    shown,
)
from lab.designs.reading import ReadCase, cases_of_list, measure_readings
from lab.designs.scanning import Sieve, cut_out, query, scan
from lab.designs.tables import Lab
from lab.designs.writing import WriteCase, measure_writings
from shop import keys
from shop.order_status import Status
from shop.orders.access_patterns import plan_for_user
from shop.orders.filters import OrderFilter
from shop.orders.items import NewOrder

NAME = "customer orders"
QUESTION = "shipped in 2022"
ASKED = OrderFilter(statuses=(Status.SHIPPED,), since=date(2022, 1, 1), until=date(2023, 1, 1))
PLACE, SHIP = "an order placed", "an order shipped"

ReadList = Callable[[OrderFilter, PageRequest], Sequence[Item]]


@dataclass(frozen=True, slots=True)
class CustomerDesign:
    """A way to read a customer's orders, and the table it reads them from."""

    name: str
    table: OrderTable
    read: ReadList


def compare_customer_orders(lab: Lab, orders: OrderTables) -> SubjectFigures:
    """Ask each design for the same list. Raises WrongAnswer."""
    designs = (
        CustomerDesign("scan", orders.bare, _by_scan),
        CustomerDesign("filter", orders.bare, _by_query),
        CustomerDesign("composite", orders.by_status, _by_composite_key),
    )
    readings = measure_readings(lab, [c for d in designs for c in _cases(lab, d, orders)])
    number = len(orders.answers.of_customer(ASKED))
    data = orders.data
    return SubjectFigures(
        name=NAME,
        data=(
            f"{data.count:,} orders, made for this: {data.of_customer:,} of one customer, who is "
            f"asked about, and {data.queued:,} open ones of others."
        ),
        questions={QUESTION: f"{number:,} of the customer's {data.of_customer:,} orders"},
        designs=tuple(
            DesignFigures(
                d.name,
                readings[d.name],
                _write(lab, d, after=orders.latest + timedelta(days=number)),
            )
            for number, d in enumerate(designs)  # each later than those before: two share a table
        ),
    )


def _cases(lab: Lab, design: CustomerDesign, orders: OrderTables) -> Iterator[ReadCase]:
    return cases_of_list(
        lab,
        orders.answers.of_customer(ASKED),
        partial(design.read, ASKED),
        design=design.name,
        question=QUESTION,
        table=design.table.table,
        shown_at=orders.shown_at,
    )


def _by_scan(chosen: OrderFilter, request: PageRequest) -> Sequence[Item]:
    customer = OneOf("pk", ({"S": keys.user(CUSTOMER)},))
    found = scan(client(), TABLE, _sieve(chosen, customer))
    return [shown(item) for item in cut_out(found, request, place=_entered)]


def _by_query(chosen: OrderFilter, request: PageRequest) -> Sequence[Item]:
    """Read all orders of the customer: they stand in the order of placing, not of shipping."""
    found = query(
        client(),
        TABLE,
        partition=keys.user(CUSTOMER),
        prefix=keys.ORDER_PREFIX,
        sieve=_sieve(chosen),
    )
    return [shown(item) for item in cut_out(found, request, place=_entered)]


def _by_composite_key(chosen: OrderFilter, request: PageRequest) -> Sequence[Item]:
    page = read(plan_for_user(CUSTOMER, chosen).runs, request)
    return [shown(entry.item) for entry in page.entries]


def _sieve(chosen: OrderFilter, *more: OneOf) -> Sieve:
    statuses = OneOf("status", tuple({"S": status.value} for status in chosen.statuses))
    since, until = chosen.since_moment, chosen.until_moment
    within = {ENTERED: (timestamp(since), timestamp(until))} if since and until else {}
    return Sieve((statuses, *more), within)


def _entered(item: Item) -> str:
    moment: str = item[ENTERED]["S"]
    return f"{moment}#{order_id_in(item)}"


def _write(lab: Lab, design: CustomerDesign, *, after: datetime) -> tuple[Writing, ...]:
    steps = [
        (action, order)
        for pair in new_orders(lab.turns, after=after)
        for action, order in zip((PLACE, SHIP), pair, strict=True)
    ]
    return measure_writings(
        lab,
        [
            WriteCase(
                action=action,
                table=design.table.table,
                write=partial(design.table.put, order, shard=0),
                looks=[partial(_is_first, design.read, order)],
                key=design.table.key_of(order),
            )
            for action, order in steps
        ],
    )


def _is_first(read_list: ReadList, order: NewOrder) -> bool:
    """Tell whether an order is the latest of those in its status."""
    found = read_list(OrderFilter(statuses=(order.now_in.status,)), PageRequest(1))
    return [order_id_in(item) for item in found] == [order.id]
