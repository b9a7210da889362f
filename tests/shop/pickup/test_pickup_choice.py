"""Choosing on the page of pickup points, and what the order's page says of it."""

from dataclasses import replace

import pytest

from shop.accounts import rate_limits
from shop.order_status import Status
from shop.pickup.bulk_writes import remove_point
from tests.support.orders.making import made_order, put
from tests.support.pickup.visiting import ids, near, page_of


class TestChoosingOnThePage:
    def test_is_told_and_shown_on_the_order(self, alice, order, points, spot):
        shown = alice.get(page_of(order) + near(spot))
        form = shown.page.all("li", data_point_id=points[1].id)[0].one("form")
        fields = {field["name"]: field["value"] for field in form.all("input")}
        told = alice.post(form["action"], fields)
        assert told.messages == ["Your order will be sent to “Kiosk 1”."]
        assert told.page.one(data_pickup=points[1].id).text == (
            "Kiosk 1 Rua Direita 7, 1100-148 Lisboa Opening hours: Daily 7-22"
        )

    def test_begins_where_the_point_is_when_it_is_changed(self, alice, order, points):
        alice.post(f"{page_of(order)}choose/", {"point": points[2].id})
        shown = alice.get(f"{page_of(order)}?explain=1")
        assert shown.page.one("h1").text == "Pickup points near Kiosk 2"
        assert ids(shown)[0] == points[2].id == shown.page.one(data_chosen=True)["data-chosen"]
        assert "Chosen" in shown.page.all("li", data_point_id=points[2].id)[0].text
        assert "pickup point" in shown.page.one(class_="explanation").text

    def test_asks_where_to_look_when_the_point_has_gone(self, alice, order, points):
        alice.post(f"{page_of(order)}choose/", {"point": points[0].id})
        remove_point(points[0].id)
        shown = alice.get(page_of(order))
        assert (shown.status, ids(shown)) == (200, [])
        assert "Kiosk 0" in shown.page.one(data_chosen=True).text

    def test_can_be_taken_back_by_its_customer_alone(self, alice, bob, order, points):
        alice.post(f"{page_of(order)}choose/", {"point": points[0].id})
        for way in ("choose", "forget"):
            fields = {"point": points[1].id}
            assert bob.send(f"{page_of(order)}{way}/", fields).status_code == 404
        form = alice.get(page_of(order)).page.one("form", action=f"{page_of(order)}forget/")
        told = alice.post(form["action"], {})
        assert told.messages == ["Your order will be delivered to your address."]
        assert told.page.all(data_pickup=True) == []

    @pytest.mark.parametrize("point_id", ["", "nowhere", "x" * 2_000])
    def test_needs_a_point_that_there_is(self, alice, order, point_id):
        response = alice.send(f"{page_of(order)}choose/", {"point": point_id})
        assert response.status_code == 404

    def test_is_refused_when_the_order_has_moved_meanwhile(self, alice, points):
        put(order := made_order(alice.username, Status.SHIPPED))
        told = alice.post(f"{page_of(order)}choose/", {"point": points[0].id})
        assert told.messages == ["This order is shipped: its delivery can no longer be changed."]
        assert told.page.all(data_pickup=True) == []


@pytest.fixture
def two_choices(monkeypatch):
    few = replace(rate_limits.ORDERS_OF_A_USER, times=2)
    monkeypatch.setattr(rate_limits, "ORDERS_OF_A_USER", few)


@pytest.mark.usefixtures("two_choices")
class TestWhoeverChoosesTooOften:
    def test_is_told_when_to_come_back_and_changes_nothing(self, alice, order, points):
        for point in points[:2]:
            alice.post(f"{page_of(order)}choose/", {"point": point.id})
        response = alice.send(f"{page_of(order)}choose/", {"point": points[2].id})
        shown = response.content.decode()
        assert response.status_code == 429
        assert 1_700 < int(response["Retry-After"]) <= 1_800
        assert "Try again in 30 minutes." in shown
        assert " seconds" not in shown
        assert f'href="/orders/{order.id}/"' in shown
        assert alice.send(f"{page_of(order)}forget/", {}).status_code == 429
        assert alice.get(f"/orders/{order.id}/").page.all(data_pickup=points[1].id)

    def test_shares_the_limit_of_an_address_with_others(
        self, alice, bob, order, points, monkeypatch
    ):
        one = replace(rate_limits.ORDERS_FROM_AN_ADDRESS, times=1)
        monkeypatch.setattr(rate_limits, "ORDERS_FROM_AN_ADDRESS", one)
        for visitor in (alice, bob):
            visitor.browser.defaults["REMOTE_ADDR"] = "10.78.0.1"
        url = f"{page_of(order)}choose/"
        assert alice.send(url, {"point": points[0].id}).status_code == 302
        assert bob.send(url, {"point": points[0].id}).status_code == 429


class TestTheOrderPage:
    def test_offers_the_choice_while_the_order_is_open(self, alice, order):
        page = alice.get(f"/orders/{order.id}/").page
        assert page.one(class_="order-pickup").one("a")["href"] == page_of(order)

    def test_offers_none_for_a_closed_order(self, alice):
        put(order := made_order(alice.username, Status.DELIVERED))
        section = alice.get(f"/orders/{order.id}/").page.one(class_="order-pickup")
        assert section.all("a") == []
