"""The cast of the orders' tests: alice and bob are customers, sam is staff; alice has an order."""

import pytest

from shop.pickup.bulk_writes import put_points
from tests.support.chance import CHANCE
from tests.support.pickup.stored import made_point


@pytest.fixture
def spot():
    """A place in the south of the Indian Ocean that no other test knows."""
    return CHANCE.uniform(-50, -40), CHANCE.uniform(60, 100)


@pytest.fixture
def points(fresh, spot):
    """Four points, a hundred metres from each other, the nearest first."""
    latitude, longitude = spot
    made = [
        made_point(fresh, (latitude + n / 1_112, longitude), name=f"Kiosk {n}") for n in range(4)
    ]
    put_points(made)
    return made
