"""The queue of open orders, as staff see it. All tests share it, so each looks for its own."""

from datetime import timedelta
from typing import Any

from shop.order_status import Status
from shop.orders.items import NewOrder
from tests.support.comments.browsing import Shown, Visitor
from tests.support.orders.making import made_order, put
from tests.support.orders.queueing import LONG_AGO, ids_of, stored_status


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
        assert shown.page.one("h1").text == f"Open orders {length}"
        assert int(length) >= 2

    def test_tells_what_was_bought_and_the_end_of_the_number(
        self, sam: Visitor, opened: list[NewOrder]
    ) -> None:
        row = sam.get("/staff/orders/").page.one("tr", data_order_id=opened[0].id)
        assert row.one(class_="bought").text == "Desk lamp"
        link = row.one("a", href=f"/orders/{opened[0].id}/")
        assert link.text == f"…{opened[0].id[-8:]}"
        assert link["title"] == opened[0].id

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
        assert alice.post("/staff/orders/move/", {"order": "x"}).status == 404
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
            ["APPROVED"],
            ["PROCESSING"],
            ["SHIPPED"],
        ]

    def test_ask_before_an_order_is_canceled(self, sam: Visitor, opened: list[NewOrder]) -> None:
        row = sam.get("/staff/orders/").page.one("tr", data_order_id=opened[4].id)
        asked = sam.get(row.one("a", class_="cancel")["href"])
        assert stored_status(opened[4]) == "PROCESSING"
        shown = sam.post(*asked.action(opened[4].id, "CANCELED"))
        assert shown.messages == [f"Order {opened[4].id} is now cancelled."]
        assert shown.page.one("section", id="queue")

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
        assert shown.messages == [f"Order {opened[4].id} is now shipped."]
        assert opened[4].id not in shown.order_ids

    def test_change_the_customers_tabs(
        self, sam: Visitor, alice: Visitor, opened: list[NewOrder]
    ) -> None:
        sam.post(*sam.get("/staff/orders/").action(opened[4].id, "SHIPPED"))
        assert alice.get("/orders/").counts == {"PLACED": 1, "APPROVED": 1, "SHIPPED": 1}


class TestDays:
    def test_narrow_the_queue_to_what_was_placed_on_them(
        self, sam: Visitor, opened: list[NewOrder]
    ) -> None:
        put(later := made_order(opened[0].username, placed_at=LONG_AGO + timedelta(days=1)))
        opened.append(later)
        assert sam.get("/staff/orders/?from=1980-01-02&to=1980-01-03").order_ids == [later.id]
        assert sam.get("/staff/orders/?to=1980-01-02").order_ids == ids_of(opened[:6])

    def test_are_kept_by_statuses_and_pages(
        self, sam: Visitor, opened: list[NewOrder], settings: Any
    ) -> None:
        settings.PAGE_SIZE = 1
        shown = sam.get("/staff/orders/?from=1980-01-01&to=1980-01-02")
        url = shown.toggle("status", "PLACED")["href"]
        first = sam.get(url)
        assert first.order_ids == [opened[0].id]
        assert sam.get(first.next or "").order_ids == [opened[1].id]
        assert sam.get(first.next or "").next is None

    def test_are_in_the_address_alone_where_they_are_filled_in(self, sam: Visitor) -> None:
        shown = sam.get("/staff/orders/?status=PLACED&from=1980-01-01&to=")
        assert shown.response["Location"] == "/staff/orders/?status=PLACED&from=1980-01-01"

    def test_are_days(self, sam: Visitor) -> None:
        shown = sam.get("/staff/orders/?from=yesterday")
        assert shown.status == 400
        assert "write it as YYYY-MM-DD" in shown.page.text


def moves_of(shown: Shown, order_id: str) -> list[str]:
    row = shown.page.one("tr", data_order_id=order_id)
    return [field["value"] for field in row.all("input", name="move")]
