"""Sample pickup points in the towns of Portugal, and where the sample customers live.

Made from a seed, without DynamoDB: the same seed gives the same points on any day.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi, radians, sin, sqrt
from random import Random

from shop.pickup.coordinates import Coordinates
from shop.pickup.places import ZipPlace
from shop.pickup.points import PickupPoint

DEFAULT_SEED = 1_972
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


TOWNS = (
    _Town("Lisboa", "1100", 38.7139, -9.1394, 9),
    _Town("Porto", "4000", 41.1496, -8.6110, 7),
    _Town("Braga", "4700", 41.5454, -8.4265, 4),
    _Town("Coimbra", "3000", 40.2033, -8.4103, 4),
    _Town("Aveiro", "3800", 40.6405, -8.6538, 3),
    _Town("Setúbal", "2900", 38.5244, -8.8882, 3),
    _Town("Évora", "7000", 38.5714, -7.9135, 3),
    _Town("Faro", "8000", 37.0194, -7.9304, 3),
    _Town("Viseu", "3500", 40.6566, -7.9125, 2),
    _Town("Bragança", "5300", 41.8061, -6.7567, 1),
    _Town("Funchal", "9000", 32.6669, -16.9241, 3),
    _Town("Ponta Delgada", "9500", 37.7412, -25.6756, 2),
)
SHOPS = (
    "Papelaria",
    "Livraria",
    "Café",
    "Mercearia",
    "Florista",
    "Quiosque",
    "Tabacaria",
    "Drogaria",
    "Padaria",
)
NAMES = ("Aurora", "Central", "do Largo", "Moderna", "da Esquina", "Primavera", "Atlântico", "Sol")
STREETS = (
    "Rua da Fonte",
    "Rua do Comércio",
    "Largo da Sé",
    "Avenida da Liberdade",
    "Rua Direita",
    "Travessa das Flores",
    "Praça do Município",
    "Rua da Estação",
)
HOURS = (
    "Mon-Fri 9:00-19:00, Sat 9:00-13:00",
    "Mon-Sat 8:00-20:00",
    "Daily 7:00-22:00",
    "Mon-Fri 10:00-18:30",
    "Tue-Sat 10:00-13:00, 15:00-19:00",
)


def sample_zips() -> tuple[ZipPlace, ...]:
    """Say where the zip codes of the towns are."""
    return tuple(
        ZipPlace(town.zip_prefix, Coordinates.at(town.latitude, town.longitude), town.name)
        for town in TOWNS
    )


def sample_points(seed: int = DEFAULT_SEED) -> tuple[PickupPoint, ...]:
    """Make 44 pickup points, more of them in the larger towns."""
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    return tuple(point for town in TOWNS for point in _points_of(rng, town))


def zip_of(username: str) -> str:
    """Say where a sample customer lives: in Lisbon, or in a town that follows from the name."""
    if username == "alex":
        return TOWNS[0].zip_prefix
    return TOWNS[sum(username.encode()) % len(TOWNS)].zip_prefix


def _points_of(rng: Random, town: _Town) -> Iterator[PickupPoint]:
    names = rng.sample([f"{shop} {name}" for shop in SHOPS for name in NAMES], town.points)
    for number, name in enumerate(names, 1):
        street = f"{rng.choice(STREETS)} {rng.randint(1, 180)}"
        code = f"{town.zip_prefix}-{rng.randint(10, 599):03}"
        yield PickupPoint(
            id=f"sample-{town.zip_prefix}-{number}",
            name=name,
            address=f"{street}, {code} {town.name}",
            place=_somewhere_in(rng, town),
            hours=rng.choice(HOURS),
        )


def _somewhere_in(rng: Random, town: _Town) -> Coordinates:
    radius, angle = WIDEST * sqrt(rng.random()), 2 * pi * rng.random()
    north, east = radius * sin(angle), radius * cos(angle)
    return Coordinates.at(
        town.latitude + north / METRES_IN_A_DEGREE,
        town.longitude + east / (METRES_IN_A_DEGREE * cos(radians(town.latitude))),
    )
