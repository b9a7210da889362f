"""What staff find by typing an order's number or a customer's name."""

from datetime import UTC, datetime

import pytest

from dynamo.calls.meter import metered
from shop.accounts.services import create_profile
from shop.orders.queue.finding import find_order_or_customers
from tests.support.orders.making import made_order, put
from tests.support.orders.visiting import Visitor


def leads_to(visitor: Visitor, typed: str) -> str:
    return visitor.browser.get("/staff/find/", {"q": typed}).get("Location", "")


class TestTheSearch:
    def test_is_on_every_page_of_staff_and_on_no_other(self, sam, alice):
        form = sam.get("/orders/").page.one("form", role="search")
        assert form["action"] == "/staff/find/"
        assert form.one("input", type="search")["name"] == "q"
        assert not alice.get("/orders/").page.all("form", role="search")

    def test_finds_an_order_by_its_number_here_and_elsewhere(self, sam, alice, fresh):
        put(order := made_order(alice.username, foreign_id=fresh("Shop-17")))
        for typed in (order.id, f" {order.id.lower()} ", order.foreign_id):
            assert leads_to(sam, typed) == f"/orders/{order.id}/"

    def test_finds_a_customer_by_name_in_any_case_and_without_an_account(self, sam, alice, fresh):
        put(order := made_order(fresh("imported")))
        for typed in (f" {alice.username.upper()} ", order.username):
            name = typed.strip().lower()
            assert leads_to(sam, typed) == f"/staff/customers/{name}/orders/"

    def test_finds_customers_by_their_address(self, sam, fresh):
        names = sorted(fresh("ada") for _ in range(2))
        email, now = f"{fresh('ada')}@example.com", datetime.now(UTC)
        create_profile(username=names[0], password=None, email=email, now=now)
        assert leads_to(sam, email.upper()) == f"/staff/customers/{names[0]}/orders/"
        create_profile(username=names[1], password=None, email=email, now=now)
        page = sam.get(f"/staff/find/?q={email}").page
        assert [link.text for link in page.one("ul", class_="found").all("a")] == names

    @pytest.mark.parametrize("typed", ["nobody-has-it", "x" * 201, "%23", "a@b@c", "🚲"])
    def test_says_when_there_is_neither(self, sam, typed):
        shown = sam.get(f"/staff/find/?q={typed}")
        assert (shown.status, shown.page.one(role="alert").text[:33]) == (
            200,
            "There is no order and no customer",
        )

    def test_of_nothing_asks_for_something(self, sam):
        assert not sam.get("/staff/find/").page.all(role="alert")

    @pytest.mark.real_engine
    def test_reads_by_key_alone_in_one_round(self, alice):
        with metered() as meter:
            find_order_or_customers(alice.username)
        assert {call.operation for call in meter.calls} == {"GetItem", "Query"}
        assert (meter.rounds, meter.capacity_units()) <= (1, 3.0)
