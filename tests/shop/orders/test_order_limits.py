"""How often a customer may place and change orders."""

from dataclasses import replace

import pytest

from shop.accounts import rate_limits
from shop.accounts.queries import find_user
from shop.accounts.services import end_sessions
from shop.order_status import Status
from shop.orders.counts import read_customer_counts
from tests.support.comments.browsing import Visitor
from tests.support.orders.addresses import TYPED
from tests.support.orders.making import made_order, put, put_product


@pytest.fixture(autouse=True)
def one_an_hour(monkeypatch):
    once = replace(rate_limits.ORDERS_OF_A_USER, times=1)
    monkeypatch.setattr(rate_limits, "ORDERS_OF_A_USER", once)


def order_a_lamp(visitor: Visitor, product_id: str, **fields: str) -> int:
    """Put a lamp into the basket and order it; the status of the answer."""
    order = {"order_id": checked_out(visitor, product_id), **TYPED, **fields}
    return visitor.send("/basket/place/", order).status_code


def checked_out(visitor: Visitor, product_id: str) -> str:
    """Put a lamp into the basket; the id of the form that orders it."""
    visitor.post("/basket/add/", {"product_id": product_id, "quantity": "1"})
    intent: str = visitor.get("/basket/order/").page.one("input", name="order_id")["value"]
    return intent


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


class TestARefusedForm:
    """One order an hour is allowed: what is refused before must not be that one."""

    @pytest.fixture
    def lamp(self, fresh):
        return put_product(fresh("lamp"), cents=1_999)

    def test_of_a_session_that_has_ended_is_not_counted(self, alice, lamp):
        intent = checked_out(alice, lamp)
        end_sessions(alice.username)
        answer = alice.send("/basket/place/", {"order_id": intent, **TYPED})
        assert answer["Location"].startswith("/accounts/login/")
        alice.browser.force_login(find_user(alice.username))
        assert order_a_lamp(alice, lamp) == 302
        assert read_customer_counts(alice.username)[Status.PLACED] == 1

    def test_of_a_session_that_has_ended_moves_nothing(self, alice, order):
        end_sessions(alice.username)
        fields = {"from_status": "PLACED", "move": "CANCELED", "owner": alice.username}
        answer = alice.send(f"/orders/{order.id}/move/", fields)
        assert answer["Location"].startswith("/accounts/login/")
        assert read_customer_counts(alice.username)[Status.PLACED] == 1

    def test_of_another_basket_is_not_counted(self, alice, lamp):
        old = checked_out(alice, lamp)
        alice.post("/basket/add/", {"product_id": lamp, "quantity": "1"})
        assert alice.send("/basket/place/", {"order_id": old}).status_code == 200
        assert order_a_lamp(alice, lamp) == 302

    def test_with_a_wrong_reason_is_not_counted(self, alice, order):
        fields = {"from_status": "PLACED", "move": "CANCELED", "reason": "x" * 301}
        assert alice.send(f"/orders/{order.id}/move/", fields).status_code == 422
        assert alice.send(f"/orders/{order.id}/move/", {**fields, "reason": ""}).status_code == 302

    @pytest.mark.parametrize("case", ["sold out", "no such pickup point"])
    def test_is_told_of_the_limit_first(self, alice, lamp, case):
        assert order_a_lamp(alice, lamp) == 302
        intent = checked_out(alice, lamp)
        if case == "sold out":
            put_product(lamp, cents=None)
        fields = {"order_id": intent, "point": "gone"}
        assert alice.send("/basket/place/", fields).status_code == 429
        assert alice.get("/basket/").status == 200

    def test_of_what_is_sold_out_is_counted(self, alice, lamp):
        intent = checked_out(alice, lamp)
        put_product(lamp, cents=None)
        answer = alice.send("/basket/place/", {"order_id": intent, **TYPED})
        assert answer["Location"] == "/basket/"
        put_product(lamp, cents=1_999)
        assert order_a_lamp(alice, lamp) == 429
