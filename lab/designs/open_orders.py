"""The shop's open orders, oldest first (A7): by Scan, and by a sparse index, whole or sharded."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.lists.places import timestamp
from dynamo.lists.reader import Order, PageRequest
from dynamo.lists.runs import OneOf, Position, Run
from dynamo.lists.site_reader import read
from lab.designs.customer_orders import PLACE, SHIP
from lab.designs.figures import DesignFigures, SubjectFigures, Writing
from lab.designs.order_tables import (
    ONE_PARTITION,
    TABLE,
    OrderTable,
    OrderTables,
    new_orders,
    order_id_in,
    shown,
)
from lab.designs.reading import ReadCase, cases_of_list, measure_readings
from lab.designs.scanning import Sieve, cut_out, scan
from lab.designs.tables import Lab
from lab.designs.writing import WriteCase, measure_writings
from shop.order_status import OPEN
from shop.orders.access_patterns import QUEUE
from shop.orders.items import NewOrder
from shop.orders.queries import list_open_orders

NAME = "open orders"
QUESTION = "all open"

ReadList = Callable[[PageRequest], Sequence[Item]]


@dataclass(frozen=True, slots=True)
class QueueDesign:
    """A way to read the open orders, and the table it reads them from."""

    name: str
    table: OrderTable
    read: ReadList


def compare_open_orders(lab: Lab, orders: OrderTables) -> SubjectFigures:
    """Ask each design for the same list. Raises WrongAnswer."""
    designs = (
        QueueDesign("scan", orders.bare, _by_scan),
        QueueDesign("unsharded", orders.unsharded, _by_one_partition),
        QueueDesign("sharded", orders.sharded, _by_shards),
    )
    readings = measure_readings(lab, [c for d in designs for c in _cases(lab, d, orders)])
    number = len(orders.answers.queue(()))
    return SubjectFigures(
        name=NAME,
        data=(
            f"The same {orders.data.count:,} orders; sharded, each of {len(OPEN)} open statuses "
            f"lies in {settings.ORDER_SHARDS} partitions."
        ),
        questions={QUESTION: f"{number:,} open orders"},
        designs=tuple(
            DesignFigures(d.name, readings[d.name], _write(lab, d, orders)) for d in designs
        ),
    )


def _cases(lab: Lab, design: QueueDesign, orders: OrderTables) -> Iterator[ReadCase]:
    return cases_of_list(
        lab,
        orders.answers.queue(()),
        design.read,
        design=design.name,
        question=QUESTION,
        table=design.table.table,
        shown_at=orders.shown_at,
    )


def _by_scan(request: PageRequest) -> Sequence[Item]:
    sieve = Sieve((OneOf("status", tuple({"S": status.value} for status in OPEN)),))
    found = scan(client(), TABLE, sieve)
    ordered = cut_out(found, request, place=_placed, order=Order.OLDEST_FIRST)
    return [shown(item) for item in ordered]


def _by_one_partition(request: PageRequest) -> Sequence[Item]:
    page = read([Run(QUEUE, ONE_PARTITION)], request, order=Order.OLDEST_FIRST)
    return [shown(entry.item) for entry in page.entries]


def _by_shards(request: PageRequest) -> Sequence[Item]:
    return [shown(entry.item) for entry in list_open_orders((), request).page.entries]


def _placed(item: Item) -> str:
    moment: str = item["placed_at"]["S"]
    return f"{moment}#{order_id_in(item)}"


def _write(lab: Lab, design: QueueDesign, orders: OrderTables) -> tuple[Writing, ...]:
    steps = [
        (action, order, is_open)
        for pair in new_orders(lab.turns, after=orders.latest)
        for action, order, is_open in zip((PLACE, SHIP), pair, (True, False), strict=True)
    ]
    return measure_writings(
        lab,
        [
            WriteCase(
                action=action,
                table=design.table.table,
                write=partial(design.table.put, order, shard=number % settings.ORDER_SHARDS),
                looks=[partial(_is_listed, design.read, order, is_open=is_open)],
                key=design.table.key_of(order),
            )
            for number, (action, order, is_open) in enumerate(steps)
        ],
    )


def _is_listed(read_list: ReadList, order: NewOrder, *, is_open: bool) -> bool:
    """Tell whether an order stands, or no longer stands, where it would in the list."""
    just_before = Position(timestamp(order.placed_at), order.username)
    found = read_list(PageRequest(1, just_before))
    return (order.id in map(order_id_in, found)) is is_open
