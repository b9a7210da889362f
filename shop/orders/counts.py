"""Counts of orders: for each customer by status, and of the open queue, exact after every write.

A change of a status and the change of its counts are one transaction. A customer's counter is
one item until writers meet; the queue's, which every order passes through, is spread from the
start. Both spread further by themselves when writers meet ("Write Sharding (Table)").
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from django.conf import settings

from dynamo.calls.batches import Batches
from dynamo.calls.client import client
from dynamo.lists.site_reader import page_batches
from dynamo.writes.actions import Action
from dynamo.writes.counters import Counters, Deltas, write_counted
from dynamo.writes.transactions import Transactions, write_together
from shop import keys
from shop.models import ShopItem
from shop.order_status import OPEN, Status

QUEUE = "OPEN"
CUSTOMER_PREFIX = "ORDERS#"


def counts_of(username: str) -> dict[Status, int]:
    """Read how many orders a customer has in each status, as of the last write."""
    cells = cells_of(counter_of(username))
    return {status: cells.get(status.value, 0) for status in Status}


def queue_lengths() -> dict[Status, int]:
    """Read how many orders of the whole shop are in each open status, as of the last write."""
    cells = cells_of(QUEUE)
    return {status: cells.get(status.value, 0) for status in OPEN}


def counter_of(username: str) -> str:
    """Give the name of a customer's counter."""
    return f"{CUSTOMER_PREFIX}{username}"


def cells_of(name: str) -> dict[str, int]:
    """Read a counter's cells that are not zero, as of the last write."""
    return _counters(name).read(name, consistent=True)


def settle(name: str, cells: Mapping[str, int]) -> None:
    """Make a counter's cells come to what was recounted.

    Raises ConditionFailed when they change at this very moment.
    """
    actions = _counters(name).settle(name, cells)
    if actions:
        write_together(client(), actions)


def deltas_of(username: str, *, left: Status | None, entered: Status | None) -> Deltas:
    """Say what the counts change by when an order of a customer changes its status.

    A new order has left none, a deleted one entered none.
    """
    customer: Counter[str] = Counter()
    if entered is not None:
        customer[entered.value] += 1
    if left is not None:
        customer[left.value] -= 1
    queue = {cell: n for cell, n in customer.items() if Status(cell).is_open}
    return {counter_of(username): customer, QUEUE: queue}


def sum_of(changes: Sequence[Deltas]) -> Deltas:
    """Add up the changes of several orders, for one transaction."""
    sums: dict[str, Counter[str]] = {}
    for deltas in changes:
        for name, cells in deltas.items():
            sums.setdefault(name, Counter()).update(cells)
    return sums


def write_with_counts(actions: Sequence[Action], deltas: Deltas) -> None:
    """Write actions and the changes of counters they bring along, all or nothing.

    Raises like `dynamo.writes.transactions.Transactions.write`; the counters come last, so that the
    numbers of failed actions are those of ``actions``.
    """
    write_counted(actions, deltas, transactions=Transactions(client()), counters=_counters)


def _counters(name: str) -> Counters:
    least = settings.ORDER_SHARDS if name == QUEUE else 1
    return _counters_of(page_batches(), least)


@lru_cache(maxsize=4)
def _counters_of(batches: Batches, least_shards: int) -> Counters:
    """Make counters once for each client: they remember how far they are spread."""
    return Counters.of_table(
        batches,
        table=ShopItem.Meta.table_name,
        key_of=keys.counter,
        least_shards=least_shards,
    )
