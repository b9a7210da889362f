"""The queue of open orders, as staff see it. All tests share it, so each looks for its own."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shop.order_status import OPEN, Status
from shop.orders.items import NewOrder
from tests.support.orders.making import made_order, put, stored_order
from tests.support.orders.visiting import Shown, Visitor

LONG_AGO = datetime(1980, 1, 1, tzinfo=UTC)
"""Nobody else's orders are as old: these come first in the queue."""


@pytest.fixture
def opened(alice: Visitor, bob: Visitor, sam: Visitor) -> Iterator[list[NewOrder]]:
    """Six open orders at the head of the queue, two in each status, gone afterwards."""
    orders = [
        made_order(who.username, status, placed_at=LONG_AGO + timedelta(hours=n))
        for n, (status, who) in enumerate((status, who) for status in OPEN for who in (alice, bob))
    ]
    put(*orders)
    yield orders
    for order in orders:
        status = stored_order(order.username, order.id)["status"]["S"]
        if Status(status).is_open:
            fields = {"from_status": status, "move": "CANCELED"}
            sam.send(f"/orders/{order.id}/move/", fields)


def ids_of(orders: list[NewOrder]) -> list[str]:
    return [order.id for order in orders]


class TestTheQueue:
    def test_holds_the_open_orders_of_all_customers_oldest_first(
        self, sam: Visitor, opened: list[NewOrder], settings: Any
    ) -> None:
        settings.PAGE_SIZE = 6
        assert sam.get("/staff/orders/").order_ids == ids_of(opened)

    def test_leads_to_the_orders_of_each_customer(
        self, sam: Visitor, opened: list[NewOrder]
    ) -> None:
        page = sam.get("/staff/orders/").page
        assert page.all("a", href=f"/staff/customers/{opened[0].username}/orders/")

    def test_does_not_hold_closed_orders(self, sam: Visitor, alice: Visitor, settings: Any) -> None:
        order = made_order(alice.username, Status.SHIPPED, placed_at=LONG_AGO)
        put(order)
        assert order.id not in sam.get("/staff/orders/").order_ids

    def test_is_narrowed_to_open_statuses(
        self, sam: Visitor, opened: list[NewOrder], settings: Any
    ) -> None:
        settings.PAGE_SIZE = 4
        shown = sam.get("/staff/orders/?status=PROCESSING&status=PLACED")
        assert shown.order_ids == ids_of([*opened[:2], *opened[4:]])

    def test_says_its_length(self, sam: Visitor, opened: list[NewOrder]) -> None:
        shown = sam.get("/staff/orders/?status=PLACED")
        length = shown.toggle("status", "PLACED").one(class_="toggle-count").text
        assert shown.page.one(class_="lede").text == f"{length} in the queue, oldest first."
        assert int(length) >= 2

    def test_leads_on_and_back(self, sam: Visitor, opened: list[NewOrder], settings: Any) -> None:
        settings.PAGE_SIZE = 2
        first = sam.get("/staff/orders/")
        second = sam.get(first.next or "")
        assert first.order_ids + second.order_ids == ids_of(opened)[:4]
        assert first.previous is None
        assert sam.get(second.previous or "").order_ids == first.order_ids

    def test_has_only_open_statuses(self, sam: Visitor) -> None:
        shown = sam.get("/staff/orders/?status=SHIPPED")
        assert shown.status == 400
        assert "PLACED, APPROVED, PROCESSING" in shown.page.text

    def test_refuses_a_page_link_of_another_queue(
        self, sam: Visitor, opened: list[NewOrder], settings: Any
    ) -> None:
        settings.PAGE_SIZE = 1
        token = (sam.get("/staff/orders/").next or "").partition("after=")[2]
        assert sam.get(f"/staff/orders/?status=PLACED&after={token}").status == 400

    def test_is_not_there_for_htmx_of_a_customer_either(self, alice: Visitor) -> None:
        shown = alice.get("/staff/orders/", htmx=True)
        assert shown.status == 404
        assert "There is nothing here." in shown.page.text

    def test_is_for_staff_alone(self, alice: Visitor, stranger: Visitor) -> None:
        assert alice.get("/staff/orders/").status == 404
        assert stranger.get("/staff/orders/").response["Location"].startswith("/accounts/login/")
        assert alice.post("/staff/orders/ship/", {"order": "x"}).status == 404
        links = [link.text for link in alice.get("/orders/").page.all("a")]
        assert links
        assert "Queue" not in links


class TestTheActionsOfARow:
    def test_are_what_the_status_allows(
        self, sam: Visitor, opened: list[NewOrder], settings: Any
    ) -> None:
        settings.PAGE_SIZE = 6
        shown = sam.get("/staff/orders/")
        assert [moves_of(shown, order.id) for order in opened[::2]] == [
            ["APPROVED", "CANCELED"],
            ["PROCESSING", "CANCELED"],
            ["SHIPPED", "CANCELED"],
        ]

    def test_lead_back_to_the_same_page_of_the_queue(
        self, sam: Visitor, opened: list[NewOrder], settings: Any
    ) -> None:
        settings.PAGE_SIZE = 2
        second = sam.get("/staff/orders/").next or ""
        url, fields = sam.get(second).action(opened[2].id, "PROCESSING")
        assert sam.send(url, fields)["Location"] == second

    def test_swap_the_queue_under_htmx_and_tell(self, sam: Visitor, opened: list[NewOrder]) -> None:
        url, fields = sam.get("/staff/orders/").action(opened[4].id, "SHIPPED")
        shown = sam.post(url, fields, htmx=True)
        assert not shown.page.all("html")
        assert shown.page.one("section", id="queue")
        assert shown.messages == [f"Order {opened[4].id} is shipped now."]
        assert opened[4].id not in shown.order_ids

    def test_change_the_customers_tabs(
        self, sam: Visitor, alice: Visitor, opened: list[NewOrder]
    ) -> None:
        sam.post(*sam.get("/staff/orders/").action(opened[4].id, "SHIPPED"))
        assert alice.get("/orders/").counts == {"PLACED": 1, "APPROVED": 1, "SHIPPED": 1}


class TestShippingTheSelected:
    URL = "/staff/orders/ship/"

    def test_ships_each_that_is_processed(self, sam: Visitor, opened: list[NewOrder]) -> None:
        shown = sam.post(self.URL, {"order": ids_of(opened[4:])})
        assert shown.messages == ["2 orders shipped."]
        assert not set(ids_of(opened[4:])) & set(shown.order_ids)

    def test_tells_of_each_that_is_not(self, sam: Visitor, opened: list[NewOrder]) -> None:
        shown = sam.post(self.URL, {"order": [opened[0].id, opened[4].id, "nonsense"]})
        assert shown.messages == [
            "1 order shipped.",
            f"Order {opened[0].id} is placed by now; it stays as it is.",
            "There is no order nonsense.",
        ]

    def test_asks_for_a_selection(self, sam: Visitor) -> None:
        assert sam.post(self.URL, {}).messages == ["Select the orders to ship first."]

    def test_is_offered_for_what_can_be_shipped(
        self, sam: Visitor, opened: list[NewOrder], settings: Any
    ) -> None:
        settings.PAGE_SIZE = 6
        boxes = sam.get("/staff/orders/").page.all("input", name="order")
        assert [box["value"] for box in boxes] == ids_of(opened[4:])


def moves_of(shown: Shown, order_id: str) -> list[str]:
    row = shown.page.one("li", data_order_id=order_id)
    return [field["value"] for field in row.all("input", name="move")]
