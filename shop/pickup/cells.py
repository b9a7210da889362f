"""Geohash cells: the boxes of latitude and longitude of the prefixes of geohashes.

The geohashes in a cell have a prefix in common, so they are one range of sort keys. Distances are
bounded by the box of a cell on the sphere, as neighbours may differ in all characters.

Towards a pole cells become narrow. A place near a pole, in its *cap*, has instead the geohash that
it would have if the sphere were turned until the pole lay at 0, 0; the letter of the cap is in
front of it. Turning changes no distance.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import asin, atan2, cos, degrees, isfinite, pi, radians, sin, sqrt
from typing import Any

import pygeohash

from shop.keys import CAPS

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
            raise BadCoordinates(f"the latitude {latitude:.15g} is not between -90 and 90")
        if not isfinite(longitude) or abs(longitude) > FULL_TURN / 2:
            raise BadCoordinates(f"the longitude {longitude:.15g} is not between -180 and 180")
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
        radians(here.latitude), radians(there.latitude), radians(there.longitude - here.longitude)
    )


def arc(latitude: float, other: float, turn: float) -> float:
    """Return the metres between two latitudes, ``turn`` apart in longitude; all in radians."""
    half = sin((other - latitude) / 2) ** 2 + cos(latitude) * cos(other) * sin(turn / 2) ** 2
    return 2 * EARTH_RADIUS * asin(min(1.0, sqrt(half)))


ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
"""The characters of a geohash in the order of sort keys."""
PRECISION = 10
"""Characters of a point's geohash: a cell of 1.2 by 0.6 metres."""
CAP_BEGINS = 73.125
"""Degrees of latitude, north and south, where a row of areas ends: beyond most towns."""
SLACK = 1.0
"""Metres added to the bounds for errors of rounding."""
BOXES = 4_096
"""Cells whose boxes are remembered: those of all areas, and some."""
NORTH, SOUTH = CAPS


def geohash_of(place: Coordinates) -> str:
    """Return the geohash of a place, in a cap behind the letter of the cap."""
    cap = ""
    if abs(place.latitude) > CAP_BEGINS:
        cap = NORTH if place.latitude > 0 else SOUTH
        place = _turned(place, cap)
    found: str = pygeohash.encode(place.latitude, place.longitude, precision=PRECISION)
    return cap + found


def nearest(place: Coordinates, cell: str) -> float:
    """Return a lower bound, in metres, on the distance to anything in a cell."""
    return max(0.0, _least(place, cell) - SLACK)


def farthest(place: Coordinates, cell: str) -> float:
    """Return an upper bound, in metres: half the circumference less that to the antipode."""
    east = place.longitude - FULL_TURN / 2
    antipode = Coordinates(-place.latitude, east if east >= -FULL_TURN / 2 else east + FULL_TURN)
    return HALFWAY_ROUND - _least(antipode, cell) + SLACK


def children(cell: str) -> list[str]:
    """Return the 32 cells of a cell."""
    return [cell + character for character in ALPHABET]


def is_smallest(cell: str) -> bool:
    """Return whether a cell is that of a whole geohash."""
    return len(cell) >= PRECISION + cell.startswith(CAPS)


@lru_cache(maxsize=BOXES)
def _box(cell: str) -> pygeohash.BoundingBox:
    return pygeohash.get_bounding_box(cell)


def _least(place: Coordinates, cell: str) -> float:
    if cell.startswith(CAPS):
        place, cell = _turned(place, cell[0]), cell[1:]
    box = _box(cell)
    # Least on the meridian that is turned least from the place, at its foot or an end.
    turn = _turn_to(place.longitude, box.min_lon, box.max_lon)
    latitude = radians(place.latitude)
    low, high = radians(box.min_lat), radians(box.max_lat)
    foot = atan2(sin(latitude), cos(latitude) * cos(turn))
    if low <= foot <= high:
        return arc(latitude, foot, turn)
    return min(arc(latitude, low, turn), arc(latitude, high, turn))


def _turned(place: Coordinates, cap: str) -> Coordinates:
    """Return where a place is after the sphere was turned until the pole of a cap is at 0, 0."""
    latitude, longitude = radians(place.latitude), radians(place.longitude)
    sign = 1 if cap == NORTH else -1
    north = asin(-sign * cos(latitude) * cos(longitude))
    east = atan2(cos(latitude) * sin(longitude), sign * sin(latitude))
    return Coordinates.at(degrees(north), degrees(east))


def _turn_to(longitude: float, west: float, east: float) -> float:
    if west <= longitude <= east:
        return 0.0
    turns = (abs(longitude - edge) % FULL_TURN for edge in (west, east))
    return radians(min(min(turn, FULL_TURN - turn) for turn in turns))
