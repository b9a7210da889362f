"""Pickup points and the middles of postcodes, as values and as the items that store them.

A point is stored twice: under its id, and in its area, where the sort key begins with its geohash.
It counts in two directories: that of the world, and that of its area.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dynapages.items import Item
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.models import ZipPlace as StoredZip
from shop.pickup.cells import Coordinates, geohash_of

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


@dataclass(frozen=True, slots=True)
class ZipLocation:
    """The middle of the postcodes with a prefix; ``prefix`` and ``city`` may be empty."""

    prefix: str
    place: Coordinates
    city: str = ""

    def __str__(self) -> str:
        return f"{self.prefix} {self.city}".strip()


# Pickup points


def point_items(point: PickupPoint) -> tuple[StoredPoint, StoredPoint]:
    """Build a point's own item, and its item in its area."""
    own_key = keys.pickup_point(point.id)
    return _point_item(point, own_key, own_key), _point_item(point, *area_key(point))


def area_key(point: PickupPoint) -> tuple[str, str]:
    """Return the partition key and the sort key of a point's item in its area."""
    geohash = geohash_of(point.place)
    return keys.area(geohash), keys.spot(geohash, point.id)


def point_of(item: Item) -> PickupPoint:
    """Return the point that either of its two items stores."""
    return PickupPoint(
        id=item["sk"]["S"].partition("#")[2],  # both sort keys end in it
        name=item["name"]["S"],
        address=item["address"]["S"],
        place=Coordinates.of(item),
        hours=item["hours"]["S"],
    )


def counted_cells(point: PickupPoint) -> Mapping[str, str]:
    """Return the cells that a point counts in, by directory: the world's and its area's."""
    geohash = geohash_of(point.place)
    area = keys.area_of(geohash)
    length = len(area) + CELL_CHARACTERS - keys.AREA_CHARACTERS
    return {WORLD: area, area: geohash[:length]}


def _point_item(point: PickupPoint, partition_key: str, sort_key: str) -> StoredPoint:
    """Build one of the two items of a point."""
    return StoredPoint(
        pk=partition_key,
        sk=sort_key,
        name=point.name,
        address=point.address,
        hours=point.hours,
        latitude=point.place.latitude,
        longitude=point.place.longitude,
    )


# Postcodes


def zip_item(location: ZipLocation) -> StoredZip:
    """Build the item of the postcodes with a prefix."""
    key = keys.zip_prefix(location.prefix)
    return StoredZip(
        pk=key,
        sk=key,
        latitude=location.place.latitude,
        longitude=location.place.longitude,
        city=location.city,
    )


def zip_location_of(item: Item) -> ZipLocation:
    """Return the place of the postcodes with a prefix from its item."""
    prefix = item["pk"]["S"].removeprefix(keys.ZIP_PREFIX)
    city = item["city"]["S"] if "city" in item else ""
    return ZipLocation(prefix, Coordinates.of(item), city)
