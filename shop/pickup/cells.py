"""Geohash cells: the boxes of latitude and longitude of the prefixes of geohashes.

Each character of a geohash divides its cell into 32. The geohashes in a cell have a prefix in
common, so they are one range of sort keys; but neighbours across the edge of a cell, the
antimeridian or a pole do not. Distances are therefore bounded by the box of a cell on the sphere,
not by its characters.
"""

from math import atan2, cos, radians, sin

import pygeohash

from shop.pickup.coordinates import (
    FULL_TURN,
    HALFWAY_ROUND,
    Coordinates,
    arc,
)

ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
"""The characters of a geohash in the order of sort keys."""
PRECISION = 10
"""Characters of a point's geohash: a cell of 1.2 by 0.6 metres."""
SLACK = 1.0
"""Metres added to the bounds for errors of rounding."""


def geohash_of(place: Coordinates) -> str:
    """Return the geohash of a place."""
    found: str = pygeohash.encode(place.latitude, place.longitude, precision=PRECISION)
    return found


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


def _least(place: Coordinates, cell: str) -> float:
    box = pygeohash.get_bounding_box(cell)
    # Least on the meridian that is turned least from the place, at its foot or an end.
    turn = _turn(place.longitude, box.min_lon, box.max_lon)
    latitude = radians(place.latitude)
    low, high = radians(box.min_lat), radians(box.max_lat)
    foot = atan2(sin(latitude), cos(latitude) * cos(turn))
    if low <= foot <= high:
        return arc(latitude, foot, turn)
    return min(arc(latitude, low, turn), arc(latitude, high, turn))


def _turn(longitude: float, west: float, east: float) -> float:
    if west <= longitude <= east:
        return 0.0
    turns = (abs(longitude - edge) % FULL_TURN for edge in (west, east))
    return radians(min(min(turn, FULL_TURN - turn) for turn in turns))
