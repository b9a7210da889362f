"""The basket, from a product's page to a placed order."""

from collections.abc import Callable

import pytest

from shop.accounts.queries import find_user
from shop.order_status import Status
from shop.orders.counts import counts_of
from tests.support.comments.browsing import Shown, Visitor
from tests.support.orders.making import put_product

ORDER = "%2Fbasket%2Forder%2F"


@pytest.fixture
def lamp(fresh: Callable[[str], str], tables: None) -> str:
    return put_product(fresh("lamp"), cents=1_999)


def add(visitor: Visitor, product_id: str, quantity: str = "1") -> Shown:
    return visitor.post("/basket/add/", {"product_id": product_id, "quantity": quantity})


def intent_of(visitor: Visitor) -> dict[str, str]:
    """What the form sends that places the order of all in the basket."""
    page = visitor.get("/basket/order/").page
    return {"order_id": page.one("input", name="order_id")["value"]}


class TestAProductsPage:
    def test_offers_to_buy_what_has_a_price(self, stranger: Visitor, lamp: str) -> None:
        page = stranger.get(f"/products/{lamp}/").page
        form = page.one("form", action="/basket/add/")
        assert form.one("input", name="product_id")["value"] == lamp
        assert "EUR 19.99" in form.text

    def test_asks_once_more_without_a_script_because_it_has_no_token(
        self, stranger: Visitor, lamp: str
    ) -> None:
        form = stranger.get(f"/products/{lamp}/").page.one("form", action="/basket/add/")
        assert (form["method"], form.all("input", name="csrfmiddlewaretoken")) == ("get", [])
        page = stranger.get(f"/basket/add/?product_id={lamp}&quantity=3").page
        again = page.one("form", action="/basket/add/")
        assert (again["method"], again.one("input", name="quantity")["value"]) == ("post", "3")
        assert again.one("input", name="csrfmiddlewaretoken")["value"]

    def test_does_not_offer_what_has_none(
        self, stranger: Visitor, fresh: Callable[[str], str], tables: None
    ) -> None:
        product_id = put_product(fresh("heirloom"), cents=None)
        assert not stranger.get(f"/products/{product_id}/").page.all(action="/basket/add/")


class TestTheBasket:
    def test_adds_up_what_was_put_in(self, alice: Visitor, lamp: str) -> None:
        add(alice, lamp, "2")
        shown = add(alice, lamp, "3")
        assert shown.page.one("input", name="quantity")["value"] == "5"
        assert "EUR 99.95" in shown.page.one("tfoot").text

    def test_is_kept_while_signing_in(self, stranger: Visitor, alice: Visitor, lamp: str) -> None:
        add(stranger, lamp)
        stranger.browser.force_login(find_user(alice.username))
        assert stranger.get("/basket/").page.all("a", href=f"/products/{lamp}/")

    def test_lets_the_pieces_be_changed(self, alice: Visitor, lamp: str) -> None:
        form = add(alice, lamp, "2").page.one("form", class_="change")
        shown = alice.post(form["action"], {"product_id": lamp, "quantity": "7"})
        assert "EUR 139.93" in shown.page.one("tfoot").text
        assert shown.page.one("input", name="quantity")["value"] == "7"

    def test_keeps_the_pieces_of_what_is_not_in_it(self, alice: Visitor, lamp: str) -> None:
        fields = {"product_id": lamp, "quantity": "7"}
        assert "Your basket is empty." in alice.post("/basket/change/", fields).page.text

    @pytest.mark.parametrize("quantity", ["0", "100", "some"])
    def test_refuses_pieces_out_of_bounds(self, alice: Visitor, lamp: str, quantity: str) -> None:
        add(alice, lamp)
        fields = {"product_id": lamp, "quantity": quantity}
        assert alice.post("/basket/change/", fields).status == 400

    def test_lets_a_product_be_taken_out(self, alice: Visitor, lamp: str) -> None:
        add(alice, lamp)
        shown = alice.post("/basket/remove/", {"product_id": lamp})
        assert "Your basket is empty." in shown.page.text

    def test_drops_what_cannot_be_bought_any_more(self, alice: Visitor, lamp: str) -> None:
        add(alice, lamp)
        put_product(lamp, cents=None)
        shown = alice.get("/basket/")
        assert shown.messages == ["Products that are no longer sold were removed from your basket."]
        assert "Your basket is empty." in shown.page.text

    @pytest.mark.parametrize("quantity", ["0", "-1", "100", "1.5", "many", ""])
    def test_refuses_a_quantity_out_of_bounds(
        self, alice: Visitor, lamp: str, quantity: str
    ) -> None:
        shown = add(alice, lamp, quantity)
        assert (shown.status, shown.page.one("h1").text) == (400, "That cannot be done")

    def test_refuses_more_of_a_product_than_an_order_holds(self, alice: Visitor, lamp: str) -> None:
        add(alice, lamp, "99")
        assert add(alice, lamp).messages == ["You can order at most 99 of each product at a time."]

    @pytest.mark.parametrize("product_id", ["", "no-such-product", "x" * 3_000, "€" * 341])
    def test_takes_no_product_that_does_not_exist(self, alice: Visitor, product_id: str) -> None:
        assert add(alice, product_id).status == 404

    def test_is_full_before_its_cookie_is(
        self, alice: Visitor, fresh: Callable[[str], str]
    ) -> None:
        for _ in range(40):
            fields = {"product_id": put_product(fresh("lamp" * 9)), "quantity": "1"}
            assert alice.send("/basket/add/", fields).status_code == 302
        shown = add(alice, put_product(fresh("lamp" * 9)))
        assert "Your basket is full" in shown.messages[-1]
        cookie = alice.browser.cookies["sessionid"].OutputString()
        assert len(cookie) < 4_000


class TestPlacing:
    def test_shows_the_new_order_and_empties_the_basket(self, alice: Visitor, lamp: str) -> None:
        add(alice, lamp, "2")
        shown = alice.post("/basket/place/", intent_of(alice))
        assert shown.page.one("article")["data-status"] == "PLACED"
        assert shown.messages == ["Thank you! Your order has been placed."]
        assert "Your basket is empty." in alice.get("/basket/").page.text

    def test_twice_shows_the_same_order(self, alice: Visitor, lamp: str) -> None:
        add(alice, lamp)
        intent = intent_of(alice)
        first, second = (alice.send("/basket/place/", intent)["Location"] for _ in range(2))
        assert first == second
        assert counts_of(alice.username)[Status.PLACED] == 1

    def test_does_not_order_what_the_form_did_not_show(self, alice: Visitor, lamp: str) -> None:
        add(alice, lamp)
        intent = intent_of(alice)
        add(alice, lamp)
        shown = alice.post("/basket/place/", intent)
        assert "Your basket has changed" in shown.messages[0]
        assert counts_of(alice.username)[Status.PLACED] == 0

    def test_asks_to_sign_in_first_and_leads_back(self, stranger: Visitor, lamp: str) -> None:
        link = add(stranger, lamp).page.one("p", class_="place").all("a")[0]
        assert stranger.get(link["href"]).response["Location"] == f"/accounts/login/?next={ORDER}"
        address = "/basket/place/?next=/basket/order/"
        assert stranger.send(address, {})["Location"] == f"/accounts/login/?next={ORDER}"

    @pytest.mark.parametrize("fields", [{}, {"order_id": "../etc"}, {"order_id": "x" * 26}])
    def test_refuses_a_form_without_an_intent(self, alice: Visitor, fields: dict[str, str]) -> None:
        assert alice.send("/basket/place/", fields).status_code == 400
