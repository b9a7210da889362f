"""Pickup points in the table: made far from those of other tests, and read back."""

from collections.abc import Callable
from typing import Any

from shop import keys
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint, area_key
from tests.support.shop.checks import stored

Fresh = Callable[[str], str]


def made_point(
    fresh: Fresh, place: tuple[float, float] = (38.7139, -9.1394), *, name: str = "Café Central"
) -> PickupPoint:
    return PickupPoint(
        fresh("point"), name, "Rua Direita 7, 1100-148 Lisboa", Coordinates.at(*place), "Daily 7-22"
    )


def own_item(point: PickupPoint) -> dict[str, Any] | None:
    key = keys.pickup_point(point.id)
    return stored((key, key))


def area_item(point: PickupPoint) -> dict[str, Any] | None:
    return stored(area_key(point))
