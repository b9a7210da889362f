"""Geohash cells: the boxes of latitude and longitude of the prefixes of geohashes.

Each character of a geohash divides its cell into 32. The geohashes in a cell have a prefix in
common, so they are one range of sort keys; but neighbours across the edge of a cell or the
antimeridian do not. Distances are therefore bounded by the box of a cell on the sphere, not by its
characters.

Towards a pole cells become narrow, until 32 areas meet in one point. A place near a pole, in its
*cap*, has instead the geohash that it would have if the sphere were turned until the pole lay at
0, 0; the letter of the cap is in front of it. Turning changes no distance.
"""

from functools import lru_cache
from math import asin, atan2, cos, degrees, radians, sin

import pygeohash

from shop.keys import CAPS
from shop.pickup.coordinates import FULL_TURN, HALFWAY_ROUND, Coordinates, arc

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
    if abs(place.latitude) <= CAP_BEGINS:
        return _geohash_of(place)
    cap = NORTH if place.latitude > 0 else SOUTH
    return cap + _geohash_of(_turned(place, cap))


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


def _geohash_of(place: Coordinates) -> str:
    found: str = pygeohash.encode(place.latitude, place.longitude, precision=PRECISION)
    return found


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
