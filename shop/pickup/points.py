"""A pickup point, its items and their keys."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynapages.items import Item
from dynapages.writes import Deltas
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.pickup.cells import Coordinates, geohash_of
from shop.table import counters_of

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
    """Read a point from either of its items; both sort keys end in its id."""
    return PickupPoint(
        id=item["sk"]["S"].partition("#")[2],
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


COUNTER_PREFIX = "PICKUP#"


def read_directories(
    names: Sequence[str], *, consistent: bool = False
) -> dict[str, dict[str, int]]:
    """Read the counts of the world and of areas by their cells; empty cells are left out."""
    counters = counters_of(COUNTER_PREFIX)
    found = counters.read_many([_counter(name) for name in names], consistent=consistent)
    return {
        name: {cell_in(cell): number for cell, number in found[_counter(name)].items()}
        for name in names
    }


def deltas_of(*, added: Iterable[PickupPoint], removed: Iterable[PickupPoint]) -> Deltas:
    """Return the changes of the directory."""
    deltas: dict[str, Counter[str]] = {}
    for points, number in ((added, 1), (removed, -1)):
        for point in points:
            for name, cell in counter_cells(point):
                deltas.setdefault(name, Counter())[cell] += number
    return deltas


def counter_cells(point: PickupPoint) -> list[tuple[str, str]]:
    """Return the counters that a point counts in, each with the name of its cell there."""
    # ``pk`` and ``sk`` are cells as well as attributes.
    return [(_counter(name), f"_{cell}") for name, cell in counted_in(point).items()]


def cell_in(attribute: str) -> str:
    """Return the cell that an attribute of a counter counts."""
    return attribute[1:]


def _counter(name: str) -> str:
    return f"{COUNTER_PREFIX}{name}"
