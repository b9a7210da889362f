"""The nearest pickup points as a page shows them."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from dynamo.web.paging import grouped
from shop.orders.items import NewPickup
from shop.pickup.search import Nearest

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
