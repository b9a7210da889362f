"""The cast of the orders' tests: alice and bob are customers, sam is staff; alice has an order."""

import pytest

from shop.orders.items import NewOrder
from shop.pickup.points import PickupPoint
from shop.pickup.writing import put_points
from tests.support.chance import CHANCE
from tests.support.comments.browsing import Visitor
from tests.support.orders.making import made_order, put
from tests.support.pickup.stored import Fresh, made_point


@pytest.fixture
def order(alice: Visitor) -> NewOrder:
    order = made_order(alice.username)
    put(order)
    return order


@pytest.fixture
def spot() -> tuple[float, float]:
    """A place in the south of the Indian Ocean that no other test knows."""
    return CHANCE.uniform(-50, -40), CHANCE.uniform(60, 100)


@pytest.fixture
def points(fresh: Fresh, spot: tuple[float, float]) -> list[PickupPoint]:
    """Four points, a hundred metres from each other, the nearest first."""
    latitude, longitude = spot
    made = [
        made_point(fresh, (latitude + n / 1_112, longitude), name=f"Kiosk {n}") for n in range(4)
    ]
    put_points(made)
    return made
