"""Where an order of the basket may go: to pickup points near a place, or to the door."""

from collections.abc import Sequence
from dataclasses import dataclass

from dynapages.django.paging import LONGEST_ID
from shop.addresses.address import NewAddress
from shop.orders.items import NewPickup
from shop.pickup.items import PickupPoint, ZipLocation
from shop.pickup.listing import format_distance
from shop.pickup.locations import BadLocation, NoSuchZip, locate
from shop.pickup.queries import NoSuchPoint, find_point, nearest_points, read_earlier_orders

LONGEST_NEAR = 100
"""Characters of a place that was typed."""
POINTS_OFFERED = 5


@dataclass(frozen=True, slots=True)
class Delivery:
    """The points near a place as it was typed, each with its distance, or the ``problem``.

    ``address`` is that of an earlier order, if those were read.
    """

    near: str
    points: Sequence[tuple[PickupPoint, str]] = ()
    problem: str = ""
    address: NewAddress | None = None


def delivery_to(near: str, *, username: str) -> Delivery:
    """Return the nearest pickup points to a postcode or coordinates, or to an earlier order's."""
    address = None
    try:
        if near:
            location: ZipLocation | None = locate(near)
        else:
            earlier = read_earlier_orders(username)
            location, address = earlier.location, earlier.address
    except (NoSuchZip, BadLocation) as error:
        return Delivery(near, problem=str(error))
    if location is None:
        return Delivery(near, address=address)
    nearest = nearest_points(location.place, POINTS_OFFERED).points
    points = [(one.point, format_distance(one.metres)) for one in nearest]
    return Delivery(near or location.prefix, points, address=address)


@dataclass(frozen=True, slots=True)
class PickupRead:
    """The pickup point of a form as it was read: the ``point``, None for the door.

    Where it does not exist, ``problem`` is to be raised.
    """

    point: NewPickup | None = None
    problem: NoSuchPoint | None = None

    def require(self) -> NewPickup | None:
        """Return the point. Raises NoSuchPoint."""
        if self.problem is not None:
            raise self.problem
        return self.point


def read_pickup(point_id: str) -> PickupRead:
    """Read the pickup point of a form, whose absence is to be said later."""
    try:
        return PickupRead(chosen_pickup(point_id))
    except NoSuchPoint as problem:
        return PickupRead(problem=problem)


def chosen_pickup(point_id: str) -> NewPickup | None:
    """Read the pickup point of a form, None for the door. Raises NoSuchPoint."""
    if not point_id:
        return None
    if len(point_id) > LONGEST_ID:
        raise NoSuchPoint(point_id)
    point = find_point(point_id)
    return NewPickup(point.id, point.name, point.address, point.hours)
