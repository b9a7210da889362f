"""The nearest points to a place, exactly, from the nearest cells outwards.

The pattern "Geo-Hashing" reads the cell of a place and its eight neighbours, which is exact only
if they hold enough points. Here cells are ordered by a lower bound on their distance. Each round
reads the nearest, at most nine at once, until no unread cell can hold a point as near as the last
one wanted. The bounds hold on the sphere, across the antimeridian and the poles too.

Cells without points in the directory are not read, nor those beyond a radius within which it
counts enough (see `shop.pickup.frontier`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Protocol

from dynamo.calls.pool import Pool
from dynamo.lists.merging import Entry
from dynamo.lists.reader import Page, RunRead
from dynamo.lists.runs import Run
from dynamo.lists.sources import Chunk, Source
from shop import keys
from shop.pickup.cells import geohash_of
from shop.pickup.coordinates import Coordinates, distance
from shop.pickup.frontier import Frontier, Waiting
from shop.pickup.points import WORLD, PickupPoint, point_of

AMPLE = 4
"""How many times the missing points a round reads, by expectation."""


class Directory(Protocol):
    """Counts points: for the world (`WORLD`) by areas, for an area by its cells."""

    def __call__(self, names: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
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

    Reads the directories of the world and of one area first; then, in each round, at most nine
    areas' directories or nine cells. What the directory or the source raises passes through.
    """
    search = _Search(origin, count)
    home = geohash_of(origin)[: keys.AREA_CHARACTERS]
    search.begin(home, directory([WORLD, home]))
    while batch := search.next_batch():
        if batch[0].is_area:
            search.open(directory([area.cell for area in batch]))
        else:
            calls = [partial(_read, source, waiting, limit=search.limit) for waiting in batch]
            search.take(batch, pool.gather(calls))
    return search.result()


def _read(source: Source, waiting: Waiting, *, limit: int) -> Chunk:
    return source.query(waiting.run, behind=waiting.behind, limit=limit, ascending=True)


class _Search:
    def __init__(self, origin: Coordinates, count: int) -> None:
        self._origin = origin
        self._count = count
        self._frontier = Frontier(origin, count)
        self._found: list[_Found] = []
        self._reads: list[RunRead] = []
        self._rounds = 0

    @property
    def limit(self) -> int:
        return self._frontier.limit

    def begin(self, home: str, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Add the areas of the world, and the cells of the area that the search begins in."""
        areas = dict(counts.get(WORLD, {}))
        if areas.pop(home, 0):
            self._frontier.add(counts.get(home, {}))
        self._frontier.add(areas)

    def open(self, directories: Mapping[str, Mapping[str, int]]) -> None:
        """Replace areas by their cells."""
        for area, counts in directories.items():
            self._frontier.add(counts, in_place_of=area)

    def next_batch(self) -> list[Waiting]:
        """Return what to read next: cells, areas, or nothing at the end."""
        missing = self._count - len(self._found)
        return self._frontier.take(
            radius=inf if missing else self._found[-1].near.metres,
            enough=AMPLE * missing if missing else inf,
        )

    def take(self, batch: Sequence[Waiting], chunks: Sequence[Chunk]) -> None:
        """Keep the nearest points of a round; add what is left of its cells to the frontier."""
        self._rounds += 1
        found = list(self._found)
        for waiting, chunk in zip(batch, chunks, strict=True):
            run = waiting.run
            found += [self._found_in(run, item) for item in chunk.items]
            self._reads.append(RunRead(run, 1, chunk.items_read, 0, chunk.capacity_units))
            if chunk.last is not None:
                self._frontier.add_rest(waiting, chunk.last)
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
