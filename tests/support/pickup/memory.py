"""Pickup points in memory: a directory and a source for a search, and the plain answer."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from dynapages.calls import Pool
from dynapages.items import Item, item_bytes
from dynapages.lists import Chunk, Position, Run
from shop.pickup.cells import Coordinates, distance
from shop.pickup.items import PickupPoint, counted_cells, point_items
from shop.pickup.nearest import Nearest, NearPoint, find_nearest


@dataclass
class World:
    """Takes the place of the table: sorted areas, and the counts of what is in them.

    ``queries`` and ``directories`` are what the last search read, ``read`` the sort keys of the
    points, in ``rounds`` rounds for ``units`` capacity units.
    """

    points: list[PickupPoint]
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    read: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    units: float = 0.0
    _areas: dict[str, list[tuple[str, Item]]] = field(default_factory=dict)

    @classmethod
    def of(cls, points: Iterable[PickupPoint]) -> "World":
        world = cls(list(points))
        for point in world.points:
            item: Item = point_items(point)[1].serialize()
            area = world._areas.setdefault(item["pk"]["S"], [])
            area.append((item["sk"]["S"], item))
            for name, cell in counted_cells(point).items():
                world.counts.setdefault(name, Counter())[cell] += 1
        for area in world._areas.values():
            area.sort(key=lambda row: row[0])
        return world

    def directory(self, names: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        self.directories += names
        found = {name: self.counts.get(name, Counter()) for name in names}
        for counts in found.values():
            self.units += units_of([{f"_{cell}": {"N": str(n)} for cell, n in counts.items()}])
        return found

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        assert ascending
        self.queries.append(run.prefix or f"{run.since} to {run.until}")
        area = self._areas.get(run.partition, [])
        low, high = run.prefix + (run.since or ""), run.prefix + (run.until or "~")
        start = bisect_left(area, low, key=lambda row: row[0])
        if behind is not None:
            assert not behind.inclusive
            start = bisect_right(area, run.prefix + behind.place, key=lambda row: row[0])
        end = bisect_left(area, high, key=lambda row: row[0])
        read = area[start : min(end, start + limit)]
        items = tuple(item for _, item in read)
        last = run.position_of(items[-1]) if len(items) == limit else None
        units = units_of(items)
        self.units += units
        self.read.update(sort_key for sort_key, _ in read)
        return Chunk(items, last, len(items), units)

    def nearest(self, origin: Coordinates, count: int) -> Nearest:
        for figures in (self.queries, self.directories, self.read):
            figures.clear()
        pool, self.units = InTurn(1), 0.0
        found = find_nearest(origin, count, directory=self.directory, source=self, pool=pool)
        self.rounds = 1 + pool.rounds
        return found

    def by_brute_force(self, origin: Coordinates, count: int) -> tuple[NearPoint, ...]:
        every = [NearPoint(point, distance(origin, point.place)) for point in self.points]
        every.sort(key=lambda near: (near.metres, near.point.id))
        return tuple(every[:count])


class InTurn(Pool):
    """No threads: what is in memory is there at once."""

    rounds = 0

    def gather(self, calls):
        self.rounds += 1
        return [call() for call in calls]


def units_of(items: Sequence[Item]) -> float:
    """Return what DynamoDB charges for an eventually consistent read: half a unit for 4 KB."""
    return max(1, ceil(sum(map(item_bytes, items)) / 4_096)) / 2


def points_at(*places: tuple[float, float]) -> list[PickupPoint]:
    return [
        PickupPoint(f"p{number:05}", f"Point {number}", "Some street 1", Coordinates.at(*place))
        for number, place in enumerate(places)
    ]
