"""What staff find by typing an order's number or a customer's name."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from dynamo.calls.meter import metered
from shop.accounts.services import create_profile
from shop.orders.queue.finding import find_order_or_customers
from tests.support.comments.browsing import Visitor
from tests.support.orders.making import made_order, put


def leads_to(visitor: Visitor, typed: str) -> str:
    return visitor.browser.get("/staff/find/", {"q": typed}).get("Location", "")


class TestTheSearch:
    def test_is_on_every_page_of_staff_and_on_no_other(self, sam: Visitor, alice: Visitor) -> None:
        form = sam.get("/orders/").page.one("form", role="search")
        assert form["action"] == "/staff/find/"
        assert form.one("input", type="search")["name"] == "q"
        assert not alice.get("/orders/").page.all("form", role="search")

    def test_finds_an_order_by_its_number(self, sam: Visitor, alice: Visitor) -> None:
        put(order := made_order(alice.username))
        assert leads_to(sam, order.id) == f"/orders/{order.id}/"
        assert leads_to(sam, f" {order.id.lower()} ") == f"/orders/{order.id}/"

    def test_finds_an_order_by_its_number_elsewhere(
        self, sam: Visitor, alice: Visitor, fresh: Callable[[str], str]
    ) -> None:
        put(order := made_order(alice.username, foreign_id=fresh("Shop-17")))
        assert leads_to(sam, order.foreign_id or "") == f"/orders/{order.id}/"

    def test_finds_a_customer_by_name_in_any_case(self, sam: Visitor, alice: Visitor) -> None:
        address = f"/staff/customers/{alice.username}/orders/"
        assert leads_to(sam, f" {alice.username.upper()} ") == address

    def test_finds_a_customer_without_an_account(
        self, sam: Visitor, fresh: Callable[[str], str]
    ) -> None:
        put(order := made_order(fresh("imported")))
        assert leads_to(sam, order.username) == f"/staff/customers/{order.username}/orders/"

    def test_finds_customers_by_their_address(
        self, sam: Visitor, fresh: Callable[[str], str]
    ) -> None:
        names = sorted(fresh("ada") for _ in range(2))
        email, now = f"{fresh('ada')}@example.com", datetime.now(UTC)
        create_profile(username=names[0], password=None, email=email, now=now)
        assert leads_to(sam, email.upper()) == f"/staff/customers/{names[0]}/orders/"
        create_profile(username=names[1], password=None, email=email, now=now)
        page = sam.get(f"/staff/find/?q={email}").page
        assert [link.text for link in page.one("ul", class_="found").all("a")] == names

    @pytest.mark.parametrize("typed", ["nobody-has-it", "x" * 201, "%23", "a@b@c", "🚲"])
    def test_says_when_there_is_neither(self, sam: Visitor, typed: str) -> None:
        shown = sam.get(f"/staff/find/?q={typed}")
        assert (shown.status, shown.page.one(role="alert").text[:33]) == (
            200,
            "There is no order and no customer",
        )

    def test_of_nothing_asks_for_something(self, sam: Visitor) -> None:
        assert not sam.get("/staff/find/").page.all(role="alert")

    @pytest.mark.real_engine
    def test_reads_by_key_alone_in_one_round(self, alice: Visitor) -> None:
        with metered() as meter:
            find_order_or_customers(alice.username)
        assert {call.operation for call in meter.calls} == {"GetItem", "Query"}
        assert (meter.rounds, meter.capacity_units()) <= (1, 3.0)
