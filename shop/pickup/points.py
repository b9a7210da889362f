"""A pickup point, its items and their keys."""

from collections.abc import Mapping
from dataclasses import dataclass

from dynamo.items import Item
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.pickup.cells import geohash_of
from shop.pickup.coordinates import Coordinates

CELL_CHARACTERS = 4
"""Of the geohash of a counted cell, behind the letter of a cap: 39 km by 20 km at the equator."""
WORLD = "~"
"""The directory of the areas of the world; an area's directory has the area's name."""


@dataclass(frozen=True, slots=True)
class PickupPoint:
    """A pickup point; ``hours`` is text."""

    id: str
    name: str
    address: str
    place: Coordinates
    hours: str = ""


def point_items(point: PickupPoint) -> tuple[StoredPoint, StoredPoint]:
    """Build a point's own item, and its item in its area."""
    own = keys.pickup_point(point.id)
    return _item(point, own, own), _item(point, *area_key(point))


def area_key(point: PickupPoint) -> tuple[str, str]:
    """Derive the key of a point's item in its area."""
    geohash = geohash_of(point.place)
    return keys.area(geohash), keys.spot(geohash, point.id)


def point_of(item: Item) -> PickupPoint:
    """Read a point from either of its items."""
    return PickupPoint(
        id=_id_in(item["pk"]["S"], item["sk"]["S"]),
        name=item["name"]["S"],
        address=item["address"]["S"],
        place=Coordinates.of(item),
        hours=item["hours"]["S"],
    )


def counted_in(point: PickupPoint) -> Mapping[str, str]:
    """Return the cell that a point counts in, by directory: the world's and its area's."""
    geohash = geohash_of(point.place)
    area = keys.area_of(geohash)
    return {WORLD: area, area: geohash[: len(area) + CELL_CHARACTERS - keys.AREA_CHARACTERS]}


def _item(point: PickupPoint, partition: str, sort_key: str) -> StoredPoint:
    return StoredPoint(
        pk=partition,
        sk=sort_key,
        name=point.name,
        address=point.address,
        hours=point.hours,
        latitude=point.place.latitude,
        longitude=point.place.longitude,
    )


def _id_in(partition: str, sort_key: str) -> str:
    if partition.startswith(keys.AREA_PREFIX):
        return sort_key.partition("#")[2]
    return partition.removeprefix(keys.PICKUP_PREFIX)
