"""The page on which a customer chooses a pickup point, and what the order's page says of it."""

from dataclasses import replace
from random import Random

import pytest

from dynamo.reading import page_batches
from shop.order_items import NewOrder
from shop.order_status import Status
from shop.pickup.coordinates import Coordinates
from shop.pickup.places import ZipPlace, put_zips
from shop.pickup.points import PickupPoint
from shop.pickup.writing import put_points
from tests.shop.orders.making import made_order, put
from tests.shop.orders.visiting import Shown, Visitor
from tests.shop.pickup.stored import Fresh, made_point


@pytest.fixture
def order(alice: Visitor) -> NewOrder:
    order = made_order(alice.username)
    put(order)
    return order


@pytest.fixture
def spot() -> tuple[float, float]:
    """A place in the south of the Indian Ocean that no other test knows."""
    rng = Random()
    return rng.uniform(-50, -40), rng.uniform(60, 100)


@pytest.fixture
def points(fresh: Fresh, spot: tuple[float, float]) -> list[PickupPoint]:
    """Four points, a hundred metres from each other, the nearest first."""
    latitude, longitude = spot
    made = [
        made_point(fresh, (latitude + n / 1_112, longitude), name=f"Kiosk {n}") for n in range(4)
    ]
    put_points(made)
    return made


def page_of(order: NewOrder) -> str:
    return f"/orders/{order.id}/pickup/"


def near(spot: tuple[float, float]) -> str:
    return f"?near={spot[0]:.6f}, {spot[1]:.6f}"


def ids(shown: Shown) -> list[str]:
    return [element["data-point-id"] for element in shown.page.all("li", data_point_id=True)]


class TestThePage:
    def test_lists_the_nearest_with_distances_and_hours(
        self, alice: Visitor, order: NewOrder, points: list[PickupPoint], spot: tuple[float, float]
    ) -> None:
        shown = alice.get(page_of(order) + near(spot))
        assert ids(shown)[:4] == [point.id for point in points]
        row = shown.page.all("li", data_point_id=points[2].id)[0]
        assert row.text == (
            "200 m Kiosk 2 Rua Direita 7, 1100-148 Lisboa Open: Daily 7-22 Choose Kiosk 2"
        )

    def test_begins_where_the_order_goes(
        self, alice: Visitor, points: list[PickupPoint], spot: tuple[float, float], fresh: Fresh
    ) -> None:
        prefix = f"{Random().randrange(10**9):09}"
        put_zips([ZipPlace(prefix, Coordinates.at(*spot), "Kerguelen")], batches=page_batches())
        order = replace(made_order(alice.username), zip_prefix=prefix)
        put(order)
        shown = alice.get(page_of(order))
        assert shown.page.one("h1").text == f"Pickup points near {prefix} Kerguelen"
        assert ids(shown)[0] == points[0].id
        assert shown.page.one("input", name="near")["value"] == prefix

    def test_asks_where_to_look_when_nobody_said(self, alice: Visitor, order: NewOrder) -> None:
        shown = alice.get(page_of(order))
        assert shown.status == 200
        assert ids(shown) == []
        assert "Where would you like to fetch it?" in shown.page.one(class_="empty").text

    def test_knows_the_longest_beginning_of_a_zip_code(
        self, alice: Visitor, order: NewOrder, spot: tuple[float, float]
    ) -> None:
        prefix = f"{Random().randrange(10**6):06}"
        put_zips([ZipPlace(prefix, Coordinates.at(*spot), "Here")], batches=page_batches())
        for typed in (prefix, f"{prefix}-100", f" {prefix}99 "):
            shown = alice.get(f"{page_of(order)}?near={typed}")
            assert shown.page.one("h1").text == f"Pickup points near {prefix} Here"

    def test_says_when_a_zip_code_is_not_known(self, alice: Visitor, order: NewOrder) -> None:
        shown = alice.get(f"{page_of(order)}?near=ZZZ9ZZZ")
        assert shown.status == 200
        assert "where the zip code ZZZ9ZZZ is" in shown.page.one(class_="empty").text

    @pytest.mark.parametrize(
        "typed", ["91, 0", "0, 181", "Rua Direita 7", "12", "1,2,3", "%00", "é"]
    )
    def test_refuses_what_is_no_place(self, alice: Visitor, order: NewOrder, typed: str) -> None:
        assert alice.get(f"{page_of(order)}?near={typed}").status == 400

    @pytest.mark.parametrize("count", ["0", "51", "x", "-1", "٣", "9" * 5_000])
    def test_refuses_a_count_that_it_does_not_show(
        self, alice: Visitor, order: NewOrder, count: str
    ) -> None:
        assert alice.get(f"{page_of(order)}?near=1,1&count={count}").status == 400

    def test_shows_more_that_are_farther(
        self, alice: Visitor, order: NewOrder, fresh: Fresh, spot: tuple[float, float]
    ) -> None:
        put_points(made_point(fresh, (spot[0] + n / 1_000, spot[1])) for n in range(12))
        shown = alice.get(page_of(order) + near(spot))
        assert len(ids(shown)) == 10
        more = shown.page.one(class_="pickup-more").one("a")["href"]
        assert ids(alice.get(more))[:10] == ids(shown)
        assert len(ids(alice.get(more))) == 20

    def test_is_the_list_alone_for_htmx(
        self, alice: Visitor, order: NewOrder, points: list[PickupPoint], spot: tuple[float, float]
    ) -> None:
        shown = alice.get(page_of(order) + near(spot), htmx=True)
        assert shown.page.elements[0]["id"] == "pickup"
        assert shown.page.all("html") == []

    def test_says_how_it_was_read(
        self, alice: Visitor, order: NewOrder, points: list[PickupPoint], spot: tuple[float, float]
    ) -> None:
        page = alice.get(page_of(order) + near(spot)).page
        assert "capacity units" in page.one(class_="explanation-summary").text
        others = page.one(class_="explanation").all("th", scope="row")
        assert {"order", "directory"} <= {cell.text for cell in others}

    def test_exists_for_the_customer_alone(
        self, order: NewOrder, bob: Visitor, sam: Visitor, stranger: Visitor
    ) -> None:
        assert bob.get(page_of(order)).status == 404
        assert sam.get(page_of(order)).status == 404
        assert stranger.get(page_of(order)).response["Location"].startswith("/accounts/login/")

    def test_leads_back_when_the_order_is_closed(self, alice: Visitor) -> None:
        order = made_order(alice.username, Status.SHIPPED)
        put(order)
        shown = alice.get(page_of(order))
        assert shown.response["Location"] == f"/orders/{order.id}/"
        assert "cannot be changed" in alice.get(f"/orders/{order.id}/").messages[0]


class TestChoosingOnThePage:
    def test_is_told_and_shown_on_the_order(
        self, alice: Visitor, order: NewOrder, points: list[PickupPoint], spot: tuple[float, float]
    ) -> None:
        shown = alice.get(page_of(order) + near(spot))
        form = shown.page.all("li", data_point_id=points[1].id)[0].one("form")
        fields = {field["name"]: field["value"] for field in form.all("input")}
        told = alice.post(form["action"], fields)
        assert told.messages == ["The order goes to Kiosk 1."]
        assert told.page.one(data_pickup=points[1].id).text == (
            "Kiosk 1 Rua Direita 7, 1100-148 Lisboa Open: Daily 7-22"
        )

    def test_marks_what_is_chosen(
        self, alice: Visitor, order: NewOrder, points: list[PickupPoint], spot: tuple[float, float]
    ) -> None:
        alice.post(f"{page_of(order)}choose/", {"point": points[0].id})
        shown = alice.get(page_of(order) + near(spot))
        assert shown.page.one(data_chosen=True)["data-chosen"] == points[0].id
        assert "Chosen" in shown.page.all("li", data_point_id=points[0].id)[0].text

    def test_can_be_taken_back(
        self, alice: Visitor, order: NewOrder, points: list[PickupPoint]
    ) -> None:
        alice.post(f"{page_of(order)}choose/", {"point": points[0].id})
        told = alice.post(f"{page_of(order)}forget/", {})
        assert told.messages == ["The order goes to no pickup point."]
        assert told.page.all(data_pickup=True) == []

    def test_is_for_the_customer_alone(
        self,
        alice: Visitor,
        order: NewOrder,
        points: list[PickupPoint],
        bob: Visitor,
        sam: Visitor,
        stranger: Visitor,
    ) -> None:
        for visitor in (bob, sam):
            fields = {"point": points[0].id}
            assert visitor.send(f"{page_of(order)}choose/", fields).status_code == 404
            assert visitor.send(f"{page_of(order)}forget/", {}).status_code == 404
        assert stranger.send(f"{page_of(order)}choose/", {"point": points[0].id}).status_code == 302
        assert alice.get(f"/orders/{order.id}/").page.all(data_pickup=True) == []

    @pytest.mark.parametrize("point_id", ["", "nowhere", "x" * 2_000])
    def test_needs_a_point_that_there_is(
        self, alice: Visitor, order: NewOrder, point_id: str
    ) -> None:
        response = alice.send(f"{page_of(order)}choose/", {"point": point_id})
        assert response.status_code == 404

    def test_is_refused_when_the_order_has_moved_meanwhile(
        self, alice: Visitor, points: list[PickupPoint]
    ) -> None:
        order = made_order(alice.username, Status.SHIPPED)
        put(order)
        told = alice.post(f"{page_of(order)}choose/", {"point": points[0].id})
        assert told.messages == ["The order is shipped: where it goes cannot be changed any more."]
        assert told.page.all(data_pickup=True) == []

    @pytest.mark.parametrize("way", ["choose", "forget"])
    def test_is_not_done_by_looking(self, alice: Visitor, order: NewOrder, way: str) -> None:
        assert alice.get(f"{page_of(order)}{way}/").status == 405


class TestTheOrderPage:
    def test_offers_the_choice_while_the_order_is_open(
        self, alice: Visitor, order: NewOrder
    ) -> None:
        page = alice.get(f"/orders/{order.id}/").page
        assert page.one(class_="order-pickup").one("a")["href"] == page_of(order)

    def test_offers_none_for_a_closed_order(self, alice: Visitor) -> None:
        order = made_order(alice.username, Status.DELIVERED)
        put(order)
        assert alice.get(f"/orders/{order.id}/").page.all(class_="order-pickup") == []

    def test_tells_staff_where_it_goes_without_a_choice(
        self, alice: Visitor, sam: Visitor, order: NewOrder, points: list[PickupPoint]
    ) -> None:
        alice.post(f"{page_of(order)}choose/", {"point": points[0].id})
        section = sam.get(f"/orders/{order.id}/").page.one(class_="order-pickup")
        assert "Kiosk 0" in section.text
        assert section.all("a") == []
