"""An order as the actions of a transaction."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from django.dispatch import Signal

from dynapages.calls import clock, labelled_calls
from dynapages.writes import Action, Deltas
from shop.activity.entries import Kind, LogEntry, LogVerb, record
from shop.models import Order, OrderPointer, ShopItem
from shop.order_status import OPEN, Status
from shop.table import QUEUE, Key, counters_of, put_of, queue_cells

DERIVED = ("order_status_date", "order_open_date", "open_shard", "open_place")
"""The keys that follow from an order's status; a closed order has the first one alone."""


def put_actions(items: Iterable[ShopItem]) -> dict[Key, Action]:
    """Build the puts of items, by their table keys; orders and pointers only where absent.

    Of those that are there, `dynapages.writes.transactions.ConditionFailed` carries the item.
    """
    return {(item.pk, item.sk): _put(item) for item in items}


def _put(item: ShopItem) -> Action:
    # A purchase, an edge with a key of its own, is put again by each order of the product.
    is_pointer = isinstance(item, OrderPointer) and item.pk == item.sk
    if is_pointer or isinstance(item, Order):
        return put_of(item, ShopItem.pk.does_not_exist(), return_item=True)
    return put_of(item)


order_placed = Signal()
"""An order was placed; arguments as of `order_moved`, without ``source`` and ``target``."""
order_moved = Signal()
"""An order entered the status ``target`` from ``source``, both a `Status`.

``order_id``, ``username`` of its customer, ``by`` (a user name, empty for a command or an import)
and ``moment`` (aware). Sent once, after the write is committed; what a receiver raises is logged.
"""


def tell_placed(order_id: str, username: str, at: datetime, *, by: str = "") -> None:
    """Send `order_placed`."""
    order_placed.send_robust(Order, order_id=order_id, username=username, by=by, moment=at)


def tell_moved(
    order_id: str, username: str, source: Status, target: Status, *, at: datetime, by: str = ""
) -> None:
    """Send `order_moved`."""
    about = {"order_id": order_id, "username": username, "by": by, "moment": at}
    order_moved.send_robust(Order, **about, source=source, target=target)


def log_order(
    *, order_id: str, username: str, who: str, source: Status | None, target: Status, at: datetime
) -> None:
    """Log that ``who`` moved a customer's order to a status, or (from None) placed it."""
    record(
        LogEntry(
            kind=Kind.ORDER,
            action=LogVerb.MOVED if source else LogVerb.PLACED,
            moment=at,
            who=who,
            subject=order_id,
            about=username,
            was=source.value if source else "",
            became=target.value,
        )
    )


CUSTOMER_PREFIX = "ORDERS#"


def counts_of(username: str) -> dict[Status, int]:
    """Read how many orders a customer has in each status, as of the last write."""
    name = counter_of(username)
    with labelled_calls("counts"):
        return _by_status(counters_of(name).read(name, consistent=True), Status)


queue_counted = Signal()
"""Sent when the open orders were counted: ``count``, and the moment ``at``."""


def queue_lengths() -> dict[Status, int]:
    """Read how many orders of the whole shop are in each open status."""
    return queue_lengths_and_shards()[0]


def queue_lengths_and_shards() -> tuple[dict[Status, int], int]:
    """Read how many orders are in each open status, and how many shards each status has.

    Eventually consistent, as the queue is. Their sum is remembered for the navigation.
    """
    now = clock.now()
    with labelled_calls("counts"):
        cells, shards = queue_cells()
    lengths = _by_status(cells, OPEN)
    queue_counted.send(Status, count=sum(lengths.values()), at=now)
    return lengths, shards


def _by_status(cells: Mapping[str, int], statuses: Iterable[Status]) -> dict[Status, int]:
    return {status: cells.get(status.value, 0) for status in statuses}


def counter_of(username: str) -> str:
    """Return the name of a customer's counter."""
    return f"{CUSTOMER_PREFIX}{username}"


def deltas_of(username: str, *, left: Status | None, entered: Status) -> Deltas:
    """Return the changes of counts as an order leaves a status (None if new) and enters one."""
    customer = Counter({entered.value: 1})
    if left is not None:
        customer[left.value] -= 1
    queue = {cell: n for cell, n in customer.items() if Status(cell).is_open}
    return {counter_of(username): customer, QUEUE: queue}


def sum_of(changes: Iterable[Deltas]) -> Deltas:
    """Add up the changes of several orders, for one transaction."""
    sums: dict[str, Counter[str]] = {}
    for deltas in changes:
        for name, cells in deltas.items():
            sums.setdefault(name, Counter()).update(cells)
    return sums
