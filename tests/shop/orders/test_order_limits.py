"""How often a customer may place and change orders."""

from dataclasses import replace

import pytest

from shop.accounts import rate_limits
from shop.order_status import Status
from shop.orders.counts import read_customer_counts
from tests.support.comments.browsing import Visitor
from tests.support.orders.making import made_order, put, put_product


@pytest.fixture(autouse=True)
def one_an_hour(monkeypatch):
    once = replace(rate_limits.ORDERS_OF_A_USER, times=1)
    monkeypatch.setattr(rate_limits, "ORDERS_OF_A_USER", once)


def order_a_lamp(visitor: Visitor, product_id: str) -> int:
    """Put a lamp into the basket and order it; the status of the answer."""
    visitor.post("/basket/add/", {"product_id": product_id, "quantity": "1"})
    intent = visitor.get("/basket/order/").page.one("input", name="order_id")["value"]
    return visitor.send("/basket/place/", {"order_id": intent}).status_code


class TestWhoeverOrdersTooOften:
    def test_is_refused_and_keeps_the_basket(self, alice, fresh):
        lamp = put_product(fresh("lamp"), cents=1_999)
        assert [order_a_lamp(alice, lamp) for _ in range(2)] == [302, 429]
        assert read_customer_counts(alice.username)[Status.PLACED] == 1
        assert alice.get("/basket/").page.one("input", name="quantity")

    def test_cannot_cancel_for_a_while(self, alice):
        one, other = made_order(alice.username), made_order(alice.username)
        put(one)
        put(other)
        answers = []
        for order in (one, other):
            address, fields = alice.get(f"/orders/{order.id}/cancel/").action(order.id, "CANCELED")
            answers.append(alice.send(address, fields))
        assert [answer.status_code for answer in answers] == [302, 429]
        assert int(answers[1]["Retry-After"]) > 0
        shown = alice.get(f"/orders/{other.id}/").page.one("article")
        assert shown["data-status"] == "PLACED"

    def test_is_not_the_staff(self, alice, sam):
        for _ in range(2):
            put(order := made_order(alice.username))
            address, fields = sam.get(f"/orders/{order.id}/").action(order.id, "APPROVED")
            assert sam.send(address, fields).status_code == 302
