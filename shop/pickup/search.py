"""The nearest points to a place, exactly, from the nearest cells outwards.

The pattern "Geo-Hashing" reads the cell of a place and its eight neighbours, which is exact only
if they hold enough points. Here each round reads the cells, and the directories of areas with many
points, that may hold something within a radius: one within which enough points are expected by
what the directories counted, then that of the last point wanted. The search ends when no unread
cell can hold a nearer one. The bounds hold on the sphere, across the antimeridian and the poles.

Cells without points in the directory are not read (see `shop.pickup.frontier`).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from dynamo.calls.pool import Pool
from dynamo.lists.merging import Entry
from dynamo.lists.reader import Page, RunRead
from dynamo.lists.runs import Chunk, Run, Source
from shop import keys
from shop.pickup.cells import Coordinates, distance, geohash_of
from shop.pickup.frontier import Frontier, Stretch
from shop.pickup.points import WORLD, PickupPoint, point_of

Counts = Mapping[str, Mapping[str, int]]
"""Counts of points by directory and cell."""


class Directory(Protocol):
    """Counts points: for the world (`WORLD`) by areas, for an area by its cells."""

    def __call__(self, names: Sequence[str]) -> Counts:
        """Return the counts of each directory by cell; empty cells may be left out."""


@dataclass(frozen=True, slots=True)
class NearPoint:
    """A point, and its distance in metres."""

    point: PickupPoint
    metres: float


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest points, by distance and id, and how they were read."""

    points: tuple[NearPoint, ...]
    page: Page


@dataclass(frozen=True, slots=True)
class _Found:
    near: NearPoint
    entry: Entry

    @property
    def place(self) -> tuple[float, str]:
        return self.near.metres, self.near.point.id


def find_nearest(
    origin: Coordinates, count: int, *, directory: Directory, source: Source, pool: Pool
) -> Nearest:
    """Find the ``count`` points nearest to a place by distance and id, or all if there are fewer.

    Reads the directories of the world and of one area first; then, in each round, directories of
    further areas and cells. What the directory or the source raises passes through.
    """
    search = _Search(origin, count)
    home = keys.area_of(geohash_of(origin))
    search.begin(home, directory([WORLD, home]))
    while any(following := search.next_round()):
        areas, stretches = following
        calls: list[Callable[[], Chunk | Counts]] = [
            partial(search.read, source, stretch) for stretch in stretches
        ]
        if areas:
            calls.append(partial(directory, areas))
        answers = pool.gather(calls)
        search.take(stretches, [answer for answer in answers if isinstance(answer, Chunk)])
        for answer in answers:
            if not isinstance(answer, Chunk):
                search.open(answer)
    return search.result()


class _Search:
    def __init__(self, origin: Coordinates, count: int) -> None:
        self._origin = origin
        self._count = count
        self._frontier = Frontier(origin, count)
        self._found: list[_Found] = []
        self._reads: list[RunRead] = []
        self._rounds = 0

    def begin(self, home: str, counts: Counts) -> None:
        """Add the areas of the world, and the cells of the area that the search begins in."""
        for area, number in counts.get(WORLD, {}).items():
            self._frontier.add(area, number)
        if home in counts.get(WORLD, {}):
            self._frontier.open(home, counts.get(home, {}))

    def open(self, directories: Counts) -> None:
        """Replace areas by their cells."""
        for area, counts in directories.items():
            self._frontier.open(area, counts)

    def next_round(self) -> tuple[list[str], list[Stretch]]:
        """Return which directories and which cells to read next; neither at the end."""
        return self._frontier.take([one.near.metres for one in self._found])

    def read(self, source: Source, stretch: Stretch) -> Chunk:
        """Read the cells of a stretch by one query."""
        limit = self._frontier.limit(stretch)
        return source.query(stretch.run, behind=stretch.behind, limit=limit, ascending=True)

    def take(self, stretches: Sequence[Stretch], chunks: Sequence[Chunk]) -> None:
        """Keep the nearest points of a round; add what is left of its cells to the frontier."""
        self._rounds += 1
        found = list(self._found)
        for stretch, chunk in zip(stretches, chunks, strict=True):
            run = stretch.run
            found += [self._found_in(run, item) for item in chunk.items]
            self._reads.append(RunRead(run, 1, chunk.items_read, 0, chunk.capacity_units))
            if chunk.last is not None:
                self._frontier.put_back(stretch, chunk.last, items_read=chunk.items_read)
        self._found = sorted(found, key=lambda one: one.place)[: self._count]

    def result(self) -> Nearest:
        """Return the points found."""
        entries = tuple(
            replace(one.entry, position=replace(one.entry.position, ordinal=ordinal))
            for ordinal, one in enumerate(self._found, 1)
        )
        shown = Counter(id(one.entry.run) for one in self._found)
        reads = tuple(replace(r, items_returned=shown[id(r.run)]) for r in self._reads)
        page = Page(entries, has_next=False, has_previous=False, rounds=self._rounds, reads=reads)
        return Nearest(tuple(one.near for one in self._found), page)

    def _found_in(self, run: Run, item: Mapping[str, Mapping[str, object]]) -> _Found:
        point = point_of(item)
        entry = Entry(item, run.position_of(item), run)
        return _Found(NearPoint(point, distance(self._origin, point.place)), entry)
