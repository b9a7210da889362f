"""An order put into the basket once more."""

from shop.orders.items import NewLine
from tests.support.orders.making import made_order, put, put_product
from tests.support.orders.visiting import Shown, Visitor


def order_again(visitor: Visitor, *lines: NewLine) -> Shown:
    put(made_order(visitor.username, lines=lines))
    form = visitor.get("/orders/").page.all("form", class_="again")[0]
    return visitor.post(form["action"], {})


class TestOrderingAgain:
    def test_adds_to_the_basket_at_the_prices_of_today(self, alice, lamp):
        for total in ("59.97", "119.94"):
            shown = order_again(alice, NewLine(lamp, "Lamp", 3, 5))
            assert shown.messages == ["1 product was added to your basket at today's price."]
            assert f"EUR {total}" in shown.page.one("tfoot").text

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

    def test_is_offered_to_its_customer_alone(self, alice, sam):
        put(made_order(alice.username))
        customers = sam.get(f"/staff/customers/{alice.username}/orders/").page
        assert not customers.all("form", class_="again")
