"""The nearest pickup points as a page shows them."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from shop.orders.entries import PickupEntry
from shop.pickup.places import ZipPlace
from shop.pickup.search import Nearest, NearPoint

FIRST_SHOWN, MOST_SHOWN = 10, 50
KILOMETRE = 1_000
EXACT_BELOW = 10 * KILOMETRE


@dataclass(frozen=True, slots=True)
class PointEntry:
    """A point as lists show it, with how far it is."""

    id: str
    name: str
    address: str
    hours: str
    metres: int
    distance: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class PickupListing:
    """The points nearest to where ``near`` says, and the ways from here.

    ``found`` names that place, and is empty when it is not known: ``problem`` then says why, or
    is empty because nothing was asked for yet. ``is_of_earlier`` tells that nobody named it, and
    that an earlier order went there.
    """

    points: tuple[PointEntry, ...]
    near: str
    found: str
    problem: str
    chosen: PickupEntry | None
    address: str
    order_url: str
    more_url: str | None
    is_of_earlier: bool

    @property
    def heading(self) -> str:
        return f"Pickup points near {self.found}" if self.found else "Pickup points"


def pickup_listing(
    *,
    place: ZipPlace | None,
    nearest: Nearest | None,
    near: str,
    count: int,
    problem: str,
    is_of_earlier: bool,
    chosen: PickupEntry | None,
    order_id: str,
) -> PickupListing:
    """Put a page together; without a place, one that asks for it."""
    points = nearest.points if nearest else ()
    address = reverse("pickup", args=[order_id])
    more = min(count * 2, MOST_SHOWN) if len(points) == count < MOST_SHOWN else None
    return PickupListing(
        points=tuple(_entry(point, chosen) for point in points),
        near=near,
        found=str(place) if place else "",
        problem=problem,
        chosen=chosen,
        address=address,
        order_url=reverse("order", args=[order_id]),
        more_url=f"{address}?{urlencode({'near': near, 'count': more})}" if more else None,
        is_of_earlier=is_of_earlier,
    )


def spelled_distance(metres: float) -> str:
    """Spell a distance as precisely as somebody who walks or drives it wants to know it."""
    if metres < KILOMETRE - 5:  # what would be rounded to 1,000 m is 1.0 km
        return f"{round(metres, -1):.0f} m"
    kilometres = metres / KILOMETRE
    return f"{kilometres:.1f} km" if metres < EXACT_BELOW - 50 else f"{kilometres:,.0f} km"


def _entry(near: NearPoint, chosen: PickupEntry | None) -> PointEntry:
    point = near.point
    return PointEntry(
        id=point.id,
        name=point.name,
        address=point.address,
        hours=point.hours,
        metres=round(near.metres),
        distance=spelled_distance(near.metres),
        is_chosen=chosen is not None and chosen.id == point.id,
    )
