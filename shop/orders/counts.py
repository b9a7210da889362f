"""How many orders are in each status: of each customer, and of the whole shop's open ones.

The counters change in the transactions that write orders; `count_changes` says by how much.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from dynapages.calls import clock, labelled_calls
from dynapages.writes import Deltas
from shop.order_status import OPEN, Status
from shop.orders.signals import queue_counted
from shop.table import QUEUE, counters_of, queue_cells

CUSTOMER_PREFIX = "ORDERS#"
"""How the names of customers' counters begin."""


def customer_counter(username: str) -> str:
    """Return the name of a customer's counter."""
    return f"{CUSTOMER_PREFIX}{username}"


def read_customer_counts(username: str) -> dict[Status, int]:
    """Read how many orders a customer has in each status, as of the last write."""
    name = customer_counter(username)
    with labelled_calls("counts"):
        cells = counters_of(name).read(name, consistent=True)
    return _by_status(cells, Status)


def read_queue_lengths() -> dict[Status, int]:
    """Read how many orders of the whole shop are in each open status."""
    lengths, _shards = read_queue_lengths_and_shards()
    return lengths


def read_queue_lengths_and_shards() -> tuple[dict[Status, int], int]:
    """Read how many orders are in each open status, and how many shards each status has.

    Eventually consistent, as the queue is. Their sum is sent to the navigation by `queue_counted`.
    """
    now = clock.now()  # of before the read: what happens meanwhile may not be in it
    with labelled_calls("counts"):
        cells, shards = queue_cells()
    lengths = _by_status(cells, OPEN)
    queue_counted.send(Status, count=sum(lengths.values()), at=now)
    return lengths, shards


def _by_status(cells: Mapping[str, int], statuses: Iterable[Status]) -> dict[Status, int]:
    return {status: cells.get(status.value, 0) for status in statuses}


def count_changes(username: str, *, left: Status | None, entered: Status) -> Deltas:
    """Return the changes of counts as an order leaves a status (None if new) and enters one."""
    of_customer = Counter({entered.value: 1})
    if left is not None:
        of_customer[left.value] -= 1
    # Orders that are not open are in no queue.
    of_queue = {cell: n for cell, n in of_customer.items() if Status(cell).is_open}
    return {customer_counter(username): of_customer, QUEUE: of_queue}


def add_up(changes: Iterable[Deltas]) -> Deltas:
    """Add up the changes of several orders, for one transaction."""
    sums: dict[str, Counter[str]] = {}
    for deltas in changes:
        for name, cells in deltas.items():
            sums.setdefault(name, Counter()).update(cells)
    return sums
