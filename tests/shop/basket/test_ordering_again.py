"""An order put into the basket once more."""

from collections.abc import Callable

import pytest

from shop.orders.items import NewLine
from tests.support.comments.browsing import Shown, Visitor
from tests.support.orders.making import made_order, put, put_product


@pytest.fixture
def lamp(fresh: Callable[[str], str], tables: None) -> str:
    return put_product(fresh("lamp"), cents=1_999)


def order_again(visitor: Visitor, *lines: NewLine) -> Shown:
    order = made_order(visitor.username, lines=lines)
    put(order)
    form = visitor.get("/orders/").page.one("form", class_="again")
    return visitor.post(form["action"], {})


class TestOrderingAgain:
    def test_fills_the_basket_at_the_prices_of_today(self, alice: Visitor, lamp: str) -> None:
        shown = order_again(alice, NewLine(lamp, "Lamp", 3, 5))
        assert shown.messages == ["1 product was added to your basket at today's price."]
        assert "EUR 59.97" in shown.page.one("tfoot").text

    def test_adds_to_what_is_there(self, alice: Visitor, lamp: str) -> None:
        alice.post("/basket/add/", {"product_id": lamp, "quantity": "1"})
        shown = order_again(alice, NewLine(lamp, "Lamp", 3, 5))
        assert "EUR 79.96" in shown.page.one("tfoot").text

    def test_says_what_is_no_longer_sold(
        self, alice: Visitor, lamp: str, fresh: Callable[[str], str]
    ) -> None:
        heirloom = put_product(fresh("heirloom"), cents=None)
        lines = [NewLine(lamp, "Lamp", 1, 5), NewLine(heirloom, "Heirloom", 1, 5)]
        shown = order_again(alice, *lines, NewLine(fresh("lost"), "Lost", 1, 5))
        assert shown.messages == [
            "1 product was added to your basket at today's price.",
            "No longer sold: “Heirloom”, “Lost”.",
        ]

    def test_says_what_has_no_room(self, alice: Visitor, lamp: str) -> None:
        alice.post("/basket/add/", {"product_id": lamp, "quantity": "99"})
        shown = order_again(alice, NewLine(lamp, "Lamp", 1, 5))
        assert shown.messages == ["Your basket has no room for “Lamp”."]

    def test_is_for_its_customer_alone(self, alice: Visitor, sam: Visitor, lamp: str) -> None:
        order = made_order(alice.username)
        put(order)
        assert sam.post(f"/orders/{order.id}/again/", {}).status == 404
        customers = sam.get(f"/staff/customers/{alice.username}/orders/").page
        assert not customers.all("form", class_="again")
