"""What the page of pickup points shows: each point with its distance, and the link to more."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from dynapages.django.paging import grouped
from shop.orders.items import NewPickup
from shop.pickup.nearest import Nearest

FIRST_SHOWN = 10
MOST_SHOWN = 50
KILOMETRE = 1_000
SHOWN_IN_METRES = KILOMETRE - 5
"""Below it a distance is in tens of metres; above it those would be 1,000 m, which is 1.0 km."""
SHOWN_WITH_A_DECIMAL = 10 * KILOMETRE - 50
"""Below it a distance in kilometres has one decimal; above it that would be 10.0 km."""


def pickup_listing(
    nearest: Nearest | None, *, near: str, count: int, chosen: NewPickup | None, order_id: str
) -> dict[str, Any]:
    """Build what the template shows of the points nearest to the place that ``near`` says.

    ``count`` points were read for; ``chosen`` is the order's pickup point now.
    """
    address = reverse("pickup", args=[order_id])
    points = []
    if nearest is not None:
        for each in nearest.points:
            row = {
                "point": each.point,
                "metres": round(each.metres),
                "distance": format_distance(each.metres),
                "is_chosen": chosen is not None and each.point.id == chosen.id,
            }
            points.append(row)
    more_url = None
    if len(points) == count < MOST_SHOWN:  # fewer are all there are
        query = urlencode({"near": near, "count": min(count * 2, MOST_SHOWN)})
        more_url = f"{address}?{query}"
    return {"points": points, "chosen": chosen, "address": address, "more_url": more_url}


def format_distance(metres: float) -> str:
    """Format a distance as the language does, the farther the less precisely."""
    if metres < SHOWN_IN_METRES:
        return f"{grouped(round(metres, -1), places=0)} m"
    decimals = 1 if metres < SHOWN_WITH_A_DECIMAL else 0
    return f"{grouped(metres / KILOMETRE, places=decimals)} km"
