"""The nearest points are those of brute force, wherever one asks."""

from random import Random

import pygeohash
import pytest

from shop.pickup.cells import Coordinates
from tests.support.pickup.memory import World, points_at

COUNTS = (1, 2, 5, 10, 20)
QUESTIONS, MANY = 15, 400
"""Of each world; many with --slow."""


def anywhere(rng: Random) -> tuple[float, float]:
    return rng.uniform(-90, 90), rng.uniform(-180, 180)


def round_lisbon(rng: Random) -> tuple[float, float]:
    return rng.gauss(38.71, 0.1), rng.gauss(-9.14, 0.1)


def at_the_antimeridian(rng: Random) -> tuple[float, float]:
    return rng.gauss(-17, 1), (180 + rng.gauss(0, 1) + 180) % 360 - 180


def at_the_poles(rng: Random) -> tuple[float, float]:
    return rng.choice([-1, 1]) * max(0.0, 90 - rng.expovariate(2)), rng.uniform(-180, 180)


def on_the_edges_of_cells(rng: Random) -> tuple[float, float]:
    length = rng.randint(2, 8)
    box = pygeohash.get_bounding_box(pygeohash.encode(*round_lisbon(rng), precision=length))
    return rng.choice([box.min_lat, box.max_lat]), rng.choice([box.min_lon, box.max_lon])


def some_at_one_place(rng: Random) -> tuple[float, float]:
    return rng.choice([(38.71, -9.14), (38.71, -9.14), (38.72, -9.14), (-38.71, 170.86)])


def within_a_metre(rng: Random) -> tuple[float, float]:
    """Several hundred in one cell that is not divided any further."""
    return 38.7 + rng.randrange(8) / 1_000_000, -9.1 + rng.randrange(14) / 1_000_000


WORLDS = {
    "anywhere": (anywhere, 500),
    "a city": (round_lisbon, 1_500),
    "the antimeridian": (at_the_antimeridian, 600),
    "the poles": (at_the_poles, 600),
    "edges of cells": (on_the_edges_of_cells, 400),
    "the same places": (some_at_one_place, 600),
    "within a metre": (within_a_metre, 500),
    "hardly anything": (anywhere, 3),
    "nothing": (anywhere, 0),
}


def made_world(name: str, rng: Random) -> World:
    somewhere, number = WORLDS[name]
    return World.of(points_at(*(somewhere(rng) for _ in range(number))))


def origins(name: str, rng: Random, number: int) -> list[Coordinates]:
    """Where points are likely, where they are not, and where some are exactly."""
    somewhere, _ = WORLDS[name]
    drawn = (somewhere if rng.random() < 0.8 else anywhere for _ in range(number))
    return [Coordinates.at(*draw(rng)) for draw in drawn]


def ask(name: str, *, seed: int, questions: int) -> None:
    rng = Random(seed)
    world = made_world(name, rng)
    for origin in origins(name, rng, questions):
        count = rng.choice(COUNTS)
        assert world.nearest(origin, count).points == world.by_brute_force(origin, count)


class TestTheNearestPoints:
    @pytest.mark.parametrize("name", WORLDS)
    def test_are_those_of_brute_force(self, name):
        ask(name, seed=1, questions=QUESTIONS)

    @pytest.mark.slow
    @pytest.mark.parametrize("name", WORLDS)
    def test_are_those_of_brute_force_many_times(self, name):
        ask(name, seed=10, questions=MANY)

    @pytest.mark.parametrize("name", WORLDS)
    def test_are_all_points_when_more_are_asked_for(self, name):
        world = made_world(name, Random(2))
        for origin in origins(name, Random(3), 1):
            every = world.by_brute_force(origin, len(world.points))
            assert world.nearest(origin, len(world.points) + 1).points == every


class TestWhatASearchReads:
    def test_is_the_cells_within_the_distance_of_the_points_found(self):
        """A counted cell that is full everywhere is divided, and its near parts are read."""
        middle = pygeohash.decode_exactly("eycs0f")
        box = pygeohash.get_bounding_box("eycs")
        rng = Random(1)
        every = [
            (rng.uniform(box.min_lat, box.max_lat), rng.uniform(box.min_lon, box.max_lon))
            for _ in range(4_000)
        ]
        world = World.of(points_at(*every))
        origin = Coordinates.at(middle.latitude, middle.longitude)
        assert world.nearest(origin, 10).points == world.by_brute_force(origin, 10)
        assert world.read.total() < 150

    def test_is_a_whole_area_by_one_query_where_it_holds_few(self):
        world = World.of(points_at((38.7, -9.1), (40.2, -8.4), (41.1, -8.6)))
        world.nearest(Coordinates.at(48.2, 16.4), 3)
        assert (world.queries, world.directories) == (["ez", "ey"], ["~", "u2"])

    def test_is_neighbouring_cells_by_one_query(self):
        world = World.of(points_at(*[(38.05 + n / 5, -9.1) for n in range(6)]))
        world.nearest(Coordinates.at(38.5, -9.2), 6)
        assert len(world.queries) < 6
        assert world.read.total() == 6

    def test_is_nothing_but_the_directory_where_there_is_nothing(self):
        world = World.of([])
        assert world.nearest(Coordinates.at(38.7, -9.1), 10).points == ()
        assert world.queries == []
        assert world.directories == ["~", "ey"]

    @pytest.mark.parametrize("count", [10, 50])
    def test_is_no_point_twice(self, count):
        world = made_world("a city", Random(5))
        for origin in origins("a city", Random(6), 10):
            world.nearest(origin, count)
            assert set(world.read.values()) == {1}

    def test_is_explained_query_by_query(self):
        world = made_world("a city", Random(4))
        page = world.nearest(Coordinates.at(38.71, -9.14), 10).page
        assert len(page.reads) == len(world.queries)
        assert sum(read.items_read for read in page.reads) == world.read.total()
        assert sum(read.items_returned for read in page.reads) == len(page.entries) == 10

    def test_goes_on_when_points_that_were_counted_have_gone(self):
        points = points_at((38.7, -9.1), (38.71, -9.1), (41.1, -8.6))
        world = World.of(points)
        gone = World.of(points[2:])
        gone.counts = world.counts
        (near,) = gone.nearest(Coordinates.at(38.7, -9.1), 1).points
        assert near.point == points[2]

    def test_divides_a_cell_that_holds_more_than_its_neighbours(self):
        """All points of a counted cell are in one corner of it: an unexpected crowd."""
        rng = Random(7)
        crowd = [(38.7001 + rng.random() / 500, -9.1 + rng.random() / 500) for _ in range(2_000)]
        world = World.of(points_at(*crowd))
        for origin in (Coordinates.at(38.7, -9.1), Coordinates.at(38.8, -9.3)):
            assert world.nearest(origin, 10).points == world.by_brute_force(origin, 10)
