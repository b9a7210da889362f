"""Geohash cells: the boxes of latitude and longitude that a geohash and its beginnings name.

Each further character of a geohash divides its cell into 32. So all geohashes of a cell begin
alike, and as sort keys they are one range; but two that begin differently may be next to each
other: across the edge of a cell, the antimeridian or a pole. What is near is therefore never
told from the characters but from the box of a cell: `nearest` is a bound on the sphere.
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
"""The characters of a geohash in the order of their cells, which is that of sort keys."""
PRECISION = 10
"""Characters of a point's geohash: a cell of 1.2 by 0.6 metres."""
SLACK = 1.0
"""Metres by which the bounds are wide of what is computed, for all errors of rounding."""


def geohash_of(place: Coordinates) -> str:
    """Return the geohash of a place."""
    found: str = pygeohash.encode(place.latitude, place.longitude, precision=PRECISION)
    return found


def nearest(place: Coordinates, cell: str) -> float:
    """Return metres that nothing in the cell is nearer than.

    On one meridian the distance is least at one latitude, or at an end of it; of all meridians
    of the cell it is least on the one that is turned least from the place.
    """
    return max(0.0, _least(place, cell) - SLACK)


def farthest(place: Coordinates, cell: str) -> float:
    """Return metres that nothing in the cell is farther than: what is left to the antipode."""
    east = place.longitude - FULL_TURN / 2
    antipode = Coordinates(-place.latitude, east if east >= -FULL_TURN / 2 else east + FULL_TURN)
    return HALFWAY_ROUND - _least(antipode, cell) + SLACK


def children(cell: str) -> list[str]:
    """Return the 32 cells of a cell."""
    return [cell + character for character in ALPHABET]


def _least(place: Coordinates, cell: str) -> float:
    box = pygeohash.get_bounding_box(cell)
    turn = _turn(place.longitude, box.min_lon, box.max_lon)
    latitude = radians(place.latitude)
    low, high = radians(box.min_lat), radians(box.max_lat)
    foot = atan2(sin(latitude), cos(latitude) * cos(turn))
    if low <= foot <= high:
        return arc(latitude, foot, turn)
    return min(arc(latitude, low, turn), arc(latitude, high, turn))


def _turn(longitude: float, west: float, east: float) -> float:
    """Return the least turn, in radians, to a meridian between two."""
    if west <= longitude <= east:
        return 0.0
    turns = (abs(longitude - edge) % FULL_TURN for edge in (west, east))
    return radians(min(min(turn, FULL_TURN - turn) for turn in turns))
