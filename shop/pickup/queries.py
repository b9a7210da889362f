"""Reads of pickup points: the nearest ones to a place, one by its id, and where orders went to."""

from collections.abc import Iterable
from dataclasses import dataclass

from dynapages.calls import labelled_calls, metered
from dynapages.items import Item
from dynapages.lists import Entry, Explanation, PageRequest, QuerySource, explain
from dynapages.process import client, pool, read
from shop import keys
from shop.addresses.address import NewAddress
from shop.models import Order
from shop.models import PickupPoint as StoredPoint
from shop.orders.entries import address_in
from shop.orders.filters import OrderFilter, plan_for_user
from shop.pickup.cells import Coordinates
from shop.pickup.directory import read_directories
from shop.pickup.items import PickupPoint, ZipLocation, point_of
from shop.pickup.locations import BadLocation, NoSuchZip, find_zip, locate
from shop.pickup.nearest import Nearest, find_nearest

PLAN = "nearest"
"""The name of the search in explanations."""
EARLIER_ORDERS = 20
"""The newest orders of a customer, read by one query."""


class NoSuchPoint(LookupError):
    """There is no pickup point with this id."""


def nearest_points(place: Coordinates, count: int) -> Nearest:
    """Read the pickup points nearest to a place, exactly but eventually consistent (P6)."""
    directory = labelled_calls("directory")(read_directories)
    return find_nearest(
        place, count, directory=directory, source=QuerySource(client()), pool=pool()
    )


def find_point(point_id: str) -> PickupPoint:
    """Return a point by its id, as of the last write. Raises NoSuchPoint."""
    key = keys.pickup_point(point_id)
    stored = StoredPoint.find(key, key)
    if stored is None:
        raise NoSuchPoint(point_id)
    return point_of(stored.serialize())


def explain_pickup(near: str, *, count: int) -> Explanation:
    """Explain the page of the points nearest to a typed place. Raises BadLocation, NoSuchZip."""
    with metered() as meter:
        with labelled_calls("postcode"):
            place = locate(near).place
        page = nearest_points(place, count).page
    return explain(page, plan=PLAN, meter=meter)


@dataclass(frozen=True, slots=True)
class EarlierOrders:
    """Where a customer's newest orders went: the first place that is known, and address typed."""

    location: ZipLocation | None = None
    address: NewAddress | None = None


def location_of_earlier_order(username: str) -> ZipLocation | None:
    """Return the place that a customer's newest order went to, of those with a known one."""
    return read_earlier_orders(username).location


def read_earlier_orders(username: str) -> EarlierOrders:
    """Read the newest orders of a customer, in one query, and where they went."""
    plan = plan_for_user(username, OrderFilter())
    with labelled_calls("earlier orders"):
        page = read(plan.runs, PageRequest(EARLIER_ORDERS), look_ahead=False)
    address = _first_address(page.entries)
    for entry in page.entries:
        location = _location_of_order(entry.item)
        if location is not None:
            return EarlierOrders(location, address)
    return EarlierOrders(address=address)


def _first_address(entries: Iterable[Entry]) -> NewAddress | None:
    """Return the address of the first order that has one."""
    for entry in entries:
        if Order.address.attr_name in entry.item:
            return address_in(Order.from_raw_data(dict(entry.item)))
    return None


def location_of_point(point_id: str) -> ZipLocation | None:
    """Return the place of a pickup point under the point's name, or None if it is gone."""
    with labelled_calls("pickup point"):
        try:
            point = find_point(point_id)
        except NoSuchPoint:
            return None
    return ZipLocation("", point.place, point.name)


def _location_of_order(order: Item) -> ZipLocation | None:
    """Return where an order went to: its pickup point, or else the middle of its postcode."""
    if "pickup" in order:
        location = location_of_point(order["pickup"]["M"]["id"]["S"])
        if location is not None:
            return location
    if "zip_prefix" not in order:
        return None
    with labelled_calls("postcode"):
        try:
            return find_zip(order["zip_prefix"]["S"])
        except (NoSuchZip, BadLocation):
            return None
