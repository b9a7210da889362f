"""The directory: how many pickup points there are in each cell, as exact counters.

The counter of the world (`WORLD`) has a cell for each area, and each area has a counter with the
cells in it. A search reads them to know which cells hold points at all.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from dynapages.writes import Deltas
from shop.pickup.items import PickupPoint, counted_cells
from shop.table import counters_of

COUNTER_PREFIX = "PICKUP#"
"""Of the counters' names; the name of a directory follows."""
ATTRIBUTE_PREFIX = "_"
"""Of the attribute that counts a cell, as a cell may be called ``pk`` or ``sk``."""


def read_directories(
    names: Sequence[str], *, consistent: bool = False
) -> dict[str, dict[str, int]]:
    """Return the number of points in each cell, by directory; empty cells are left out.

    One read for each directory and shard, all in one round.
    """
    counters = counters_of(COUNTER_PREFIX)
    counter_names = [_counter_name(name) for name in names]
    sums = counters.read_many(counter_names, consistent=consistent)
    directories = {}
    for name in names:
        counts = sums[_counter_name(name)].items()
        directories[name] = {cell_of_attribute(attribute): count for attribute, count in counts}
    return directories


def count_changes(*, added: Iterable[PickupPoint], removed: Iterable[PickupPoint]) -> Deltas:
    """Return what to add to the counters when these points are added and removed."""
    deltas: dict[str, Counter[str]] = {}
    for points, change in ((added, 1), (removed, -1)):
        for point in points:
            for counter, attribute in counter_cells(point):
                deltas.setdefault(counter, Counter())[attribute] += change
    return deltas


def counter_cells(point: PickupPoint) -> Iterator[tuple[str, str]]:
    """Yield the name of each counter that a point counts in, and of the attribute there."""
    for directory, cell in counted_cells(point).items():
        yield _counter_name(directory), f"{ATTRIBUTE_PREFIX}{cell}"


def cell_of_attribute(attribute: str) -> str:
    """Return the cell that an attribute of a counter counts."""
    return attribute.removeprefix(ATTRIBUTE_PREFIX)


def _counter_name(directory: str) -> str:
    """Return the name of a directory's counter."""
    return f"{COUNTER_PREFIX}{directory}"
