"""Exact counts of orders: of each customer by status, and of the open queue.

A status and its counts change in one transaction. Counters get more shards when writers conflict
("Write Sharding (Table)"), the queue's is sharded from the start.
"""

from collections import Counter
from collections.abc import Iterable

from dynamo.calls.meter import labelled_calls
from dynamo.writes.counters import Deltas
from shop.order_status import OPEN, Status
from shop.table import QUEUE, counters_of

CUSTOMER_PREFIX = "ORDERS#"


def counts_of(username: str) -> dict[Status, int]:
    """Read how many orders a customer has in each status, as of the last write."""
    return _read(counter_of(username), tuple(Status))


def queue_lengths() -> dict[Status, int]:
    """Read how many orders of the whole shop are in each open status, as of the last write."""
    return _read(QUEUE, OPEN)


def _read(name: str, statuses: Iterable[Status]) -> dict[Status, int]:
    with labelled_calls("counts"):
        cells = counters_of(name).read(name, consistent=True)
    return {status: cells.get(status.value, 0) for status in statuses}


def counter_of(username: str) -> str:
    """Return the name of a customer's counter."""
    return f"{CUSTOMER_PREFIX}{username}"


def deltas_of(username: str, *, left: Status | None, entered: Status | None) -> Deltas:
    """Return the changes of counts as an order leaves a status (None if new) and enters one."""
    customer: Counter[str] = Counter()
    if entered is not None:
        customer[entered.value] += 1
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
