"""The pages of a customer's orders."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from shop.order_status import Status
from shop.orders.items import NewLine
from tests.support.comments.browsing import Visitor
from tests.support.orders.making import START, by_status_date, made_order, newest_first, put

DAY = timedelta(days=1)


class TestTheListOfOrders:
    def test_is_newest_first_by_the_day_of_placing(self, alice: Visitor) -> None:
        orders = [made_order(alice.username, placed_at=START + n * DAY) for n in range(3)]
        put(*orders)
        assert alice.get("/orders/").order_ids == newest_first(orders)

    def test_tells_what_was_bought_by_every_filter_but_that_of_open_orders(
        self, alice: Visitor
    ) -> None:
        lines = [NewLine("pan", "Enamelled Frying Pan", 1, 100)]
        lines += [NewLine(f"lamp-{n}", "Lamp", 2, 100) for n in range(3)]
        order = made_order(alice.username, Status.PROCESSING, lines=lines)
        put(order)
        told = {
            query: alice.get(f"/orders/{query}").page.one(class_="order-bought").text
            for query in ("", "?status=PROCESSING", "?open=1")
        }
        assert told == {
            "": "Enamelled Frying Pan + 3 more",
            "?status=PROCESSING": "Enamelled Frying Pan + 3 more",
            "?open=1": "7 items",  # a local index cannot be built anew
        }

    def test_dates_each_status(self, alice: Visitor) -> None:
        put(made_order(alice.username, Status.SHIPPED, entered_at=START + 2 * DAY))
        for query in ("", "?status=SHIPPED"):
            row = alice.get(f"/orders/{query}").page.one(class_="order")
            assert row.one(class_="order-status").text == "Shipped 3 Jan 2023"

    def test_counts_its_orders_in_the_heading(self, alice: Visitor) -> None:
        put(*(made_order(alice.username, s) for s in (Status.PLACED, Status.SHIPPED)))
        headings = [
            alice.get(f"/orders/{query}").page.one("h1").text
            for query in ("", "?status=SHIPPED", "?open=1", "?from=2023-01-01")
        ]
        assert headings == ["Your orders 2", "Your orders 1", "Your orders 1", "Your orders"]

    def test_holds_no_orders_of_others(self, alice: Visitor, bob: Visitor) -> None:
        put(made_order(alice.username))
        assert bob.get("/orders/").order_ids == []

    def test_is_ordered_by_the_day_of_the_status_when_one_is_chosen(self, alice: Visitor) -> None:
        slow = made_order(alice.username, Status.SHIPPED, entered_at=START + 9 * DAY)
        fast = made_order(
            alice.username, Status.SHIPPED, placed_at=START + DAY, entered_at=START + 2 * DAY
        )
        put(slow, fast, made_order(alice.username, Status.DELIVERED))
        shown = alice.get("/orders/?status=SHIPPED")
        assert shown.order_ids == [slow.id, fast.id]
        assert shown.dates == ["2023-01-10T00:00:00.000000Z", "2023-01-03T00:00:00.000000Z"]

    def test_takes_any_set_of_statuses(self, alice: Visitor) -> None:
        shipped, delivered, placed = (
            made_order(alice.username, status, placed_at=START + n * DAY)
            for n, status in enumerate([Status.SHIPPED, Status.DELIVERED, Status.PLACED])
        )
        put(shipped, delivered, placed)
        shown = alice.get("/orders/?status=DELIVERED&status=SHIPPED")
        assert shown.order_ids == by_status_date([shipped, delivered])

    def test_shows_an_open_order_at_once_among_the_open_ones(self, alice: Visitor) -> None:
        placed, shipped = made_order(alice.username), made_order(alice.username, Status.SHIPPED)
        put(placed, shipped)
        shown = alice.get("/orders/?open=1")
        assert shown.order_ids == [placed.id]
        assert shown.toggle("open", "1")["aria-pressed"] == "true"


class TestTheTabs:
    def test_count_the_orders_in_each_status(self, alice: Visitor) -> None:
        statuses = [Status.PLACED, Status.SHIPPED, Status.SHIPPED]
        put(*(made_order(alice.username, status) for status in statuses))
        shown = alice.get("/orders/?status=DELIVERED")
        assert shown.counts == {"PLACED": 1, "SHIPPED": 2}
        assert shown.toggle("all-statuses", "~").one(class_="toggle-count").text == "3"

    def test_add_and_remove_a_status_and_keep_the_dates(self, alice: Visitor) -> None:
        shown = alice.get("/orders/?status=SHIPPED&from=2023-01-01&to=2023-02-01")
        dates = "from=2023-01-01&to=2023-02-01"
        assert shown.toggle("status", "SHIPPED")["href"] == f"/orders/?{dates}"
        added = shown.toggle("status", "PLACED")["href"]
        assert added == f"/orders/?status=PLACED&status=SHIPPED&{dates}"

    def test_say_which_are_chosen(self, alice: Visitor) -> None:
        shown = alice.get("/orders/?status=SHIPPED")
        assert shown.toggle("status", "SHIPPED")["aria-pressed"] == "true"
        assert shown.toggle("status", "PLACED")["aria-pressed"] == "false"
        assert shown.toggle("all-statuses", "~")["aria-pressed"] == "false"


class TestTheDates:
    def test_form_carries_the_statuses_along(self, alice: Visitor) -> None:
        form = alice.get("/orders/?status=SHIPPED&status=PLACED&from=2023-01-01").page.one(
            "form", method="get"
        )
        hidden = [field["value"] for field in form.all("input", type="hidden", name="status")]
        assert hidden == ["PLACED", "SHIPPED"]
        assert form.one("input", name="from")["value"] == "2023-01-01"

    def test_left_empty_leave_the_address(self, alice: Visitor) -> None:
        shown = alice.get("/orders/?status=SHIPPED&from=&to=2023-01-01")
        assert shown.response["Location"] == "/orders/?status=SHIPPED&to=2023-01-01"

    def test_can_be_cleared_without_losing_the_statuses(self, alice: Visitor) -> None:
        shown = alice.get("/orders/?status=SHIPPED&from=2023-01-01")
        assert shown.page.one("a", id="dates-clear")["href"] == "/orders/?status=SHIPPED"


class TestThePagesOfTheList:
    @pytest.fixture
    def ids(self, alice: Visitor, settings: Any) -> list[str]:
        settings.PAGE_SIZE = 2
        orders = [
            made_order(alice.username, status, placed_at=START + n * DAY)
            for n, status in enumerate([Status.SHIPPED, Status.CANCELED, Status.SHIPPED] * 2)
        ]
        put(*orders)
        return by_status_date(orders)

    URL = "/orders/?status=SHIPPED&status=CANCELED&from=2022-01-01"

    def test_lead_on_and_back_through_all(self, alice: Visitor, ids: list[str]) -> None:
        pages = [alice.get(self.URL)]
        while pages[-1].next:
            pages.append(alice.get(pages[-1].next))
        assert [i for page in pages for i in page.order_ids] == ids
        back = pages[-1].previous
        assert back
        assert alice.get(back).order_ids == ids[2:4]

    def test_are_bound_to_the_filter(self, alice: Visitor, ids: list[str]) -> None:
        token = (alice.get(self.URL).next or "").partition("after=")[2]
        shown = alice.get(f"/orders/?status=SHIPPED&after={token}")
        assert shown.status == 400
        assert shown.page.all("a", href="/orders/?status=SHIPPED")

    def test_are_bound_to_the_customer(self, alice: Visitor, bob: Visitor, ids: list[str]) -> None:
        assert bob.get(alice.get(self.URL).next or "").status == 400

    def test_are_there_for_htmx_without_the_page_around(
        self, alice: Visitor, ids: list[str]
    ) -> None:
        shown = alice.get(self.URL, htmx=True)
        assert shown.order_ids == ids[:2]
        assert not shown.page.all("html")


class TestAnAddressThatIsNoFilter:
    @pytest.mark.parametrize(
        ("query", "hint"),
        [
            ("status=SHIPED", "PLACED, APPROVED, PROCESSING, SHIPPED"),
            ("status=shipped", "choose from"),
            ("from=01.01.2023", "YYYY-MM-DD"),
            ("to=2023-02-30", "YYYY-MM-DD"),
            ("from=20230101", "YYYY-MM-DD"),
            ("from=2023-02-01&to=2023-01-01", "after the end date"),
            ("open=1&status=PLACED", "not both"),
            ("open=yes", "must be 1"),
            ("after=nonsense", "page link"),
            ("after=x&before=y", "not both"),
        ],
    )
    def test_is_refused_with_a_hint(self, alice: Visitor, query: str, hint: str) -> None:
        shown = alice.get(f"/orders/?{query}")
        assert shown.status == 400
        assert hint in shown.page.text

    def test_is_told_to_htmx_beside_the_list(self, alice: Visitor) -> None:
        response = alice.get("/orders/?status=SHIPED", htmx=True).response
        assert response.status_code == 400
        assert response["HX-Retarget"] == "#notice"


class TestWhoMaySeeOrders:
    def test_is_nobody_who_is_not_signed_in(self, stranger: Visitor) -> None:
        response = stranger.get("/orders/?status=SHIPPED").response
        assert response["Location"] == "/accounts/login/?next=%2Forders%2F%3Fstatus%3DSHIPPED"

    def test_is_told_to_htmx_as_a_page_to_load(self, stranger: Visitor) -> None:
        response = stranger.get("/orders/", htmx=True).response
        assert response["HX-Redirect"].startswith("/accounts/login/")

    def test_is_staff_for_any_customer(self, alice: Visitor, sam: Visitor) -> None:
        order = made_order(alice.username)
        put(order)
        shown = sam.get(f"/staff/customers/{alice.username}/orders/?status=PLACED")
        assert shown.order_ids == [order.id]
        assert alice.username in shown.page.one("h1").text

    def test_is_no_customer_for_another(self, alice: Visitor, bob: Visitor) -> None:
        assert bob.get(f"/staff/customers/{alice.username}/orders/").status == 404

    def test_is_nobody_for_a_customer_who_does_not_exist(
        self, sam: Visitor, fresh: Callable[[str], str]
    ) -> None:
        assert sam.get(f"/staff/customers/{fresh('nobody')}/orders/").status == 404
        assert sam.get(f"/staff/customers/{'x' * 3_000}/orders/").status == 404

    def test_includes_staff_for_a_customer_who_never_signed_up(
        self, sam: Visitor, fresh: Callable[[str], str]
    ) -> None:
        name = fresh("imported")
        put(made_order(name))
        assert len(sam.get(f"/staff/customers/{name}/orders/").order_ids) == 1
