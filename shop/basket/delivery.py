"""Where an order is to go: to the door, or to a pickup point nearby."""

from collections.abc import Sequence
from dataclasses import dataclass

from dynamo.web.addresses import LONGEST_ID
from shop.orders.items import NewPickup
from shop.pickup.listing import spelled_distance
from shop.pickup.locations import BadLocation, NoSuchZip, locate
from shop.pickup.points import PickupPoint
from shop.pickup.queries import NoSuchPoint, find_point, nearest_points, place_of_earlier_order

LONGEST_NEAR = 100
POINTS_OFFERED = 5


@dataclass(frozen=True, slots=True)
class Delivery:
    """The points near a place as it was typed, each with its distance, or the ``problem``."""

    near: str
    points: Sequence[tuple[PickupPoint, str]] = ()
    problem: str = ""


def ways_to_deliver(near: str, *, username: str) -> Delivery:
    """Return the nearest pickup points to a postcode or coordinates, or to an earlier order's."""
    try:
        place = locate(near) if near else place_of_earlier_order(username)
    except (NoSuchZip, BadLocation) as error:
        return Delivery(near, problem=str(error))
    if place is None:
        return Delivery(near)
    found = nearest_points(place.place, POINTS_OFFERED).points
    points = [(each.point, spelled_distance(each.metres)) for each in found]
    return Delivery(near or place.prefix, points)


def pickup_chosen(point_id: str) -> NewPickup | None:
    """Read the pickup point of a form, None for the door. Raises NoSuchPoint."""
    if not point_id:
        return None
    if len(point_id) > LONGEST_ID:
        raise NoSuchPoint(point_id)
    point = find_point(point_id)
    return NewPickup(point.id, point.name, point.address, point.hours)
