"""``manage.py remove_pickup_point``."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from shop.orders.items import NewOrder
from shop.pickup.choosing import choose_point
from shop.pickup.coordinates import Coordinates
from shop.pickup.points import PickupPoint
from shop.pickup.queries import NoSuchPoint, find_point, nearest_points
from tests.support.orders.visiting import Visitor

pytestmark = pytest.mark.usefixtures("tables")


def remove(point_id: str) -> str:
    out = StringIO()
    call_command("remove_pickup_point", point_id, stdout=out)
    return out.getvalue()


def test_takes_a_point_away_and_says_so(
    points: list[PickupPoint], spot: tuple[float, float]
) -> None:
    gone, *others = points
    assert remove(gone.id) == f"The pickup point “{gone.id}” is removed.\n"
    with pytest.raises(NoSuchPoint):
        find_point(gone.id)
    found = nearest_points(Coordinates.at(*spot), len(others)).points
    assert [each.point.id for each in found] == [point.id for point in others]


def test_again_is_no_error(points: list[PickupPoint]) -> None:
    remove(points[0].id)
    expected = f"The pickup point “{points[0].id}” is not there (any more).\n"
    assert remove(points[0].id) == expected


def test_of_an_unknown_point_is_no_error(fresh: Callable[[str], str]) -> None:
    assert "is not there" in remove(fresh("point"))


def test_leaves_orders_what_they_know_of_it(
    alice: Visitor, order: NewOrder, points: list[PickupPoint]
) -> None:
    choose_point(username=alice.username, order_id=order.id, point_id=points[0].id)
    remove(points[0].id)
    assert "Kiosk 0" in alice.get(f"/orders/{order.id}/").page.one(class_="order-pickup").text


@pytest.mark.real_engine
def test_says_in_a_line_what_the_database_refuses() -> None:
    with pytest.raises(CommandError, match="2048"):
        remove("x" * 3_000)
