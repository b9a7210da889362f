"""The directory: how many pickup points there are in each area, and in each cell of an area.

It is what keeps a search from reading the sea. The areas of the whole world are the cells of one
counter, and the cells of an area those of another, each with at most 1,024 of them: eight
kilobytes. They change in the transaction that writes a point, so they are exact, and a cell that
they do not name is empty ("Write Sharding (Table)" spreads them when writers meet).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from dynamo.calls.batches import Batches
from dynamo.calls.client import client
from dynamo.lists.site_reader import page_batches
from dynamo.writes.actions import Action
from dynamo.writes.counters import Counters, Deltas, write_counted
from dynamo.writes.transactions import Transactions, write_together
from shop import keys
from shop.models import ShopItem
from shop.pickup.points import PickupPoint, counted_in

COUNTER_PREFIX = "PICKUP#"


def read_directories(
    names: Sequence[str], *, consistent: bool = False
) -> dict[str, dict[str, int]]:
    """Read the counts of the world and of areas by their cells; empty cells are left out."""
    found = _counters().read_many([_counter(name) for name in names], consistent=consistent)
    return {
        name: {cell_in(cell): number for cell, number in found[_counter(name)].items()}
        for name in names
    }


def deltas_of(*, added: Iterable[PickupPoint], removed: Iterable[PickupPoint]) -> Deltas:
    """Say what the directory changes by."""
    deltas: dict[str, Counter[str]] = {}
    for points, number in ((added, 1), (removed, -1)):
        for point in points:
            for name, cell in counted_in(point).items():
                deltas.setdefault(_counter(name), Counter())[_spelled(cell)] += number
    return deltas


def write_with_directory(actions: Sequence[Action], deltas: Deltas) -> None:
    """Write actions and what the directory changes by, all or nothing.

    Raises like `dynamo.writes.transactions.Transactions.write`; the counts come last.
    """
    write_counted(actions, deltas, transactions=Transactions(client()), counters=_counters)


def settle(name: str, counts: Mapping[str, int]) -> None:
    """Make a directory's counts come to what was recounted.

    Raises ConditionFailed when they change at this very moment.
    """
    spelled = {_spelled(cell): number for cell, number in counts.items()}
    actions = _counters().settle(_counter(name), spelled)
    if actions:
        write_together(client(), actions)


def directory_in(partition: str) -> str | None:
    """Give the name of the directory that an item's partition key is of, None if of another."""
    counter = keys.counter_in(partition)
    is_one = partition.startswith(keys.COUNTER_PREFIX) and counter.startswith(COUNTER_PREFIX)
    return counter.removeprefix(COUNTER_PREFIX) if is_one else None


def cell_in(attribute: str) -> str:
    """Give the cell that an attribute of a directory counts."""
    return attribute[1:]


def _counter(name: str) -> str:
    return f"{COUNTER_PREFIX}{name}"


def _spelled(cell: str) -> str:
    """Keep the names of cells apart from those of other attributes: ``pk`` and ``sk`` are both."""
    return f"_{cell}"


def _counters(_name: str = "") -> Counters:
    return _counters_of(page_batches())


@lru_cache(maxsize=4)
def _counters_of(batches: Batches) -> Counters:
    """Make counters once for each client: they remember how far they are spread."""
    return Counters.of_table(batches, table=ShopItem.Meta.table_name, key_of=keys.counter)
