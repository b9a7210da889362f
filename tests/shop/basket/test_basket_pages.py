"""The basket: filled, filled once more by an old order, checked out and ordered."""

import pytest

from shop.accounts.queries import find_user
from shop.order_status import Status
from shop.orders.counts import read_customer_counts
from shop.orders.items import NewLine
from shop.pickup.bulk_writes import put_points, put_zips
from shop.pickup.cells import Coordinates
from shop.pickup.items import ZipLocation
from tests.support.chance import digits
from tests.support.comments.browsing import Shown, Visitor
from tests.support.orders.addresses import TYPED
from tests.support.orders.making import made_order, put, put_product
from tests.support.pickup.stored import made_point

ORDER = "%2Fbasket%2Forder%2F"


@pytest.fixture
def lamp(fresh, tables):
    return put_product(fresh("lamp"), cents=1_999)


def add(visitor: Visitor, product_id: str, quantity: str = "1") -> Shown:
    return visitor.post("/basket/add/", {"product_id": product_id, "quantity": quantity})


def intent_of(visitor: Visitor) -> dict[str, str]:
    """What the form sends that places the order of all in the basket."""
    page = visitor.get("/basket/order/").page
    return {"order_id": page.one("input", name="order_id")["value"], **TYPED}


class TestAProductsPage:
    def test_asks_once_more_without_a_script_because_it_has_no_token(self, stranger, lamp):
        form = stranger.get(f"/products/{lamp}/").page.one("form", action="/basket/add/")
        assert (form["method"], form.all("input", name="csrfmiddlewaretoken")) == ("get", [])
        assert "€19.99" in form.text
        page = stranger.get(f"/basket/add/?product_id={lamp}&quantity=3").page
        again = page.one("form", action="/basket/add/")
        assert (again["method"], again.one("input", name="quantity")["value"]) == ("post", "3")
        assert again.one("input", name="csrfmiddlewaretoken")["value"]

    def test_does_not_offer_what_has_none(self, stranger, fresh, tables):
        product_id = put_product(fresh("heirloom"), cents=None)
        assert not stranger.get(f"/products/{product_id}/").page.all(action="/basket/add/")


class TestTheBasket:
    def test_adds_up_what_was_put_in(self, alice, lamp):
        add(alice, lamp, "2")
        shown = add(alice, lamp, "3")
        assert shown.page.one("input", name="quantity")["value"] == "5"
        assert "€99.95" in shown.page.one("tfoot").text

    def test_is_kept_while_signing_in(self, stranger, alice, lamp):
        add(stranger, lamp)
        stranger.browser.force_login(find_user(alice.username))
        assert stranger.get("/basket/").page.all("a", href=f"/products/{lamp}/")

    def test_lets_the_pieces_be_changed(self, alice, lamp):
        form = add(alice, lamp, "2").page.one("form", class_="change")
        shown = alice.post(form["action"], {"product_id": lamp, "quantity": "7"})
        assert "€139.93" in shown.page.one("tfoot").text
        assert shown.page.one("input", name="quantity")["value"] == "7"

    def test_keeps_the_pieces_of_what_is_not_in_it(self, alice, lamp):
        fields = {"product_id": lamp, "quantity": "7"}
        assert "Your basket is empty." in alice.post("/basket/change/", fields).page.text

    def test_lets_a_product_be_taken_out(self, alice, lamp):
        add(alice, lamp)
        shown = alice.post("/basket/remove/", {"product_id": lamp})
        assert "Your basket is empty." in shown.page.text

    def test_drops_what_cannot_be_bought_any_more(self, alice, lamp):
        add(alice, lamp)
        put_product(lamp, cents=None)
        shown = alice.get("/basket/")
        assert shown.messages == ["Products that are no longer sold were removed from your basket."]
        assert "Your basket is empty." in shown.page.text

    @pytest.mark.parametrize("quantity", ["0", "-1", "100", "1.5", "many", ""])
    def test_refuses_a_quantity_out_of_bounds(self, alice, lamp, quantity):
        for way in ("add", "change"):
            fields = {"product_id": lamp, "quantity": quantity}
            shown = alice.post(f"/basket/{way}/", fields)
            assert (shown.status, shown.page.one("h1").text) == (400, "That cannot be done")

    def test_refuses_more_of_a_product_than_an_order_holds(self, alice, lamp):
        add(alice, lamp, "99")
        assert add(alice, lamp).messages == ["You can order at most 99 of each product at a time."]

    @pytest.mark.parametrize("product_id", ["", "no-such-product", "x" * 3_000, "€" * 341])
    def test_takes_no_product_that_does_not_exist(self, alice, product_id):
        assert add(alice, product_id).status == 404

    def test_is_full_before_its_cookie_is(self, alice, fresh):
        for _ in range(40):
            fields = {"product_id": put_product(fresh("lamp" * 9)), "quantity": "1"}
            assert alice.send("/basket/add/", fields).status_code == 302
        shown = add(alice, put_product(fresh("lamp" * 9)))
        assert "Your basket is full" in shown.messages[-1]
        cookie = alice.browser.cookies["sessionid"].OutputString()
        assert len(cookie) < 4_000


class TestPlacing:
    def test_shows_the_new_order_and_empties_the_basket(self, alice, lamp):
        add(alice, lamp, "2")
        shown = alice.post("/basket/place/", intent_of(alice))
        assert shown.page.one("article")["data-status"] == "PLACED"
        assert shown.messages == ["Thank you! Your order has been placed."]
        assert "Your basket is empty." in alice.get("/basket/").page.text

    def test_twice_shows_the_same_order(self, alice, lamp):
        add(alice, lamp)
        intent = intent_of(alice)
        first, second = (alice.send("/basket/place/", intent)["Location"] for _ in range(2))
        assert first == second
        assert read_customer_counts(alice.username)[Status.PLACED] == 1

    def test_does_not_order_what_the_form_did_not_show(self, alice, lamp):
        add(alice, lamp)
        intent = intent_of(alice)
        add(alice, lamp)
        shown = alice.post("/basket/place/", intent)
        assert "Your basket has changed" in shown.messages[0]
        assert read_customer_counts(alice.username)[Status.PLACED] == 0

    def test_asks_to_sign_in_first_and_leads_back(self, stranger, lamp):
        link = add(stranger, lamp).page.one("p", class_="place").all("a")[0]
        assert stranger.get(link["href"]).response["Location"] == f"/accounts/login/?next={ORDER}"
        address = "/basket/place/?next=/basket/order/"
        assert stranger.send(address, {})["Location"] == f"/accounts/login/?next={ORDER}"

    @pytest.mark.parametrize("fields", [{}, {"order_id": "../etc"}, {"order_id": "x" * 26}])
    def test_refuses_a_form_without_an_intent(self, alice, fields):
        assert alice.send("/basket/place/", fields).status_code == 400


SPOT = (-54.4, 3.4)
"""Bouvet Island: no other test has points there."""


@pytest.fixture
def point(fresh, tables):
    point = made_point(fresh, SPOT)
    put_points([point])
    return point


@pytest.fixture
def asked(alice, lamp):
    """The page, for two lamps."""
    alice.post("/basket/add/", {"product_id": lamp, "quantity": "2"})
    return alice.get("/basket/order/")


def place(visitor: Visitor, asked: Shown, point_id: str) -> Shown:
    intent = asked.page.one("input", name="order_id")["value"]
    return visitor.post("/basket/place/", {"order_id": intent, "point": point_id, **TYPED})


class TestThePageBeforeAnOrder:
    def test_shows_all_of_it(self, asked, lamp):
        summary = asked.page.one("table")
        assert [row.text for row in summary.one("tbody").all("tr")] == [
            f"Product {lamp} 2 \N{MULTIPLICATION SIGN} €19.99 €39.98"
        ]
        assert "€39.98" in summary.one("tfoot").text

    def test_has_it_delivered_to_the_door_unless_told_otherwise(self, alice, asked):
        (door,) = asked.page.all("input", name="point")
        assert (door["value"], door.get("checked")) == ("", "")
        placed = place(alice, asked, "")
        assert "12 Sample Street" in placed.page.one(class_="order-pickup").one("address").text

    def test_offers_the_pickup_points_nearby(self, alice, asked, point):
        prefix = digits(9)
        put_zips([ZipLocation(prefix, Coordinates.at(*SPOT), "Bouvet")])
        near = alice.get(f"/basket/order/?near={prefix}")
        offered = [field["value"] for field in near.page.all("input", name="point")]
        assert point.id in offered
        placed = place(alice, near, point.id)
        assert placed.messages == ["Thank you! Your order has been placed."]
        assert placed.page.one("p", data_pickup=True)["data-pickup"] == point.id

    def test_says_when_a_place_is_not_known(self, alice, asked):
        shown = alice.get("/basket/order/?near=nowhere-at-all")
        assert shown.status == 200
        assert shown.page.one(id="near-help").text.startswith("We don't know “nowhere-at-all”.")

    @pytest.mark.parametrize("point_id", ["gone", "x" * 1_500])
    def test_comes_back_when_the_pickup_point_is_gone(self, alice, asked, point_id):
        shown = place(alice, asked, point_id)
        assert shown.messages == ["That pickup point no longer exists. Please choose another."]
        assert shown.page.one("h1").text == "Checkout"

    def test_keeps_the_address_when_a_product_is_no_longer_sold(self, alice, asked, lamp, fresh):
        alice.post("/basket/add/", {"product_id": put_product(fresh("chair")), "quantity": "1"})
        asked = alice.get("/basket/order/")
        put_product(lamp, cents=None)
        shown = place(alice, asked, "")
        assert shown.messages == ["Products that are no longer sold were removed from your basket."]
        assert shown.page.one(id="id_address-lines").text == TYPED["address-lines"]
        assert place(alice, shown, "").messages == ["Thank you! Your order has been placed."]

    def test_keeps_the_address_when_the_basket_has_changed(self, alice, asked, lamp):
        alice.post("/basket/add/", {"product_id": lamp, "quantity": "1"})
        shown = place(alice, asked, "")
        assert shown.messages == ["Your basket has changed. Please check it, then order."]
        assert shown.page.one(id="id_address-lines").text == TYPED["address-lines"]
        assert "€59.97" in shown.page.one("tfoot").text

    def test_leads_to_the_basket_when_nothing_in_it_is_sold(self, alice, asked, lamp):
        put_product(lamp, cents=None)
        assert "Your basket is empty." in place(alice, asked, "").page.text

    def test_is_what_the_address_of_the_sent_form_leads_to(self, alice, asked):
        assert alice.get("/basket/place/").response["Location"] == "/basket/order/"


def order_again(visitor: Visitor, *lines: NewLine) -> Shown:
    put(made_order(visitor.username, lines=lines))
    form = visitor.get("/orders/").page.all("form", class_="again")[0]
    return visitor.post(form["action"], {})


class TestOrderingAgain:
    def test_adds_to_the_basket_at_the_prices_of_today(self, alice, lamp):
        for total in ("59.97", "119.94"):
            shown = order_again(alice, NewLine(lamp, "Lamp", 3, 5))
            assert shown.messages == ["1 product was added to your basket at today's price."]
            assert f"€{total}" in shown.page.one("tfoot").text

    def test_says_what_is_no_longer_sold(self, alice, lamp, fresh):
        heirloom = put_product(fresh("heirloom"), cents=None)
        lines = [NewLine(lamp, "Lamp", 1, 5), NewLine(heirloom, "Heirloom", 1, 5)]
        shown = order_again(alice, *lines, NewLine(fresh("lost"), "Lost", 1, 5))
        assert shown.messages == [
            "1 product was added to your basket at today's price.",
            "No longer sold: “Heirloom”, “Lost”.",
        ]

    def test_says_what_has_no_room(self, alice, lamp):
        alice.post("/basket/add/", {"product_id": lamp, "quantity": "99"})
        shown = order_again(alice, NewLine(lamp, "Lamp", 1, 5))
        assert shown.messages == ["Your basket has no room for “Lamp”."]
