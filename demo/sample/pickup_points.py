"""Sample pickup points in the towns of Portugal, and where the sample customers live.

Made from a seed: the same seed makes the same points on any day.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi, radians, sin, sqrt
from pathlib import Path
from random import Random

from demo.sample.catalogue import DEFAULT_SEED
from shop.pickup.cells import Coordinates
from shop.pickup.locations import ZipLocation
from shop.pickup.points import PickupPoint

METRES_IN_A_DEGREE = 111_195.0
WIDEST = 2_500.0
"""Metres from the middle of a town to its farthest point."""


@dataclass(frozen=True, slots=True)
class _Town:
    name: str
    zip_prefix: str
    latitude: float
    longitude: float
    points: int


_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TOWNS = [_Town(**town) for town in _WORDS["town"]]


def sample_zips() -> tuple[ZipLocation, ...]:
    """Return the places of the towns' postcodes."""
    return tuple(
        ZipLocation(town.zip_prefix, Coordinates.at(town.latitude, town.longitude), town.name)
        for town in TOWNS
    )


def sample_points(seed: int = DEFAULT_SEED) -> tuple[PickupPoint, ...]:
    """Make 44 pickup points, more of them in the larger towns."""
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    return tuple(point for town in TOWNS for point in _points_of(rng, town))


def zip_of(username: str) -> str:
    """Return where a sample customer lives: Lisbon, or a town that the name decides."""
    if username == "alex":
        return TOWNS[0].zip_prefix
    return TOWNS[sum(username.encode()) % len(TOWNS)].zip_prefix


def _points_of(rng: Random, town: _Town) -> Iterator[PickupPoint]:
    names = rng.sample(
        [f"{shop} {name}" for shop in _WORDS["shops"] for name in _WORDS["names"]], town.points
    )
    for number, name in enumerate(names, 1):
        street = f"{rng.choice(_WORDS['streets'])} {rng.randint(1, 180)}"
        code = f"{town.zip_prefix}-{rng.randint(10, 599):03}"
        yield PickupPoint(
            id=f"sample-{town.zip_prefix}-{number}",
            name=name,
            address=f"{street}, {code} {town.name}",
            place=_somewhere_in(rng, town),
            hours=rng.choice(_WORDS["hours"]),
        )


def _somewhere_in(rng: Random, town: _Town) -> Coordinates:
    radius, angle = WIDEST * sqrt(rng.random()), 2 * pi * rng.random()
    north, east = radius * sin(angle), radius * cos(angle)
    return Coordinates.at(
        town.latitude + north / METRES_IN_A_DEGREE,
        town.longitude + east / (METRES_IN_A_DEGREE * cos(radians(town.latitude))),
    )
