"""The frontier of a search for pickup points: the cells not read yet, and which a round reads.

The directory counts the points of a cell. One with many is divided without being read; the points
of its parts are then expected, not counted. Neighbours with few are read by one query, a *stretch*.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import inf

from dynapages.lists import Position, Run
from shop import keys
from shop.pickup.cells import (
    Coordinates,
    children,
    greatest_distance,
    is_smallest,
    least_distance,
)
from shop.table import BY_KEY

QUERIES_IN_A_ROUND = 16
"""At most; and as many directories."""
POINTS_READ_UNDIVIDED = 64
"""Points that are read in one query rather than divided further: two units."""
POINTS_READ_TOGETHER = 16
"""Points of several cells that one query reads: as a rule those of half a unit."""
SURPLUS = 4
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
        # As the area of a disc grows with the square of its radius.
        depth = max(0.0, radius - self.nearest) / (self.farthest - self.nearest)
        return self.expected * depth**2


@dataclass(frozen=True, slots=True)
class Stretch:
    """Cells of one area that one query reads, in the order of sort keys."""

    cells: tuple[Waiting, ...]

    @property
    def area(self) -> str:
        """The area that all its cells are in."""
        return keys.area_of(self.cells[0].cell)

    @property
    def run(self) -> Run:
        """The run that one query reads: a cell by its prefix, several as a range."""
        first, last = self.cells[0].cell, self.cells[-1].cell
        if first == last:
            return Run(BY_KEY, partition=keys.area(first), prefix=first)
        return Run(BY_KEY, partition=keys.area(first), since=first, until=f"{last}~")

    @property
    def behind(self) -> Position | None:
        """Where reading its first cell stopped; a cell that was begun is read by itself."""
        return self.cells[0].behind

    @property
    def expected(self) -> float:
        """How many points its cells hold together."""
        return sum(cell.expected for cell in self.cells)

    @property
    def nearest(self) -> float:
        """A lower bound, in metres, on the distance of its points."""
        return min(cell.nearest for cell in self.cells)


class Frontier:
    """The cells still to read, as seen from ``origin``, in a search for ``count`` points."""

    def __init__(self, origin: Coordinates, count: int) -> None:
        self._origin = origin
        self._count = count
        self._most_undivided = max(POINTS_READ_UNDIVIDED, count)
        self._areas: dict[str, Cells] = {}
        self._rounds = 0

    def add(self, area: str, number: int) -> None:
        """Add an area, of which only the number of its points is known."""
        self._areas[area] = {area: self._waiting(area, number)}

    def open(self, area: str, counts: Mapping[str, int]) -> None:
        """Replace an area by the cells of its directory, of which ``counts`` has the points."""
        self._areas[area] = {cell: self._waiting(cell, number) for cell, number in counts.items()}

    def next_round(self, distances: Sequence[float]) -> tuple[list[str], list[Stretch]]:
        """Remove and return what the next round reads: names of directories, and stretches.

        ``distances`` are those in metres of the nearest points read so far, ``count`` at most, in
        order. Both lists are empty when no nearer point is left.
        """
        radius, opening_radius = self._radii(distances)
        to_open: list[Waiting] = []
        stretches: list[Stretch] = []
        for area, cells in self._areas.items():
            whole = cells.get(area)
            # An area whose directory was not read; with few points it is read as one cell.
            if whole and whole.expected > POINTS_READ_UNDIVIDED:
                if whole.nearest <= opening_radius:
                    to_open.append(whole)
                continue
            near = [cell for cell in cells.values() if cell and cell.nearest <= radius]
            if near:
                stretches += _stretches(cells, self._divide(cells, near, radius))
        chosen = self._nearest_of(stretches, missing=self._count - len(distances))
        if chosen:
            self._rounds += 1
        for stretch in chosen:
            cells = self._areas[stretch.area]
            for waiting in stretch.cells:
                cells[waiting.cell] = None
        to_open.sort(key=_nearest_distance)
        return [area.cell for area in to_open[:QUERIES_IN_A_ROUND]], chosen

    def limit(self, stretch: Stretch) -> int:
        """Return the most items that the query of a stretch asks for.

        What is counted is read to its end, unless points were added since.
        """
        is_counted = all(cell.is_counted for cell in stretch.cells)
        if is_counted:
            return 2 * self._most_undivided
        return self._most_undivided

    def put_back(self, stretch: Stretch, last: Position, *, items_read: int) -> None:
        """Add what the query of a stretch did not reach: it stopped at ``last``."""
        cells = self._areas[stretch.area]
        sort_key = str(stretch.run.prefix) + last.place
        # Cells in front of ``last`` were read to their end.
        for waiting in stretch.cells:
            if sort_key.startswith(waiting.cell):
                stop = replace(last, place=sort_key.removeprefix(waiting.cell))
                cells.update(self._rest(waiting, stop, items_read))
            elif waiting.cell > sort_key:
                cells[waiting.cell] = waiting

    # How far a round reads

    def _radii(self, distances: Sequence[float]) -> tuple[float, float]:
        """Return how far a round reads, and how far it opens directories, in metres.

        It reads where enough points are expected, even if as many were read: the first ones may be
        far. Later it reads where a point can be as near as the last one read. Directories are
        opened halfway to where enough points are sure to be, to save rounds.
        """
        missing = self._count - len(distances)
        most = inf if missing else distances[-1]
        if self._rounds > 1 and not missing:
            return most, most
        enough = self._count + missing * (GROWTH**self._rounds - 1)
        waiting = self._all_waiting()
        sure = _radius_that_holds(enough, waiting, distances)
        if sure == inf:
            return most, most
        # Between nothing and the sure radius, the least that is expected to hold enough.
        near = [cell for cell in waiting if cell.nearest <= sure]
        low, high = 0.0, sure
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            expected = sum(cell.expected_within(middle) for cell in near)
            if bisect_right(distances, middle) + expected >= enough:
                high = middle
            else:
                low = middle
        return min(high, most), min((high + sure) / 2, most)

    def _all_waiting(self) -> list[Waiting]:
        """Return the cells of all areas that were not read to their end."""
        waiting = []
        for cells in self._areas.values():
            waiting += [cell for cell in cells.values() if cell]
        return waiting

    def _nearest_of(self, stretches: list[Stretch], *, missing: int) -> list[Stretch]:
        """Return the nearest stretches, while points are missing no more than hold enough."""
        stretches.sort(key=_nearest_distance)
        most = missing * SURPLUS ** (self._rounds + 1) or inf
        chosen: list[Stretch] = []
        expected = 0.0
        for stretch in stretches[:QUERIES_IN_A_ROUND]:
            if expected >= most:
                break
            chosen.append(stretch)
            expected += stretch.expected
        return chosen

    # Cells and their parts

    def _divide(self, cells: Cells, near: Sequence[Waiting], radius: float) -> set[str]:
        """Divide the cells in ``near`` that hold many; return the names of those to read."""
        unseen, names = list(near), set()
        while unseen:
            waiting = unseen.pop()
            if waiting.expected <= self._most_undivided or is_smallest(waiting.cell):
                names.add(waiting.cell)
                continue
            del cells[waiting.cell]
            parts = children(waiting.cell)
            for name in parts:
                part = self._waiting(name, waiting.expected / len(parts), is_counted=False)
                cells[name] = part
                if part.nearest <= radius:
                    unseen.append(part)
        return names

    def _rest(self, waiting: Waiting, stop: Position, items_read: int) -> Cells:
        """Return the parts of a cell, as dense behind ``stop`` as in front of it."""
        if is_smallest(waiting.cell):
            return {waiting.cell: replace(waiting, behind=stop)}
        parts = children(waiting.cell)
        reached = parts.index(waiting.cell + stop.place[0])
        # As many items were read in each part as on average in those reached.
        expected = items_read / (reached + 1)
        rest: Cells = dict.fromkeys(parts[:reached])
        for part in parts[reached:]:
            rest[part] = self._waiting(part, expected, is_counted=False)
        stopped_in = parts[reached]
        rest[stopped_in] = replace(
            self._waiting(stopped_in, expected, is_counted=False),
            behind=replace(stop, place=stop.place[1:]),
        )
        return rest

    def _waiting(self, cell: str, expected: float, *, is_counted: bool = True) -> Waiting:
        """Build a cell with the bounds of its distance from the origin."""
        nearest = least_distance(self._origin, cell)
        farthest = greatest_distance(self._origin, cell)
        return Waiting(cell, nearest, farthest, expected, is_counted)


def _nearest_distance(cells: Waiting | Stretch) -> float:
    return cells.nearest


def _radius_that_holds(
    enough: float, waiting: Sequence[Waiting], distances: Sequence[float]
) -> float:
    """Return the least radius within which as many points are sure to be, or infinity."""
    ends = [(cell.farthest, cell.expected) for cell in waiting]
    ends += [(distance, 1) for distance in distances]
    ends.sort()
    sums = accumulate(number for _end, number in ends)
    for (end, _number), points in zip(ends, sums, strict=True):
        if points >= enough:
            return end
    return inf


def _stretches(cells: Cells, chosen: set[str]) -> Iterator[Stretch]:
    """Yield the chosen cells of an area, together those that half a unit reads.

    A stretch contains no cell that was read: no point is read twice.
    """
    stretch: list[Waiting] = []
    between: list[Waiting] = []
    for name, waiting in sorted(cells.items()):
        if waiting is None:
            if stretch:
                yield Stretch(tuple(stretch))
                stretch = []
            continue
        if name not in chosen:
            between.append(waiting)
            continue
        longer = [*stretch, *between, waiting]
        if stretch and _is_one_query(longer):
            stretch, between = longer, []
            continue
        if stretch:
            yield Stretch(tuple(stretch))
        stretch, between = [waiting], []
    if stretch:
        yield Stretch(tuple(stretch))


def _is_one_query(cells: Sequence[Waiting]) -> bool:
    """Return whether one query may read these cells: few points, and none that was begun."""
    first, last = cells[0], cells[-1]
    if first.behind or last.behind:
        return False
    return sum(cell.expected for cell in cells) <= POINTS_READ_TOGETHER
