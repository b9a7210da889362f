"""Choosing a pickup point in Chromium."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from shop.accounts.services import create_profile
from shop.orders.items import NewOrder
from shop.pickup.bulk_writes import put_points
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint
from tests.support.browser.order_visits import Shopper, cancel_what_is_open, session_cookie
from tests.support.chance import CHANCE, unique
from tests.support.orders.making import START, made_order, put

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

Open = Callable[..., Shopper]


@pytest.fixture
def place():
    """Somewhere in the south of the Pacific, where no other test has a point."""
    return Coordinates.at(CHANCE.uniform(-50, -40), CHANCE.uniform(-130, -100))


@pytest.fixture
def points(place):
    made = [
        PickupPoint(
            unique("point"),
            f"Kiosk {n}",
            f"Pier {n}",
            Coordinates.at(place.latitude + n / 1_112, place.longitude),
            "Daily 7-22",
        )
        for n in range(3)
    ]
    put_points(made)
    return made


@pytest.fixture
def order():
    username = unique("alice")
    create_profile(username=username, password=None, now=START)
    put(order := made_order(username))
    yield order
    cancel_what_is_open([order])


@pytest.fixture
def arrive(site, open_context):
    shoppers = []

    def arrive(order: NewOrder, **options: object) -> Shopper:
        context = open_context(**options)
        context.add_cookies([session_cookie(order.username, site=site)])
        shoppers.append(Shopper.arrive(context))
        return shoppers[-1]

    yield arrive
    assert all(shopper.is_clean() for shopper in shoppers)


def choose(shopper: Shopper, point: PickupPoint) -> None:
    shopper.page.locator(f"[data-point-id='{point.id}'] button").click()


def distances(shopper: Shopper) -> list[str]:
    shopper.page.wait_for_load_state()
    return shopper.page.locator(".pickup-distance").all_inner_texts()


class TestChoosingAPickupPoint:
    def test_leads_from_the_order_to_a_point_and_back(self, arrive, order, points, place):
        shopper = arrive(order)
        shopper.page.goto(f"/orders/{order.id}/")
        shopper.link("Choose a pickup point").click()
        shopper.page.locator("#near").fill(str(place))
        shopper.page.locator("#near-submit").click()
        expect(shopper.page.locator("h1")).to_have_text(f"Pickup points near {place}")
        assert distances(shopper)[:3] == ["0 m", "100 m", "200 m"]
        choose(shopper, points[1])
        shopper.is_told("Your order will be sent to “Kiosk 1”.")
        expect(shopper.page.locator("[data-pickup]")).to_contain_text("Pier 1")
        shopper.link("Change the pickup point").click()
        shopper.button("Deliver to my address instead").click()
        shopper.is_told("Your order will be delivered to your address.")

    def test_keeps_the_list_when_the_next_place_is_none(self, arrive, order, points, place):
        shopper = arrive(order)
        shopper.page.goto(f"/orders/{order.id}/pickup/?near={place}")
        shopper.page.locator("#near").fill("91, 0")
        shopper.page.locator("#near-submit").click()
        expect(shopper.page.locator("#notice")).to_contain_text("Latitudes are from -90 to 90")
        assert distances(shopper)[0] == "0 m"
        shopper.forgive("Failed to load resource", "Response Status Error Code 400")

    def test_is_narrow_enough_for_a_telephone(self, arrive, order, points, place):
        shopper = arrive(order, viewport={"width": 375, "height": 700})
        shopper.is_narrow_enough(f"/orders/{order.id}/pickup/?near={place}")


class TestTheBrowsersOwnLocation:
    def test_is_searched_when_its_owner_agrees(self, arrive, order, points, place):
        here = {"latitude": place.latitude, "longitude": place.longitude}
        shopper = arrive(order, geolocation=here, permissions=["geolocation"])
        shopper.page.goto(f"/orders/{order.id}/pickup/")
        shopper.button("Near me").click()
        expect(shopper.page.locator("h1")).to_contain_text("Pickup points near -4")
        assert "Kiosk 0" in shopper.page.locator(".pickup-point").first.inner_text()
