"""The search for the nearest pickup points: rounds of reads until no nearer point is left.

`find_nearest` reads from what it is given, a directory and a source of items, so that it is tested
in memory. Which cells a round reads is the matter of `shop.pickup.frontier`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dynapages.calls import Pool
from dynapages.items import Item
from dynapages.lists import Chunk, Entry, Ordinal, Page, Run, RunRead, Source
from shop import keys
from shop.pickup.cells import Coordinates, distance, geohash_of
from shop.pickup.frontier import Frontier, Stretch
from shop.pickup.items import WORLD, PickupPoint, point_of

Counts = Mapping[str, Mapping[str, int]]
"""Counts of points by directory and cell."""
Directory = Callable[[Sequence[str]], Counts]
"""Counts points: for the world (`WORLD`) by areas, for an area by its cells."""


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
class _Candidate:
    """A point that was read, and the entry of a page that shows it."""

    near: NearPoint
    entry: Entry


def find_nearest(
    origin: Coordinates, count: int, *, directory: Directory, source: Source, pool: Pool
) -> Nearest:
    """Find the ``count`` points nearest to a place by distance and id, or all if there are fewer.

    Reads the directories of the world and of one area first; then, in each round, directories of
    further areas and cells. What the directory or the source raises passes through.
    """
    search = _Search(origin, count, directory=directory, source=source, pool=pool)
    search.open_home()
    while search.read_round():
        pass
    return Nearest(tuple(one.near for one in search.candidates), search.page())


class _Search:
    """A search under way: the nearest ``candidates`` so far, what is unread, and what was read."""

    def __init__(
        self,
        origin: Coordinates,
        count: int,
        *,
        directory: Directory,
        source: Source,
        pool: Pool,
    ) -> None:
        self.candidates: list[_Candidate] = []
        self._origin = origin
        self._count = count
        self._directory = directory
        self._source = source
        self._pool = pool
        self._frontier = Frontier(origin, count)
        self._reads: list[RunRead] = []
        self._rounds = 0

    def open_home(self) -> None:
        """Read which areas there are, and the cells of the one that the place lies in."""
        # The nearest points are in its own area as a rule: that saves a round.
        home = keys.area_of(geohash_of(self._origin))
        counts = self._directory([WORLD, home])
        for area, number in counts[WORLD].items():
            self._frontier.add(area, number)
        if home in counts[WORLD]:
            self._frontier.open(home, counts[home])

    def read_round(self) -> bool:
        """Read directories and stretches of cells at once; return False if none was left."""
        distances = [candidate.near.metres for candidate in self.candidates]
        areas, stretches = self._frontier.next_round(distances)
        if not areas and not stretches:
            return False
        calls: list[Callable[[], Chunk | Counts]] = [
            partial(self._query, stretch) for stretch in stretches
        ]
        if areas:
            calls.append(partial(self._directory, areas))
        self._rounds += 1
        # The directories are one call, whose answer is a mapping; all others are chunks.
        chunks = []
        for answer in self._pool.gather(calls):
            if isinstance(answer, Chunk):
                chunks.append(answer)
            else:
                opened = answer
        for stretch, chunk in zip(stretches, chunks, strict=True):
            self._add(stretch, chunk)
        # By id too, so that equal distances are in the same order each time.
        self.candidates.sort(key=_by_distance)
        del self.candidates[self._count :]
        if areas:
            for area, cells in opened.items():
                self._frontier.open(area, cells)
        return True

    def page(self) -> Page:
        """Return the points as a page, with what each run read and how much of it is shown."""
        entries = []
        for number, candidate in enumerate(self.candidates, 1):
            position = replace(candidate.entry.position, ordinal=Ordinal(number))
            entries.append(replace(candidate.entry, position=position))
        # By identity: a cell that was read in two rounds has two equal runs.
        shown = Counter(id(entry.run) for entry in entries)
        reads = [replace(read, items_returned=shown[id(read.run)]) for read in self._reads]
        return Page(
            tuple(entries),
            has_next=False,
            has_previous=False,
            rounds=self._rounds,
            reads=tuple(reads),
        )

    def _query(self, stretch: Stretch) -> Chunk:
        """Read a stretch of cells from where it was left, up to the frontier's limit."""
        return self._source.query(
            stretch.run,
            behind=stretch.behind,
            limit=self._frontier.limit(stretch),
            ascending=True,
        )

    def _add(self, stretch: Stretch, chunk: Chunk) -> None:
        """Add the points of a stretch, and give back to the frontier what was not reached."""
        run = stretch.run
        self._reads.append(RunRead(run, 1, chunk.items_read, 0, chunk.capacity_units))
        for item in chunk.items:
            self.candidates.append(self._candidate(run, item))
        if chunk.last is not None:
            self._frontier.put_back(stretch, chunk.last, items_read=chunk.items_read)

    def _candidate(self, run: Run, item: Item) -> _Candidate:
        """Build a candidate from an item in an area, with its distance from the origin."""
        point = point_of(item)
        near = NearPoint(point, distance(self._origin, point.place))
        return _Candidate(near, Entry(item, run.position_of(item), run))


def _by_distance(candidate: _Candidate) -> tuple[float, str]:
    return candidate.near.metres, candidate.near.point.id
