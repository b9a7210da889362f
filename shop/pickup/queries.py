"""Reads of pickup points."""

from collections.abc import Sequence
from contextlib import suppress

from dynamo.calls.client import client, pool
from dynamo.calls.meter import labelled_calls, metered
from dynamo.items import Item
from dynamo.lists.explain import Explanation, explain
from dynamo.lists.reader import PageRequest, read
from dynamo.lists.runs import QuerySource
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.orders.access_patterns import plan_for_user
from shop.orders.filters import OrderFilter
from shop.pickup.cells import Coordinates
from shop.pickup.locations import BadLocation, NoSuchZip, ZipLocation, find_zip, locate
from shop.pickup.points import PickupPoint, point_of, read_directories
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
