"""Reads of pickup points."""

from collections.abc import Sequence

from dynamo.calls.client import client, pool
from dynamo.calls.meter import labelled_calls
from dynamo.lists.sources import QuerySource
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.pickup.coordinates import Coordinates
from shop.pickup.directory import read_directories
from shop.pickup.points import PickupPoint, point_of
from shop.pickup.search import Nearest, find_nearest


class NoSuchPoint(LookupError):
    """There is no pickup point with this id."""


def nearest_points(place: Coordinates, count: int) -> Nearest:
    """Read the pickup points nearest to a place, exactly but eventually consistent (P6)."""
    return find_nearest(
        place, count, directory=_labelled, source=QuerySource(client()), pool=pool()
    )


def find_point(point_id: str) -> PickupPoint:
    """Read a point by its id, as of the last write. Raises NoSuchPoint."""
    key = keys.pickup_point(point_id)
    stored = StoredPoint.find(key, key)
    if stored is None:
        raise NoSuchPoint(point_id)
    return point_of(stored.serialize())


def _labelled(names: Sequence[str]) -> dict[str, dict[str, int]]:
    with labelled_calls("directory"):
        return read_directories(names)
