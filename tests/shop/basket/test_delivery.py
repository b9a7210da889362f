"""The page before an order is placed: where it goes, and all of it once more."""

from collections.abc import Callable

import pytest

from dynamo.lists.reader import page_batches
from shop.pickup.cells import Coordinates
from shop.pickup.locations import ZipLocation, put_zips
from shop.pickup.points import PickupPoint
from shop.pickup.writing import put_points
from tests.support.chance import digits
from tests.support.orders.making import put_product
from tests.support.orders.visiting import Shown, Visitor
from tests.support.pickup.stored import made_point

SPOT = (-54.4, 3.4)
"""Bouvet Island: no other test has points there."""


@pytest.fixture
def lamp(fresh: Callable[[str], str], tables: None) -> str:
    return put_product(fresh("lamp"), cents=1_999)


@pytest.fixture
def point(fresh: Callable[[str], str], tables: None) -> PickupPoint:
    point = made_point(fresh, SPOT)
    put_points([point])
    return point


@pytest.fixture
def asked(alice: Visitor, lamp: str) -> Shown:
    """The page, for two lamps."""
    alice.post("/basket/add/", {"product_id": lamp, "quantity": "2"})
    return alice.get("/basket/order/")


def place(visitor: Visitor, asked: Shown, point_id: str) -> Shown:
    intent = asked.page.one("input", name="order_id")["value"]
    return visitor.post("/basket/place/", {"order_id": intent, "point": point_id})


class TestThePageBeforeAnOrder:
    def test_shows_all_of_it(self, asked: Shown, lamp: str) -> None:
        summary = asked.page.one("table")
        assert [row.text for row in summary.one("tbody").all("tr")] == [
            f"Product {lamp} 2 \N{MULTIPLICATION SIGN} 19.99 39.98"
        ]
        assert "EUR 39.98" in summary.one("tfoot").text

    def test_has_it_delivered_to_the_door_unless_told_otherwise(
        self, alice: Visitor, asked: Shown
    ) -> None:
        (door,) = asked.page.all("input", name="point")
        assert (door["value"], door.get("checked")) == ("", "")
        placed = place(alice, asked, "")
        assert placed.page.one(class_="order-pickup").all("p")[0].text == "To your address."

    def test_offers_the_pickup_points_nearby(
        self, alice: Visitor, asked: Shown, point: PickupPoint
    ) -> None:
        prefix = digits(9)
        put_zips([ZipLocation(prefix, Coordinates.at(*SPOT), "Bouvet")], batches=page_batches())
        near = alice.get(f"/basket/order/?near={prefix}")
        offered = [field["value"] for field in near.page.all("input", name="point")]
        assert point.id in offered
        placed = place(alice, near, point.id)
        assert placed.messages == ["Thank you! Your order has been placed."]
        assert placed.page.one("p", data_pickup=True)["data-pickup"] == point.id

    def test_says_when_a_place_is_not_known(self, alice: Visitor, asked: Shown) -> None:
        shown = alice.get("/basket/order/?near=nowhere-at-all")
        assert shown.status == 200
        assert shown.page.one(id="near-help").text.startswith("We don't know “nowhere-at-all”.")

    @pytest.mark.parametrize("point_id", ["gone", "x" * 1_500])
    def test_comes_back_when_the_pickup_point_is_gone(
        self, alice: Visitor, asked: Shown, point_id: str
    ) -> None:
        shown = place(alice, asked, point_id)
        assert shown.messages == ["That pickup point is no longer there. Please choose another."]
        assert shown.page.one("h1").text == "Checkout"

    def test_is_the_basket_while_there_is_nothing_in_it(self, alice: Visitor) -> None:
        assert alice.get("/basket/order/").response["Location"] == "/basket/"
