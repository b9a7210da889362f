"""The frontier of a search: the cells that were not read yet, and which of them a round reads.

The directory counts the points of a cell. One with many is divided without being read; the points
of its parts are then expected, not counted. Neighbours with few are read by one query.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import inf

from dynapages.lists import Position, Run
from shop import keys
from shop.pickup.cells import Coordinates, children, farthest, is_smallest, nearest
from shop.table import BY_KEY

AT_ONCE = 16
"""Queries of a round, at most, and directories."""
FEW = 64
"""Points that are read in one query rather than divided further: two units."""
TOGETHER = 16
"""Points of several cells that one query reads: as a rule those of half a unit."""
ENOUGH = 4
"""How many times the missing points the cells of the first round may hold; squared in the next."""
GROWTH = 1.5
"""How many times the missing points each further round expects, as the last one was mistaken."""
HALVINGS = 24
"""Steps that find a radius on half the globe to some metres."""

Cells = dict[str, "Waiting | None"]
"""The cells of an area by name; None for one that was read."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A cell that was not read to its end, or an area whose directory was not read.

    ``nearest`` and ``farthest`` are bounds on the distance of its points in metres. ``expected`` is
    how many points it holds, by the directory if ``is_counted``. ``behind`` is where reading it
    stopped.
    """

    cell: str
    nearest: float
    farthest: float
    expected: float
    is_counted: bool
    behind: Position | None = None

    def expected_within(self, radius: float) -> float:
        """Return how many of its points are expected within a radius in metres."""
        if radius >= self.farthest:
            return self.expected
        depth = max(0.0, radius - self.nearest) / (self.farthest - self.nearest)
        return self.expected * depth**2


@dataclass(frozen=True, slots=True)
class Stretch:
    """Cells of one area that one query reads, in the order of sort keys."""

    cells: tuple[Waiting, ...]

    @property
    def area(self) -> str:
        return keys.area_of(self.cells[0].cell)

    @property
    def run(self) -> Run:
        first, last = self.cells[0].cell, self.cells[-1].cell
        if first == last:
            return Run(BY_KEY, partition=keys.area(first), prefix=first)
        return Run(BY_KEY, partition=keys.area(first), since=first, until=f"{last}~")

    @property
    def behind(self) -> Position | None:
        return self.cells[0].behind

    @property
    def expected(self) -> float:
        return sum(cell.expected for cell in self.cells)

    @property
    def nearest(self) -> float:
        return min(cell.nearest for cell in self.cells)


class Frontier:
    """The cells still to read, as seen from ``origin``, in a search for ``count`` points."""

    def __init__(self, origin: Coordinates, count: int) -> None:
        self._origin = origin
        self._count = count
        self._few = max(FEW, count)
        self._areas: dict[str, Cells] = {}
        self._rounds = 0

    def add(self, area: str, number: int) -> None:
        """Add an area, of which only the number of its points is known."""
        self._areas[area] = {area: self._waiting(area, number)}

    def open(self, area: str, counts: Mapping[str, int]) -> None:
        """Replace an area by the cells of its directory."""
        self._areas[area] = {cell: self._waiting(cell, number) for cell, number in counts.items()}

    def take(self, found: Sequence[float]) -> tuple[list[str], list[Stretch]]:
        """Remove and return what the next round reads: names of directories, and stretches.

        ``found`` are the distances in metres of the nearest points found so far, ``count`` at most,
        in order. Nothing is returned when no nearer point is left.
        """
        radius, opening = self._radii(found)
        opened: list[Waiting] = []
        stretches: list[Stretch] = []
        for area, cells in self._areas.items():
            whole = cells.get(area)
            if whole and whole.expected > FEW:
                opened += [whole] if whole.nearest <= opening else []
            elif near := [cell for cell in cells.values() if cell and cell.nearest <= radius]:
                stretches += _stretches(cells, self._divided(cells, near, radius))
        taken = self._nearest_of(stretches, missing=self._count - len(found))
        self._rounds += bool(taken)
        for stretch in taken:
            self._areas[stretch.area].update((cell.cell, None) for cell in stretch.cells)
        names = [waiting.cell for waiting in sorted(opened, key=lambda area: area.nearest)]
        return names[:AT_ONCE], taken

    def limit(self, stretch: Stretch) -> int:
        """Return the most items that the query of a stretch asks for.

        What is counted is read to its end, unless points were added since.
        """
        is_counted = all(cell.is_counted for cell in stretch.cells)
        return 2 * self._few if is_counted else self._few

    def put_back(self, stretch: Stretch, last: Position, *, items_read: int) -> None:
        """Add what the query of a stretch did not reach: it stopped at ``last``."""
        cells = self._areas[stretch.area]
        sort_key = str(stretch.run.prefix) + last.place
        for waiting in stretch.cells:
            if sort_key.startswith(waiting.cell):
                stop = replace(last, place=sort_key.removeprefix(waiting.cell))
                cells.update(self._rest(waiting, stop, items_read))
            elif waiting.cell > sort_key:
                cells[waiting.cell] = waiting

    def _radii(self, found: Sequence[float]) -> tuple[float, float]:
        """Return how far a round reads, and how far it opens directories, in metres.

        It reads where enough points are expected, even if as many were found: the first ones found
        may be far. Later it reads where a point can be as near as the last one found. Directories
        are opened halfway to where enough points are sure to be, to save rounds.
        """
        missing = self._count - len(found)
        most = inf if missing else found[-1]
        if self._rounds > 1 and not missing:
            return most, most
        wanted = self._count + missing * (GROWTH**self._rounds - 1)
        waiting = [cell for cells in self._areas.values() for cell in cells.values() if cell]
        ends = sorted(
            [(cell.farthest, cell.expected) for cell in waiting] + [(m, 1) for m in found]
        )
        sums = accumulate(number for _, number in ends)
        sure = next((end for (end, _), sum_ in zip(ends, sums, strict=True) if sum_ >= wanted), inf)
        if sure == inf:
            return most, most
        near, low, far = [cell for cell in waiting if cell.nearest <= sure], 0.0, sure
        for _ in range(HALVINGS):
            middle = (low + far) / 2
            expected = sum(cell.expected_within(middle) for cell in near)
            if bisect_right(found, middle) + expected >= wanted:
                far = middle
            else:
                low = middle
        return min(far, most), min((far + sure) / 2, most)

    def _nearest_of(self, stretches: list[Stretch], *, missing: int) -> list[Stretch]:
        """Return the nearest stretches, while points are missing no more than hold enough."""
        stretches.sort(key=lambda stretch: stretch.nearest)
        ahead = accumulate((stretch.expected for stretch in stretches), initial=0.0)
        most = missing * ENOUGH ** (self._rounds + 1) or inf
        return [s for s, before in zip(stretches, ahead, strict=False) if before < most][:AT_ONCE]

    def _divided(self, cells: Cells, near: Sequence[Waiting], radius: float) -> set[str]:
        """Divide the cells in ``near`` that hold many; return the names of those to read."""
        left, names = list(near), set()
        while left:
            waiting = left.pop()
            if waiting.expected <= self._few or is_smallest(waiting.cell):
                names.add(waiting.cell)
                continue
            parts = children(waiting.cell)
            each = waiting.expected / len(parts)
            guessed = {part: self._waiting(part, each, is_counted=False) for part in parts}
            del cells[waiting.cell]
            cells.update(guessed)
            left += [part for part in guessed.values() if part.nearest <= radius]
        return names

    def _rest(self, waiting: Waiting, stop: Position, items_read: int) -> Cells:
        """Return the parts of a cell, as dense behind ``stop`` as in front of it."""
        if is_smallest(waiting.cell):
            return {waiting.cell: replace(waiting, behind=stop)}
        parts = children(waiting.cell)
        reached = [part[-1] for part in parts].index(stop.place[0])
        each = items_read / (reached + 1)
        rest: Cells = dict.fromkeys(parts[:reached])
        for part in parts[reached:]:
            rest[part] = self._waiting(part, each, is_counted=False)
        stopped_in = replace(
            self._waiting(parts[reached], each, is_counted=False),
            behind=replace(stop, place=stop.place[1:]),
        )
        return rest | {stopped_in.cell: stopped_in}

    def _waiting(self, cell: str, expected: float, *, is_counted: bool = True) -> Waiting:
        here = self._origin
        return Waiting(cell, nearest(here, cell), farthest(here, cell), expected, is_counted)


def _stretches(cells: Cells, wanted: set[str]) -> Iterator[Stretch]:
    """Yield the wanted cells of an area, together those that half a unit reads.

    A stretch contains no cell that was read: no point is read twice.
    """
    stretch: list[Waiting] = []
    between: list[Waiting] = []
    for name, waiting in sorted(cells.items()):
        if name in wanted and waiting:
            longer = [*stretch, *between, waiting]
            fits = sum(cell.expected for cell in longer) <= TOGETHER
            if stretch and fits and not stretch[0].behind and not waiting.behind:
                stretch, between = longer, []
                continue
        if stretch and (waiting is None or name in wanted):
            yield Stretch(tuple(stretch))
            stretch = []
        if waiting and name in wanted:
            stretch, between = [waiting], []
        elif waiting:
            between.append(waiting)
    if stretch:
        yield Stretch(tuple(stretch))
