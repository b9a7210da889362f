"""Places on the sphere, and the distance between two."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import asin, cos, isfinite, pi, radians, sin, sqrt
from typing import Any

EARTH_RADIUS = 6_371_008.8
"""Metres: the mean radius of the Earth (IUGG)."""
HALFWAY_ROUND = pi * EARTH_RADIUS
"""Metres: the greatest distance on the sphere."""
NORTH_POLE, FULL_TURN = 90.0, 360.0
DECIMALS = 6
"""Of a degree: eleven centimetres."""


class BadCoordinates(ValueError):
    """The numbers are no place on Earth; the text says which is out of range."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """A place in degrees, built by `at`. The antimeridian is always -180."""

    latitude: float
    longitude: float

    @classmethod
    def at(cls, latitude: float, longitude: float) -> "Coordinates":
        """Build a place from degrees. Raises BadCoordinates."""
        if not isfinite(latitude) or abs(latitude) > NORTH_POLE:
            raise BadCoordinates(f"the latitude {latitude:g} is not between -90 and 90")
        if not isfinite(longitude) or abs(longitude) > FULL_TURN / 2:
            raise BadCoordinates(f"the longitude {longitude:g} is not between -180 and 180")
        rounded = round(longitude, DECIMALS) + 0.0
        return cls(
            round(latitude, DECIMALS) + 0.0, -rounded if rounded == FULL_TURN / 2 else rounded
        )

    @classmethod
    def of(cls, item: Mapping[str, Mapping[str, Any]]) -> "Coordinates":
        """Read the place of an item."""
        return cls(float(item["latitude"]["N"]), float(item["longitude"]["N"]))

    def __str__(self) -> str:
        return f"{self.latitude:.8g}, {self.longitude:.9g}"


def distance(here: Coordinates, there: Coordinates) -> float:
    """Return the metres between two places by the haversine formula.

    It differs from the distance on the Earth, not quite a sphere, by at most half a percent.
    """
    return arc(
        radians(here.latitude),
        radians(there.latitude),
        radians(there.longitude - here.longitude),
    )


def arc(latitude: float, other: float, turn: float) -> float:
    """Return the metres between two latitudes, ``turn`` apart in longitude; all in radians."""
    half = sin((other - latitude) / 2) ** 2 + cos(latitude) * cos(other) * sin(turn / 2) ** 2
    return 2 * EARTH_RADIUS * asin(min(1.0, sqrt(half)))
