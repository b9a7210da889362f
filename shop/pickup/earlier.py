"""The place that a customer's earlier orders went to, proposed for the next one."""

from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.lists.reader import PageRequest
from dynamo.lists.site_reader import read
from shop.orders.access_patterns import plan_for_user
from shop.orders.filters import OrderFilter
from shop.pickup.places import BadPlace, NoSuchZip, ZipPlace, find_zip
from shop.pickup.queries import NoSuchPoint, find_point

LOOKED_AT = 20
"""The newest orders of a customer, read by one query."""


def place_of_earlier_order(username: str) -> ZipPlace | None:
    """Return the place that a customer's newest order went to, of those with a known one."""
    plan = plan_for_user(username, OrderFilter())
    with labelled_calls("earlier orders"):
        page = read(plan.runs, PageRequest(LOOKED_AT), look_ahead=False)
    for entry in page.entries:
        if place := _place_of(entry.item):
            return place
    return None


def place_of_point(point_id: str) -> ZipPlace | None:
    """Return the place of a pickup point under its name, or None if it is gone."""
    try:
        with labelled_calls("pickup point"):
            point = find_point(point_id)
    except NoSuchPoint:
        return None
    return ZipPlace("", point.place, point.name)


def _place_of(order: Item) -> ZipPlace | None:
    pickup, zip_prefix = order.get("pickup"), order.get("zip_prefix")
    place = place_of_point(pickup["M"]["id"]["S"]) if pickup else None
    return place or (_place_of_zip(zip_prefix["S"]) if zip_prefix else None)


def _place_of_zip(prefix: str) -> ZipPlace | None:
    try:
        with labelled_calls("postcode"):
            return find_zip(prefix)
    except (NoSuchZip, BadPlace):
        return None
