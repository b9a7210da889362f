"""The directory: how many pickup points there are in each area, and in each cell of an area.

It keeps a search from reading empty cells. One counter counts the areas of the world, and one for
each area its cells: at most 1,024 each, or eight kilobytes. They change in the transaction that
writes a point, so they are exact. Follows "Write Sharding (Table)" of the pattern list.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from dynamo.writes.counters import Deltas
from shop.pickup.points import PickupPoint, counted_in
from shop.table import counters_of

COUNTER_PREFIX = "PICKUP#"


def read_directories(
    names: Sequence[str], *, consistent: bool = False
) -> dict[str, dict[str, int]]:
    """Read the counts of the world and of areas by their cells; empty cells are left out."""
    counters = counters_of(COUNTER_PREFIX)
    found = counters.read_many([_counter(name) for name in names], consistent=consistent)
    return {
        name: {cell_in(cell): number for cell, number in found[_counter(name)].items()}
        for name in names
    }


def deltas_of(*, added: Iterable[PickupPoint], removed: Iterable[PickupPoint]) -> Deltas:
    """Return the changes of the directory."""
    deltas: dict[str, Counter[str]] = {}
    for points, number in ((added, 1), (removed, -1)):
        for point in points:
            for name, cell in counter_cells(point):
                deltas.setdefault(name, Counter())[cell] += number
    return deltas


def counter_cells(point: PickupPoint) -> list[tuple[str, str]]:
    """Return the counters that a point counts in, each with the name of its cell there."""
    return [(_counter(name), _spelled(cell)) for name, cell in counted_in(point).items()]


def cell_in(attribute: str) -> str:
    """Return the cell that an attribute of a counter counts."""
    return attribute[1:]


def _counter(name: str) -> str:
    return f"{COUNTER_PREFIX}{name}"


def _spelled(cell: str) -> str:
    # ``pk`` and ``sk`` are cells as well as attributes.
    return f"_{cell}"
