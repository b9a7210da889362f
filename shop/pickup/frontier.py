"""The frontier of a search: cells that were not read yet, the nearest first.

A cell that holds many points by the directory is divided without being read; one that holds more
than expected is divided where its reading stopped. The *reach* is a radius within which the
counted cells hold enough points.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import accumulate
from math import inf

from dynamo.lists.runs import Position, Run
from shop import keys
from shop.indexes import TABLE
from shop.pickup.cells import PRECISION, children, farthest, nearest
from shop.pickup.coordinates import Coordinates

AT_ONCE = 9
"""Cells that a round reads, or areas whose directories it reads."""
FEW = 64
"""Points that are read in one query rather than divided further: two units."""


@dataclass(frozen=True, slots=True, order=True)
class Waiting:
    """A cell that was not read to its end, or an area whose directory was not read."""

    nearest: float
    cell: str
    expected: float = field(compare=False)
    behind: Position | None = field(default=None, compare=False)

    @property
    def is_area(self) -> bool:
        return len(self.cell) == keys.AREA_CHARACTERS

    @property
    def run(self) -> Run:
        return Run(TABLE, partition=keys.area(self.cell), prefix=self.cell)


class Frontier:
    """The cells still to read, as seen from ``origin``, in a search for ``count`` points."""

    def __init__(self, origin: Coordinates, count: int) -> None:
        self._origin = origin
        self._count = count
        self._few = max(FEW, count)
        self._waiting: list[Waiting] = []
        self._promised: dict[str, tuple[float, int]] = {}
        self._reach = inf

    @property
    def limit(self) -> int:
        """The most items that one query asks for."""
        return 2 * self._few

    def add(self, counts: Mapping[str, int], *, in_place_of: str | None = None) -> None:
        """Add the cells of a directory; those of an area replace it."""
        if in_place_of is not None:
            self._promised.pop(in_place_of, None)
        for cell, number in counts.items():
            self._wait(cell, number)
            self._promised[cell] = (farthest(self._origin, cell), number)
        within = sorted(self._promised.values())
        sums = accumulate(number for _, number in within)
        enough = (far for (far, _), sum_ in zip(within, sums, strict=True) if sum_ >= self._count)
        self._reach = next(enough, inf)

    def add_rest(self, waiting: Waiting, last: Position) -> None:
        """Add what a read did not reach: the cell it stopped in, and those behind it."""
        for rest in self._rest(waiting, last):
            heappush(self._waiting, rest)

    def take(self, *, radius: float, enough: float) -> list[Waiting]:
        """Remove and return the nearest cells, or else areas, that may hold points in ``radius``.

        At most nine, and no more cells than are expected to hold ``enough`` points.
        """
        batch: list[Waiting] = []
        while len(batch) < AT_ONCE and enough > 0 and self._matters(batch, radius):
            waiting = heappop(self._waiting)
            if self._is_divided(waiting):
                continue
            batch.append(waiting)
            enough -= 0 if waiting.is_area else waiting.expected
        if not batch and self._waiting and self._reach < radius:
            self._promised.clear()  # the counted points are gone meanwhile: search farther
            self._reach = inf
            return self.take(radius=radius, enough=enough)
        return batch

    def _matters(self, batch: list[Waiting], radius: float) -> bool:
        if not self._waiting:
            return False
        first = self._waiting[0]
        is_near = first.nearest <= min(self._reach, radius)
        return is_near and (not batch or first.is_area is batch[0].is_area)

    def _is_divided(self, waiting: Waiting) -> bool:
        is_small = waiting.expected <= self._few or len(waiting.cell) >= PRECISION
        if waiting.is_area or is_small:
            return False
        cells = children(waiting.cell)
        for cell in cells:
            self._wait(cell, waiting.expected / len(cells))
        return True

    def _wait(self, cell: str, expected: float) -> None:
        heappush(self._waiting, Waiting(nearest(self._origin, cell), cell, expected))

    def _rest(self, waiting: Waiting, last: Position) -> Iterator[Waiting]:
        if len(waiting.cell) >= PRECISION:
            yield replace(waiting, behind=last)
            return
        stopped_in, rest_of_place = last.place[0], last.place[1:]
        for cell in children(waiting.cell):
            if cell[-1] >= stopped_in:
                behind = replace(last, place=rest_of_place) if cell[-1] == stopped_in else None
                yield Waiting(nearest(self._origin, cell), cell, self._few / 2, behind)
