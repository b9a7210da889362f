"""Pickup points of the sample shop in a few towns, and where customers live.

The towns, and the words for names and streets, are in ``pickup_points.toml``.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi, radians, sin, sqrt
from pathlib import Path
from random import Random

from demo.sample.catalogue import DEFAULT_SEED
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint, ZipLocation

METRES_IN_A_DEGREE = 111_195.0
WIDEST_METRES = 2_500.0
"""From the middle of a town to its farthest point."""
_WORDS = tomllib.loads(Path(__file__).with_name("pickup_points.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Town:
    """A town with the number of its pickup points; the coordinates, in degrees, are its middle."""

    name: str
    zip_prefix: str
    latitude: float
    longitude: float
    points: int


TOWNS = [Town(**town) for town in _WORDS["town"]]


def sample_zips() -> tuple[ZipLocation, ...]:
    """Return the locations of the towns' postcodes."""
    return tuple(
        ZipLocation(town.zip_prefix, Coordinates.at(town.latitude, town.longitude), town.name)
        for town in TOWNS
    )


def zip_of(username: str) -> str:
    """Return the first digits of the postcode of a sample customer's town."""
    return _town(username).zip_prefix


def town_of(username: str) -> str:
    """Return where a sample customer lives: Lisbon, or a town that the name decides."""
    return _town(username).name


def _town(username: str) -> Town:
    if username == "alex":
        return TOWNS[0]
    return TOWNS[sum(username.encode()) % len(TOWNS)]


def sample_points() -> tuple[PickupPoint, ...]:
    """Make 44 pickup points, more of them in the larger towns."""
    rng = Random(DEFAULT_SEED)  # noqa: S311 - repeatable sample data, nothing secret
    points: list[PickupPoint] = []
    for town in TOWNS:
        points += _points_of(rng, town)
    return tuple(points)


def _points_of(rng: Random, town: Town) -> Iterator[PickupPoint]:
    all_names = [f"{shop} {name}" for shop in _WORDS["shops"] for name in _WORDS["names"]]
    for number, name in enumerate(rng.sample(all_names, town.points), 1):
        street = f"{rng.choice(_WORDS['streets'])} {rng.randint(1, 180)}"
        code = f"{town.zip_prefix}-{rng.randint(10, 599):03}"
        yield PickupPoint(
            id=f"sample-{town.zip_prefix}-{number}",
            name=name,
            address=f"{street}, {code} {town.name}",
            place=_somewhere_in(rng, town),
            hours=rng.choice(_WORDS["hours"]),
        )


def _somewhere_in(rng: Random, town: Town) -> Coordinates:
    """Return a spot of a town, as probable anywhere in a circle around its middle."""
    radius, angle = WIDEST_METRES * sqrt(rng.random()), 2 * pi * rng.random()
    north, east = radius * sin(angle), radius * cos(angle)
    # Degrees of longitude are shorter, the farther from the equator.
    metres_in_a_degree_east = METRES_IN_A_DEGREE * cos(radians(town.latitude))
    return Coordinates.at(
        town.latitude + north / METRES_IN_A_DEGREE,
        town.longitude + east / metres_in_a_degree_east,
    )
