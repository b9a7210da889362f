"""Geohash cells: the boxes of latitude and longitude of the prefixes of geohashes.

The geohashes in a cell have a prefix in common, so they are one range of sort keys. Distances are
bounded by the box of a cell on the sphere, as neighbours may differ in all characters.

Towards a pole cells become narrow. A place near a pole, in its *cap*, has instead the geohash that
it would have if the sphere were turned until the pole lay at 0, 0; the letter of the cap is in
front of it. Turning changes no distance.

The *frontier* of a search are the cells that were not read yet; it tells which of them a round
reads. The directory counts the points of a cell. One with many is divided without being read; the
points of its parts are then expected, not counted. Neighbours with few are read by one query.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from math import asin, atan2, cos, degrees, inf, isfinite, pi, radians, sin, sqrt
from typing import Any

import pygeohash

from dynapages.lists import Position, Run
from shop import keys
from shop.keys import CAPS
from shop.table import BY_KEY

EARTH_RADIUS = 6_371_008.8
"""Metres: the mean radius of the Earth (IUGG)."""
HALFWAY_ROUND = pi * EARTH_RADIUS
"""Metres: the greatest distance on the sphere."""
NORTH_POLE, FULL_TURN = 90.0, 360.0
DECIMALS = 6
"""Of a degree: eleven centimetres."""


class BadCoordinates(ValueError):
    """The numbers are no place on Earth; the text says which is out of range."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """A place in degrees, built by `at`. The antimeridian is always -180."""

    latitude: float
    longitude: float

    @classmethod
    def at(cls, latitude: float, longitude: float) -> "Coordinates":
        """Build a place from degrees. Raises BadCoordinates."""
        if not isfinite(latitude) or abs(latitude) > NORTH_POLE:
            raise BadCoordinates(f"the latitude {latitude:.15g} is not between -90 and 90")
        if not isfinite(longitude) or abs(longitude) > FULL_TURN / 2:
            raise BadCoordinates(f"the longitude {longitude:.15g} is not between -180 and 180")
        rounded = round(longitude, DECIMALS) + 0.0
        return cls(
            round(latitude, DECIMALS) + 0.0, -rounded if rounded == FULL_TURN / 2 else rounded
        )

    @classmethod
    def of(cls, item: Mapping[str, Mapping[str, Any]]) -> "Coordinates":
        """Read the place of an item."""
        return cls(float(item["latitude"]["N"]), float(item["longitude"]["N"]))

    def __str__(self) -> str:
        return f"{self.latitude:.8g}, {self.longitude:.9g}"


def distance(here: Coordinates, there: Coordinates) -> float:
    """Return the metres between two places by the haversine formula.

    It differs from the distance on the Earth, not quite a sphere, by at most half a percent.
    """
    return arc(
        radians(here.latitude), radians(there.latitude), radians(there.longitude - here.longitude)
    )


def arc(latitude: float, other: float, turn: float) -> float:
    """Return the metres between two latitudes, ``turn`` apart in longitude; all in radians."""
    half = sin((other - latitude) / 2) ** 2 + cos(latitude) * cos(other) * sin(turn / 2) ** 2
    return 2 * EARTH_RADIUS * asin(min(1.0, sqrt(half)))


ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
"""The characters of a geohash in the order of sort keys."""
PRECISION = 10
"""Characters of a point's geohash: a cell of 1.2 by 0.6 metres."""
CAP_BEGINS = 73.125
"""Degrees of latitude, north and south, where a row of areas ends: beyond most towns."""
SLACK = 1.0
"""Metres added to the bounds for errors of rounding."""
BOXES = 4_096
"""Cells whose boxes are remembered: those of all areas, and some."""
NORTH, SOUTH = CAPS


def geohash_of(place: Coordinates) -> str:
    """Return the geohash of a place, in a cap behind the letter of the cap."""
    cap = ""
    if abs(place.latitude) > CAP_BEGINS:
        cap = NORTH if place.latitude > 0 else SOUTH
        place = _turned(place, cap)
    found: str = pygeohash.encode(place.latitude, place.longitude, precision=PRECISION)
    return cap + found


def nearest(place: Coordinates, cell: str) -> float:
    """Return a lower bound, in metres, on the distance to anything in a cell."""
    return max(0.0, _least(place, cell) - SLACK)


def farthest(place: Coordinates, cell: str) -> float:
    """Return an upper bound, in metres: half the circumference less that to the antipode."""
    east = place.longitude - FULL_TURN / 2
    antipode = Coordinates(-place.latitude, east if east >= -FULL_TURN / 2 else east + FULL_TURN)
    return HALFWAY_ROUND - _least(antipode, cell) + SLACK


def children(cell: str) -> list[str]:
    """Return the 32 cells of a cell."""
    return [cell + character for character in ALPHABET]


def is_smallest(cell: str) -> bool:
    """Return whether a cell is that of a whole geohash."""
    return len(cell) >= PRECISION + cell.startswith(CAPS)


@lru_cache(maxsize=BOXES)
def _box(cell: str) -> pygeohash.BoundingBox:
    return pygeohash.get_bounding_box(cell)


def _least(place: Coordinates, cell: str) -> float:
    if cell.startswith(CAPS):
        place, cell = _turned(place, cell[0]), cell[1:]
    box = _box(cell)
    # Least on the meridian that is turned least from the place, at its foot or an end.
    turn = _turn_to(place.longitude, box.min_lon, box.max_lon)
    latitude = radians(place.latitude)
    low, high = radians(box.min_lat), radians(box.max_lat)
    foot = atan2(sin(latitude), cos(latitude) * cos(turn))
    if low <= foot <= high:
        return arc(latitude, foot, turn)
    return min(arc(latitude, low, turn), arc(latitude, high, turn))


def _turned(place: Coordinates, cap: str) -> Coordinates:
    """Return where a place is after the sphere was turned until the pole of a cap is at 0, 0."""
    latitude, longitude = radians(place.latitude), radians(place.longitude)
    sign = 1 if cap == NORTH else -1
    north = asin(-sign * cos(latitude) * cos(longitude))
    east = atan2(cos(latitude) * sin(longitude), sign * sin(latitude))
    return Coordinates.at(degrees(north), degrees(east))


def _turn_to(longitude: float, west: float, east: float) -> float:
    if west <= longitude <= east:
        return 0.0
    turns = (abs(longitude - edge) % FULL_TURN for edge in (west, east))
    return radians(min(min(turn, FULL_TURN - turn) for turn in turns))


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
