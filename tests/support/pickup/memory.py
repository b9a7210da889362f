"""Pickup points in memory: a directory and a source for a search, and the plain answer."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dynamo.calls.pool import Pool
from dynamo.items import Item
from dynamo.lists.runs import Position, Run
from dynamo.lists.sources import Chunk
from shop.pickup.coordinates import Coordinates, distance
from shop.pickup.points import PickupPoint, counted_in, point_items
from shop.pickup.search import Nearest, NearPoint, find_nearest


@dataclass
class World:
    """Takes the place of the table: sorted areas, and the counts of what is in them."""

    points: list[PickupPoint]
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    _areas: dict[str, list[tuple[str, Item]]] = field(default_factory=dict)

    @classmethod
    def of(cls, points: Iterable[PickupPoint]) -> "World":
        world = cls(list(points))
        for point in world.points:
            item: Item = point_items(point)[1].serialize()
            area = world._areas.setdefault(item["pk"]["S"], [])
            area.append((item["sk"]["S"], item))
            for name, cell in counted_in(point).items():
                world.counts.setdefault(name, Counter())[cell] += 1
        for area in world._areas.values():
            area.sort(key=lambda row: row[0])
        return world

    def directory(self, names: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        self.directories += names
        return {name: self.counts.get(name, Counter()) for name in names}

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        assert ascending
        self.queries.append(run.prefix)
        area = self._areas.get(run.partition, [])
        start = bisect_left(area, run.prefix, key=lambda row: row[0])
        if behind is not None:
            start = bisect_right(area, run.prefix + behind.place, key=lambda row: row[0])
        end = bisect_left(area, run.prefix + "~", key=lambda row: row[0])
        read = area[start : min(end, start + limit)]
        last = run.position_of(read[-1][1]) if len(read) == limit else None
        return Chunk(tuple(item for _, item in read), last, len(read), 0.5)

    def nearest(self, origin: Coordinates, count: int) -> Nearest:
        self.queries.clear()
        self.directories.clear()
        return find_nearest(origin, count, directory=self.directory, source=self, pool=SEQUENTIAL)

    def by_brute_force(self, origin: Coordinates, count: int) -> tuple[NearPoint, ...]:
        every = [NearPoint(point, distance(origin, point.place)) for point in self.points]
        every.sort(key=lambda near: (near.metres, near.point.id))
        return tuple(every[:count])


class InTurn(Pool):
    """No threads: what is in memory is there at once."""

    def gather(self, calls):  # type: ignore[no-untyped-def]
        return [call() for call in calls]


SEQUENTIAL = InTurn(1)


def points_at(*places: tuple[float, float]) -> list[PickupPoint]:
    return [
        PickupPoint(f"p{number:05}", f"Point {number}", "Some street 1", Coordinates.at(*place))
        for number, place in enumerate(places)
    ]
