"""Pickup points, and the nearest ones to a place, as pages show them, with what their search cost.

The place is what a visitor types: coordinates, or a postcode with a known prefix. There is no
geocoding: imports give the middle of the postcodes with a prefix.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from dynapages.calls import Batches, Pool, labelled_calls, metered
from dynapages.django.paging import grouped
from dynapages.items import Item
from dynapages.lists import (
    Chunk,
    Entry,
    Explanation,
    Page,
    PageRequest,
    QuerySource,
    Run,
    RunRead,
    Source,
    explain,
)
from dynapages.process import client, pool, read
from dynapages.writes import Deltas
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.models import ZipPlace as StoredPlace
from shop.orders.filters import OrderFilter, plan_for_user
from shop.orders.items import NewPickup
from shop.pickup.cells import BadCoordinates, Coordinates, Frontier, distance, geohash_of
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
    prefix = item["pk"]["S"].removeprefix(keys.ZIP_PREFIX)
    return ZipLocation(prefix, Coordinates.of(item), item.get("city", {}).get("S", ""))


Counts = Mapping[str, Mapping[str, int]]
"""Counts of points by directory and cell."""
Directory = Callable[[Sequence[str]], Counts]
"""Counts points: for the world (`WORLD`) by areas, for an area by its cells."""


@dataclass(frozen=True, slots=True)
class NearPoint:
    """A point, and its distance in metres."""

    point: PickupPoint
    metres: float


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest points, by distance and id, and how they were read."""

    points: tuple[NearPoint, ...]
    page: Page


_Found = tuple[NearPoint, Entry]


def find_nearest(
    origin: Coordinates, count: int, *, directory: Directory, source: Source, pool: Pool
) -> Nearest:
    """Find the ``count`` points nearest to a place by distance and id, or all if there are fewer.

    Reads the directories of the world and of one area first; then, in each round, directories of
    further areas and cells. What the directory or the source raises passes through.
    """
    frontier, found, reads, rounds = Frontier(origin, count), list[_Found](), list[RunRead](), 0
    home = keys.area_of(geohash_of(origin))
    counts = directory([WORLD, home])
    for area, number in counts[WORLD].items():
        frontier.add(area, number)
    if home in counts[WORLD]:
        frontier.open(home, counts[home])
    while any(following := frontier.take([near.metres for near, _ in found])):
        areas, stretches = following
        calls: list[Callable[[], Chunk | Counts]] = [
            partial(source.query, s.run, behind=s.behind, limit=frontier.limit(s), ascending=True)
            for s in stretches
        ]
        if areas:
            calls.append(partial(directory, areas))
        answers = pool.gather(calls)
        rounds += 1
        chunks = [answer for answer in answers if isinstance(answer, Chunk)]
        for stretch, chunk in zip(stretches, chunks, strict=True):
            reads.append(RunRead(stretch.run, 1, chunk.items_read, 0, chunk.capacity_units))
            found += [_found_in(reads[-1].run, item, origin) for item in chunk.items]
            if chunk.last is not None:
                frontier.put_back(stretch, chunk.last, items_read=chunk.items_read)
        found = sorted(found, key=lambda one: (one[0].metres, one[0].point.id))[:count]
        for answer in answers[len(chunks) :]:
            if not isinstance(answer, Chunk):
                for area, cells in answer.items():
                    frontier.open(area, cells)
    return Nearest(tuple(near for near, _ in found), _page(found, reads, rounds))


def _found_in(run: Run, item: Item, origin: Coordinates) -> _Found:
    point = point_of(item)
    return NearPoint(point, distance(origin, point.place)), Entry(item, run.position_of(item), run)


def _page(found: Sequence[_Found], reads: Sequence[RunRead], rounds: int) -> Page:
    entries = tuple(
        replace(entry, position=replace(entry.position, ordinal=ordinal))
        for ordinal, (_, entry) in enumerate(found, 1)
    )
    shown = Counter(id(entry.run) for entry in entries)
    counted = tuple(replace(read, items_returned=shown[id(read.run)]) for read in reads)
    return Page(entries, has_next=False, has_previous=False, rounds=rounds, reads=counted)


class NoSuchPoint(LookupError):
    """There is no pickup point with this id."""


def nearest_points(place: Coordinates, count: int) -> Nearest:
    """Read the pickup points nearest to a place, exactly but eventually consistent (P6)."""
    directory = labelled_calls("directory")(read_directories)
    return find_nearest(
        place, count, directory=directory, source=QuerySource(client()), pool=pool()
    )


def find_point(point_id: str) -> PickupPoint:
    """Read a point by its id, as of the last write. Raises NoSuchPoint."""
    key = keys.pickup_point(point_id)
    stored = StoredPoint.find(key, key)
    if stored is None:
        raise NoSuchPoint(point_id)
    return point_of(stored.serialize())


PLAN = "nearest"


def explain_pickup(near: str, *, count: int) -> Explanation:
    """Explain the page of the points nearest to a typed place. Raises BadPlace, NoSuchZip."""
    with metered() as meter:
        with labelled_calls("postcode"):
            place = locate(near).place
        page = nearest_points(place, count).page
    return explain(page, plan=PLAN, meter=meter)


LOOKED_AT = 20
"""The newest orders of a customer, read by one query."""


def place_of_earlier_order(username: str) -> ZipLocation | None:
    """Return the place that a customer's newest order went to, of those with a known one."""
    plan = plan_for_user(username, OrderFilter())
    with labelled_calls("earlier orders"):
        page = read(plan.runs, PageRequest(LOOKED_AT), look_ahead=False)
    for entry in page.entries:
        if place := _place_of(entry.item):
            return place
    return None


def place_of_point(point_id: str) -> ZipLocation | None:
    """Return the place of a pickup point under its name, or None if it is gone."""
    with suppress(NoSuchPoint), labelled_calls("pickup point"):
        point = find_point(point_id)
        return ZipLocation("", point.place, point.name)
    return None


def _place_of(order: Item) -> ZipLocation | None:
    pickup, zip_prefix = order.get("pickup"), order.get("zip_prefix")
    if pickup and (place := place_of_point(pickup["M"]["id"]["S"])):
        return place
    with suppress(NoSuchZip, BadLocation), labelled_calls("postcode"):
        return find_zip(zip_prefix["S"]) if zip_prefix else None
    return None


FIRST_SHOWN, MOST_SHOWN = 10, 50
KILOMETRE = 1_000
EXACT_BELOW = 10 * KILOMETRE


def pickup_listing(
    nearest: Nearest | None, *, near: str, count: int, chosen: NewPickup | None, order_id: str
) -> dict[str, Any]:
    """Build what the template shows of the points nearest to what ``near`` says."""
    points = nearest.points if nearest else ()
    address = reverse("pickup", args=[order_id])
    more = min(count * 2, MOST_SHOWN) if len(points) == count < MOST_SHOWN else None
    return {
        "points": [
            {
                "point": each.point,
                "metres": round(each.metres),
                "distance": spelled_distance(each.metres),
                "is_chosen": chosen is not None and each.point.id == chosen.id,
            }
            for each in points
        ],
        "chosen": chosen,
        "address": address,
        "more_url": f"{address}?{urlencode({'near': near, 'count': more})}" if more else None,
    }


def spelled_distance(metres: float) -> str:
    """Format a distance as the language does, the farther the less precisely."""
    if metres < KILOMETRE - 5:  # what would be rounded to 1,000 m is 1.0 km
        return f"{grouped(round(metres, -1), places=0)} m"
    return f"{grouped(metres / KILOMETRE, places=1 if metres < EXACT_BELOW - 50 else 0)} km"
