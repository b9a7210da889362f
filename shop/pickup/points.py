"""A pickup point, and the one place where its keys are derived."""

from collections.abc import Mapping
from dataclasses import dataclass

from dynamo.items import Item
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.pickup.cells import geohash_of
from shop.pickup.coordinates import Coordinates

CELL_CHARACTERS = 4
"""Of a geohash, for each of which points are counted: 39 km by 20 km at the equator."""
WORLD = "~"
"""The directory whose cells are areas; that of an area is named as the area is."""


@dataclass(frozen=True, slots=True)
class PickupPoint:
    """Where customers fetch their orders. ``hours`` says in words when it is open."""

    id: str
    name: str
    address: str
    place: Coordinates
    hours: str = ""


def point_items(point: PickupPoint) -> tuple[StoredPoint, StoredPoint]:
    """Build a point's own item, and the same as it stands in its area."""
    own = keys.pickup_point(point.id)
    return _item(point, own, own), _item(point, *area_key(point))


def area_key(point: PickupPoint) -> tuple[str, str]:
    """Derive the key of a point's item in its area from where it is."""
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
    """Say where a point counts: directory to cell, of the world and of its area."""
    geohash = geohash_of(point.place)
    area = geohash[: keys.AREA_CHARACTERS]
    return {WORLD: area, area: geohash[:CELL_CHARACTERS]}


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
