"""The nearest points to a place, exactly, from the nearest cells outwards.

Each round reads what may hold something within a radius; the search ends when no unread cell can
hold a nearer point.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dynamo.calls.pool import Pool
from dynamo.items import Item
from dynamo.lists.merging import Entry
from dynamo.lists.reader import Page, RunRead
from dynamo.lists.runs import Chunk, Run, Source
from shop import keys
from shop.pickup.cells import Coordinates, distance, geohash_of
from shop.pickup.frontier import Frontier
from shop.pickup.points import WORLD, PickupPoint, point_of

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


_Found = tuple[NearPoint, Entry]


def find_nearest(
    origin: Coordinates, count: int, *, directory: Directory, source: Source, pool: Pool
) -> Nearest:
    """Find the ``count`` points nearest to a place by distance and id, or all if there are fewer.

    Reads the directories of the world and of one area first; then, in each round, directories of
    further areas and cells. What the directory or the source raises passes through.
    """
    frontier, found, reads, rounds = Frontier(origin, count), list[_Found](), list[RunRead](), 0
    home = keys.area_of(geohash_of(origin))
    counts = directory([WORLD, home])
    for area, number in counts[WORLD].items():
        frontier.add(area, number)
    if home in counts[WORLD]:
        frontier.open(home, counts[home])
    while any(following := frontier.take([near.metres for near, _ in found])):
        areas, stretches = following
        calls: list[Callable[[], Chunk | Counts]] = [
            partial(source.query, s.run, behind=s.behind, limit=frontier.limit(s), ascending=True)
            for s in stretches
        ]
        if areas:
            calls.append(partial(directory, areas))
        answers = pool.gather(calls)
        rounds += 1
        chunks = [answer for answer in answers if isinstance(answer, Chunk)]
        for stretch, chunk in zip(stretches, chunks, strict=True):
            reads.append(RunRead(stretch.run, 1, chunk.items_read, 0, chunk.capacity_units))
            found += [_found_in(reads[-1].run, item, origin) for item in chunk.items]
            if chunk.last is not None:
                frontier.put_back(stretch, chunk.last, items_read=chunk.items_read)
        found = sorted(found, key=lambda one: (one[0].metres, one[0].point.id))[:count]
        for answer in answers[len(chunks) :]:
            if not isinstance(answer, Chunk):
                for area, cells in answer.items():
                    frontier.open(area, cells)
    return Nearest(tuple(near for near, _ in found), _page(found, reads, rounds))


def _found_in(run: Run, item: Item, origin: Coordinates) -> _Found:
    point = point_of(item)
    return NearPoint(point, distance(origin, point.place)), Entry(item, run.position_of(item), run)


def _page(found: Sequence[_Found], reads: Sequence[RunRead], rounds: int) -> Page:
    entries = tuple(
        replace(entry, position=replace(entry.position, ordinal=ordinal))
        for ordinal, (_, entry) in enumerate(found, 1)
    )
    shown = Counter(id(entry.run) for entry in entries)
    counted = tuple(replace(read, items_returned=shown[id(read.run)]) for read in reads)
    return Page(entries, has_next=False, has_previous=False, rounds=rounds, reads=counted)
