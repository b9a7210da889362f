"""A pickup point, its items and their keys; and the place a visitor types.

That is coordinates, or a postcode with a known prefix. There is no geocoding: imports give the
middle of the postcodes with a prefix.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dynapages.calls import Batches
from dynapages.items import Item
from dynapages.process import client, pool
from dynapages.writes import Deltas
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.models import ZipPlace as StoredPlace
from shop.pickup.cells import BadCoordinates, Coordinates, geohash_of
from shop.table import TABLE, counters_of, read_for_page, read_items

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


LONGEST_ZIP, SHORTEST_PREFIX = 10, 3

_NUMBER = r"[-+]?\d{1,3}(?:\.\d{1,20})?"
_COORDINATES = re.compile(rf"({_NUMBER})\s*[,;\s]\s*({_NUMBER})", re.ASCII)
_ZIP = re.compile(rf"[0-9A-Z]{{{SHORTEST_PREFIX},{LONGEST_ZIP}}}", re.ASCII)


class BadLocation(ValueError):
    """The text is neither coordinates nor a postcode; the message says what is."""


class NoSuchZip(LookupError):
    """No prefix of the postcode is known."""


@dataclass(frozen=True, slots=True)
class ZipLocation:
    """The middle of the postcodes with a prefix; ``prefix`` and ``city`` may be empty."""

    prefix: str
    place: Coordinates
    city: str = ""

    def __str__(self) -> str:
        return f"{self.prefix} {self.city}".strip()


def locate(text: str) -> ZipLocation:
    """Return the place of a postcode or coordinates. Raises BadPlace and NoSuchZip."""
    coordinates = _COORDINATES.fullmatch(text.strip())
    if coordinates is None:
        return find_zip(text)
    latitude, longitude = (float(number) for number in coordinates.groups())
    try:
        place = Coordinates.at(latitude, longitude)
    except BadCoordinates as error:
        sentence = _("Latitudes are from -90 to 90, and longitudes from -180 to 180.")
        raise BadLocation(sentence) from error
    return ZipLocation("", place, str(place))


def find_zip(text: str) -> ZipLocation:
    """Find a postcode's place by its longest known prefix, in one batch of reads.

    What follows a hyphen is ignored. Raises BadPlace and NoSuchZip.
    """
    code = zip_code_of(text)
    if not code:
        raise BadLocation(_unknown(text))
    prefixes = [code[:length] for length in range(SHORTEST_PREFIX, len(code) + 1)]
    own_keys = map(keys.zip_prefix, prefixes)
    found = map(_zip_place, read_for_page((key, key) for key in own_keys))
    longest = max(found, key=lambda one: len(one.prefix), default=None)
    if longest is None:
        raise NoSuchZip(_unknown(text))
    return longest


def zip_code_of(text: str) -> str:
    """Return a postcode without blanks and what follows a hyphen; empty where it is none."""
    code = re.sub(r"\s", "", text.strip().upper().partition("-")[0])
    return code if _ZIP.fullmatch(code) else ""


def _unknown(text: str) -> str:
    return _("We don't know “%(place)s”. Try a postcode such as 1100.") % {"place": text.strip()}


def put_zips(places: Iterable[ZipLocation]) -> int:
    """Write the places of zip prefixes; return how many were new or changed."""
    wanted = {keys.zip_prefix(place.prefix): place for place in places}
    found = read_items((key, key) for key in wanted)
    stored = {key: _zip_place(item) for (key, _sk), item in found.items()}
    changed = [place for key, place in wanted.items() if stored.get(key) != place]
    Batches(client(), pool()).put(TABLE, [_zip_item(place).serialize() for place in changed])
    return len(changed)


def _zip_item(place: ZipLocation) -> StoredPlace:
    key = keys.zip_prefix(place.prefix)
    return StoredPlace(
        pk=key,
        sk=key,
        latitude=place.place.latitude,
        longitude=place.place.longitude,
        city=place.city,
    )


def _zip_place(item: Item) -> ZipLocation:
    return ZipLocation(
        keys.zip_in(item["pk"]["S"]), Coordinates.of(item), item.get("city", {}).get("S", "")
    )
