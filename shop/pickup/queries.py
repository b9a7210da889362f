"""Pickup points: the nearest ones to a place, as pages show them, and what their search cost."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from dynapages.calls import Pool, labelled_calls, metered
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
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.orders.filters import OrderFilter, plan_for_user
from shop.orders.items import NewPickup
from shop.pickup.cells import Coordinates, distance, geohash_of
from shop.pickup.frontier import Frontier
from shop.pickup.points import (
    WORLD,
    BadLocation,
    NoSuchZip,
    PickupPoint,
    ZipLocation,
    find_zip,
    locate,
    point_of,
    read_directories,
)

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
