"""The address of an order: typed, kept on an error, shown, exported and erased."""

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command

from shop.order_status import Status
from shop.orders.counts import read_customer_counts
from shop.orders.importing import put_orders
from shop.orders.items import NewPickup, StatusChange
from shop.orders.queries import find_order
from shop.pickup.bulk_writes import put_points
from shop.pickup.services import NoAddress, choose_point, forget_point
from shop.user_data import ADDRESSES
from tests.support.comments.browsing import Shown, Visitor
from tests.support.forms.cast import typed
from tests.support.orders.addresses import ADDRESS, TYPED, typed_address
from tests.support.orders.making import LATER, made_order, put, put_product, stored_order
from tests.support.pickup.stored import made_point

SPOT = (-54.6, 3.2)


@pytest.fixture
def lamp(fresh, tables):
    return put_product(fresh("lamp"), cents=1_999)


@pytest.fixture
def asked(alice, lamp):
    """The page on which an order is placed."""
    alice.post("/basket/add/", {"product_id": lamp, "quantity": "2"})
    return alice.get("/basket/order/")


@pytest.fixture
def placed(alice):
    """An order of alice's that goes to an address."""
    put(order := made_order(alice.username))
    return order


def place(visitor: Visitor, asked: Shown, **fields: str) -> Shown:
    intent = asked.page.one("input", name="order_id")["value"]
    return visitor.post("/basket/place/", {"order_id": intent, "point": "", **fields})


def shown_address(shown: Shown) -> str:
    return shown.page.one(class_="order-pickup").one("address").text


def typed_in(shown: Shown) -> dict[str, str]:
    """What the fields of the address hold."""
    fields = typed(shown.page.one("form", id="place"))
    return {name: fields[name] for name in TYPED}


class TestTheFormOfAnOrder:
    def test_stores_the_address_with_the_order(self, alice, asked):
        shown = place(alice, asked, **TYPED)
        assert shown.messages == ["Thank you! Your order has been placed."]
        assert shown_address(shown) == (
            "Ada Example 12 Sample Street CUPERTINO, CA 95014 United States"
        )

    def test_places_nothing_without_one(self, alice, asked):
        shown = place(alice, asked)
        assert shown.page.one("h1").text == "Checkout"
        assert shown.page.one(role="alert").text.startswith("Your order is not placed yet")
        assert read_customer_counts(alice.username)[Status.PLACED] == 0

    def test_keeps_what_was_typed_and_says_what_is_wrong(self, alice, asked):
        sent = {**TYPED, "address-postal_code": "ABC"}
        shown = place(alice, asked, **sent)
        assert typed_in(shown) == sent
        (wrong,) = shown.page.all(class_="field-wrong")
        assert "“ABC” is no postal code of it. Write it as 90000" in wrong.text
        assert "Thank you" in place(alice, shown, **TYPED).messages[0]

    def test_keeps_what_was_typed_when_pickup_points_are_searched(self, alice, asked):
        sent = {**TYPED, "address-postal_code": "ABC"}
        shown = alice.post("/basket/order/", {"near": "nowhere-at-all", **sent})
        assert typed_in(shown) == sent
        assert shown.page.one("input", id="near")["value"] == "nowhere-at-all"
        assert shown.page.all(class_="field-wrong") == []

    def test_keeps_what_was_typed_when_the_pickup_point_is_gone(self, alice, asked):
        shown = place(alice, asked, **{**TYPED, "point": "gone"})
        assert typed_in(shown) == TYPED

    def test_asks_for_none_with_a_pickup_point(self, alice, asked, fresh):
        put_points([point := made_point(fresh, SPOT)])
        shown = place(alice, asked, point=point.id)
        assert shown.page.one("p", data_pickup=True)["data-pickup"] == point.id
        assert shown.page.all("address") == []

    def test_offers_the_address_of_the_order_before(self, alice, placed, asked):
        assert typed_in(asked) == TYPED

    def test_sent_again_with_another_address_shows_the_first_order(self, alice, asked):
        first = place(alice, asked, **TYPED)
        other = typed_address(replace(ADDRESS, lines="13 Sample Street"))
        second = place(alice, asked, **other)
        assert shown_address(second) == shown_address(first)
        assert read_customer_counts(alice.username)[Status.PLACED] == 1

    def test_names_each_part_for_the_browser_to_fill_in(self, asked):
        form = asked.page.one("form", id="place")
        tokens = [form.one(name=name)["autocomplete"] for name in TYPED]
        assert tokens == [
            "shipping name",
            "shipping street-address",
            "shipping postal-code",
            "shipping address-level2",
            "shipping address-level1",
            "shipping country",
        ]

    def test_has_the_country_of_the_site_first(self, alice, asked, settings):
        settings.SITE_COUNTRY = "PT"
        options = alice.get("/basket/order/").page.one("select").all("option")
        assert [option.text for option in options[:2]] == ["Choose a country", "Portugal"]
        assert "selected" in options[1].attributes


class TestTheOrdersPage:
    def test_shows_staff_where_it_goes(self, sam, placed):
        assert "12 Sample Street" in shown_address(sam.get(f"/orders/{placed.id}/"))

    def test_shows_other_customers_nothing(self, bob, placed):
        answer = bob.get(f"/orders/{placed.id}/")
        assert (answer.status, "12 Sample Street" in answer.page.text) == (404, False)

    def test_of_an_older_order_says_that_there_is_no_address(self, alice, sam):
        put(order := made_order(alice.username, address=None))
        for visitor in (alice, sam):
            section = visitor.get(f"/orders/{order.id}/").page.one(class_="order-pickup")
            assert section.all("p")[0].text == "No address is stored with this order."

    def test_escapes_it(self, alice):
        put(order := made_order(alice.username, address=replace(ADDRESS, name="<b>Ada</b>")))
        assert "<b>Ada</b>" in shown_address(alice.get(f"/orders/{order.id}/"))


class TestAnOrderToAPickupPoint:
    def test_without_an_address_keeps_its_point(self, alice, fresh):
        put_points([point := made_point(fresh, SPOT)])
        put(order := made_order(alice.username, address=None))
        choose_point(username=alice.username, order_id=order.id, point=point)
        page = alice.get(f"/orders/{order.id}/pickup/").page
        assert page.all("form", action=f"/orders/{order.id}/pickup/forget/") == []
        told = alice.post(f"/orders/{order.id}/pickup/forget/", {})
        assert told.messages[0].startswith("This order has no address that it could go to.")
        with pytest.raises(NoAddress):
            forget_point(username=alice.username, order_id=order.id)
        stored = find_order(order.id, username=alice.username)
        assert stored.pickup == NewPickup(point.id, point.name, point.address, point.hours)


class TestAnImport:
    def test_of_a_later_status_keeps_the_address(self, alice, placed):
        approved = StatusChange(Status.APPROVED, LATER)
        history = (*placed.history, approved)
        put_orders([replace(placed, history=history, address=None)])
        assert find_order(placed.id, username=alice.username).address == ADDRESS


class TestAnErasure:
    def test_takes_the_address_and_leaves_the_order(self, alice, placed):
        printed = StringIO()
        call_command("delete_user_data", alice.username, stdout=printed)
        assert "addresses of orders: 1 deleted" in printed.getvalue()
        stored = stored_order(alice.username, placed.id)
        assert "address" not in stored
        assert stored["status"]["S"] == "PLACED"

    def test_finds_only_orders_with_an_address(self, alice, placed):
        put(made_order(alice.username, address=None))
        assert list(ADDRESSES.find(alice.username)) == [placed.id]

    def test_makes_no_order_of_one_that_is_gone(self, alice, fresh):
        ADDRESSES.delete(alice.username, fresh("order"))
        assert list(ADDRESSES.find(alice.username)) == []
