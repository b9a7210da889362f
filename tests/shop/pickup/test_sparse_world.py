"""What the nearest points cost in a world of few points: the worst of many searches.

The figures of docs/designs/pickup-points.md; ``pytest --slow -s`` shows those that were measured.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from math import asin, degrees
from random import Random

import pytest

from dynapages.calls import metered
from shop.pickup.bulk_writes import put_points
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint
from shop.pickup.queries import nearest_points
from tests.support.pickup.memory import World

Place = tuple[float, float]

MOST = {10: (4, 12.0), 50: (5, 20.0)}
"""Rounds and capacity units of a search, by how many points it wants."""
MOST_IN_A_CITY = 8, 26.0
"""The cells of a crowd are guesses: it takes more than a sparse world does."""


def anywhere(rng: Random) -> Place:
    """Return a place on the sphere, all equally likely."""
    return degrees(asin(rng.uniform(-1, 1))), rng.uniform(-180, 180)


def near(rng: Random, place: Place, spread: float) -> Place:
    """Return a place some degrees from another."""
    latitude, longitude = rng.gauss(place[0], spread), rng.gauss(place[1], spread)
    return max(-90.0, min(90.0, latitude)), (longitude + 180) % 360 - 180


def at_a_pole(rng: Random, pole: int) -> Place:
    return pole * max(0.0, 90 - rng.expovariate(0.5)), rng.uniform(-180, 180)


def made_points(places: Sequence[Place]) -> list[PickupPoint]:
    """Make points of 230 bytes, the size of the sample's."""
    return [
        PickupPoint(
            f"sparse-{number:05}",
            f"Papelaria Primavera {number}",
            "Rua Direita 7, 1100-148 Lisboa",
            Coordinates.at(*place),
            "Mon-Fri 9:00-19:00, Sat 9:00-13:00",
        )
        for number, place in enumerate(places)
    ]


def spread_over_the_globe(rng: Random) -> list[Place]:
    """Return 5,216 places: 5,000 anywhere, and 72 at each pole and at the antimeridian."""
    poles = [at_a_pole(rng, pole) for pole in (1, -1) for _ in range(72)]
    antimeridian = [near(rng, (-17, 180), 1) for _ in range(72)]
    return [*(anywhere(rng) for _ in range(5_000)), *poles, *antimeridian]


def spread_and_in_towns(rng: Random) -> list[Place]:
    """Return 5,216 places: 100 towns of 40, and as many areas with hardly anything."""
    towns = [anywhere(rng) for _ in range(100)]
    return [
        *(near(rng, town, 0.2) for town in towns for _ in range(40)),
        *(anywhere(rng) for _ in range(1_216)),
    ]


def in_a_few_cities(rng: Random) -> list[Place]:
    cities = [anywhere(rng) for _ in range(50)]
    return [near(rng, city, 0.5) for city in cities for _ in range(104)]


def at_two_antipodes(rng: Random) -> list[Place]:
    return [near(rng, middle, 1) for middle in ((40, -4), (-40, 176)) for _ in range(2_608)]


def in_one_city(rng: Random) -> list[Place]:
    return [near(rng, (38.71, -9.14), 0.1) for _ in range(5_216)]


SEARCHES = {
    spread_over_the_globe: (7, 105),
    spread_and_in_towns: (8, 42),
    in_a_few_cities: (8, 42),
    at_two_antipodes: (8, 42),
    in_one_city: (8, 42),
}
"""The worlds, with the seed and the number of the searches in each."""


def origins(rng: Random, places: Sequence[Place], number: int) -> Iterator[Coordinates]:
    """Yield where searches begin: anywhere, at points, at the poles and at the antimeridian."""
    for place in ((90, 0), (90, 77.7), (-90, 0), (-90, -120), (0, 180), (0, -160), (0, 0)):
        yield Coordinates.at(*place)
    for _ in range((number - 7) // 7):
        yield Coordinates.at(*anywhere(rng))
        yield Coordinates.at(rng.uniform(-90, 90), rng.uniform(-180, 180))
        yield Coordinates.at(*rng.choice(places))
        yield Coordinates.at(*near(rng, rng.choice(places), 2))
        yield Coordinates.at(rng.choice([-1, 1]) * rng.uniform(70, 80), rng.uniform(-180, 180))
        yield Coordinates.at(*at_a_pole(rng, rng.choice([-1, 1])))
        yield Coordinates.at(rng.uniform(-80, 80), rng.choice([-1, 1]) * rng.uniform(179, 180))


def show(what: str, count: int, figures: Sequence[tuple[int, float]]) -> None:
    for name, values in zip(("rounds", "units"), zip(*figures, strict=True), strict=True):
        low = sorted(values)
        half, most = low[len(low) // 2], low[-1]
        sys.stdout.write(
            f"{what}, {count} nearest, {len(low)} searches, {name}: half {half}, "
            f"95 of 100 {low[len(low) * 95 // 100]}, any {most}\n"
        )


@cache
def made_world(made: Callable[[Random], list[Place]]) -> World:
    return World.of(made_points(made(Random(26))))


def places_of(points: Sequence[PickupPoint]) -> list[Place]:
    return [(point.place.latitude, point.place.longitude) for point in points]


@pytest.mark.slow
@pytest.mark.parametrize("made", SEARCHES)
def test_a_world_is_searched_exactly_for_few_rounds_and_units(made):
    world, figures = made_world(made), {count: [] for count in MOST}
    seed, number = SEARCHES[made]
    for origin in origins(Random(seed), places_of(world.points), number):
        truth = world.by_brute_force(origin, max(MOST))
        for count in MOST:
            assert world.nearest(origin, count).points == truth[:count]
            figures[count].append((world.rounds, world.units))
    for count, measured in figures.items():
        show(made.__name__, count, measured)
        most_rounds, most_units = MOST_IN_A_CITY if made is in_one_city else MOST[count]
        assert max(rounds for rounds, _ in measured) <= most_rounds
        assert max(units for _, units in measured) <= most_units


@pytest.mark.real_engine
def test_the_table_is_searched_as_a_world_in_memory(tables):
    """So that the figures of worlds in memory are those of the table."""
    world = World.of(made_world(spread_over_the_globe).points[::40])
    put_points(world.points)
    for origin, count in product(origins(Random(7), places_of(world.points), 14), MOST):
        with metered() as meter:
            found = nearest_points(origin, count)
        assert found.points == world.nearest(origin, count).points
        assert (meter.rounds, meter.units) == (world.rounds, world.units)
