"""Places on the sphere, their distances, and geohash cells.

A cell is the box of latitude and longitude of a prefix of geohashes. The geohashes in a cell have
this prefix in common, so they are one range of sort keys. Distances are bounded by the box of a
cell on the sphere, as neighbours may differ in all characters.

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
NORTH_POLE = 90.0
FULL_TURN = 360.0
HALF_TURN = FULL_TURN / 2
DECIMALS = 6
"""Of a degree: eleven centimetres."""
ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
"""The characters of a geohash in the order of sort keys."""
PRECISION = 10
"""Characters of a point's geohash: a cell of 1.2 by 0.6 metres."""
CAP_LATITUDE = 73.125
"""Degrees of latitude, north and south, where a row of areas ends: beyond most towns."""
ROUNDING_SLACK = 1.0
"""Metres added to the bounds for errors of rounding."""
REMEMBERED_BOXES = 4_096
"""Cells whose boxes are remembered: those of all areas, and some."""
NORTH, SOUTH = CAPS


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
        if not isfinite(longitude) or abs(longitude) > HALF_TURN:
            raise BadCoordinates(f"the longitude {longitude:.15g} is not between -180 and 180")
        # Adding zero turns -0.0 into 0.0, so that equal places have equal texts.
        north = round(latitude, DECIMALS) + 0.0
        east = round(longitude, DECIMALS) + 0.0
        if east == HALF_TURN:
            east = -HALF_TURN
        return cls(north, east)

    @classmethod
    def of(cls, item: Mapping[str, Mapping[str, Any]]) -> "Coordinates":
        """Return the place in an item's ``latitude`` and ``longitude``."""
        return cls(float(item["latitude"]["N"]), float(item["longitude"]["N"]))

    def __str__(self) -> str:
        return f"{self.latitude:.8g}, {self.longitude:.9g}"


def distance(one: Coordinates, other: Coordinates) -> float:
    """Return the metres between two places by the haversine formula.

    It differs from the distance on the Earth, not quite a sphere, by at most half a percent.
    """
    turn = radians(other.longitude - one.longitude)
    return arc(radians(one.latitude), radians(other.latitude), turn)


def arc(latitude: float, other: float, turn: float) -> float:
    """Return the metres between two latitudes, ``turn`` apart in longitude; all in radians."""
    haversine = sin((other - latitude) / 2) ** 2 + cos(latitude) * cos(other) * sin(turn / 2) ** 2
    # Rounding may lift it above one at the antipode.
    return 2 * EARTH_RADIUS * asin(min(1.0, sqrt(haversine)))


# Geohashes and their cells


def geohash_of(place: Coordinates) -> str:
    """Return the geohash of a place; in a cap the letter of the cap stands in front of it."""
    cap = ""
    if place.latitude > CAP_LATITUDE:
        cap = NORTH
    elif place.latitude < -CAP_LATITUDE:
        cap = SOUTH
    if cap:
        place = _turned(place, cap)
    geohash: str = pygeohash.encode(place.latitude, place.longitude, precision=PRECISION)
    return cap + geohash


def least_distance(place: Coordinates, cell: str) -> float:
    """Return a lower bound, in metres, on the distance to anything in a cell."""
    return max(0.0, _distance_to_cell(place, cell) - ROUNDING_SLACK)


def greatest_distance(place: Coordinates, cell: str) -> float:
    """Return an upper bound, in metres, on the distance to anything in a cell.

    It is half the circumference less the least distance from the antipode.
    """
    east = place.longitude - HALF_TURN
    if east < -HALF_TURN:
        east += FULL_TURN
    antipode = Coordinates(-place.latitude, east)
    return HALFWAY_ROUND - _distance_to_cell(antipode, cell) + ROUNDING_SLACK


def children(cell: str) -> list[str]:
    """Return the 32 cells that a cell is divided into, in the order of sort keys."""
    return [cell + character for character in ALPHABET]


def is_smallest(cell: str) -> bool:
    """Return whether a cell is that of a whole geohash."""
    geohash = cell[1:] if cell.startswith(CAPS) else cell
    return len(geohash) >= PRECISION


@lru_cache(maxsize=REMEMBERED_BOXES)
def _box(cell: str) -> pygeohash.BoundingBox:
    return pygeohash.get_bounding_box(cell)


def _distance_to_cell(place: Coordinates, cell: str) -> float:
    """Return the metres from a place to the nearest spot of a cell, up to errors of rounding."""
    if cell.startswith(CAPS):
        place = _turned(place, cell[0])
        cell = cell[1:]
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
    """Return the radians between a longitude and the nearest one from ``west`` to ``east``."""
    if west <= longitude <= east:
        return 0.0
    turns = []
    for edge in (west, east):
        turn = abs(longitude - edge) % FULL_TURN
        turns += [turn, FULL_TURN - turn]  # either way round
    return radians(min(turns))
