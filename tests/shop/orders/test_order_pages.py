"""The pages of a customer's orders."""

from datetime import timedelta

import pytest

from shop.catalogue.drawings import drawing_url
from shop.order_status import Status
from shop.orders.items import NewLine
from tests.support.orders.making import START, by_status_date, made_order, put

DAY = timedelta(days=1)


class TestTheListOfOrders:
    def test_tells_what_was_bought_by_every_filter_but_that_of_open_orders(self, alice):
        lines = [NewLine("pan", "Enamelled Frying Pan", 1, 100)]
        lines += [NewLine(f"lamp-{n}", "Lamp", 2, 100) for n in range(3)]
        put(made_order(alice.username, Status.PROCESSING, lines=lines))
        told = {
            query: alice.get(f"/orders/{query}").page.one(class_="order-bought").text
            for query in ("", "?status=PROCESSING", "?open=1")
        }
        assert told == {
            "": "Enamelled Frying Pan + 3 more",
            "?status=PROCESSING": "Enamelled Frying Pan + 3 more",
            "?open=1": "7 items",  # a local index cannot be built anew
        }

    def test_says_the_date_once_that_the_list_goes_by(self, alice):
        put(made_order(alice.username, entered_at=START + 2 * DAY, status=Status.PROCESSING))
        told = {}
        for query in ("", "?open=1", "?status=PROCESSING"):
            row = alice.get(f"/orders/{query}").page.one(class_="order")
            told[query] = [date.text for date in row.all("time")]
        assert told == {
            "": ["1 Jan 2023"],
            "?open=1": ["1 Jan 2023"],
            "?status=PROCESSING": ["3 Jan 2023"],
        }

    def test_shows_the_drawing_of_the_first_product(self, alice):
        put(made_order(alice.username, lines=[NewLine("pan", "Café Frying Pan", 1, 100)]))
        row = alice.get("/orders/").page.one(class_="order")
        assert row.one("img")["src"] == drawing_url("café-frying-pan")
        assert row.one("img")["alt"] == ""

    def test_shows_no_drawing_where_the_products_are_not_known(self, alice):
        put(made_order(alice.username))
        row = alice.get("/orders/?open=1").page.one(class_="order")
        assert row.one(class_="order-cover").all("img") == []

    def test_brings_the_drawings_below_the_first_screen_later(self, alice):
        put(*(made_order(alice.username) for _ in range(10)))
        images = alice.get("/orders/").page.one(class_="orders").all("img")
        assert [image.get("loading") for image in images] == [None] * 8 + ["lazy"] * 2


class TestTheTabs:
    def test_count_the_orders_in_each_status_and_say_which_are_chosen(self, alice):
        statuses = [Status.PLACED, Status.SHIPPED, Status.SHIPPED]
        put(*(made_order(alice.username, status) for status in statuses))
        shown = alice.get("/orders/?status=SHIPPED")
        assert shown.counts == {"PLACED": 1, "SHIPPED": 2}
        every = shown.toggle("all-statuses", "~")
        assert every.one(class_="toggle-count").text == "3"
        toggles = (*(shown.toggle("status", name) for name in ("SHIPPED", "PLACED")), every)
        assert [toggle["aria-pressed"] for toggle in toggles] == ["true", "false", "false"]

    def test_add_and_remove_a_status_and_keep_the_dates(self, alice):
        shown = alice.get("/orders/?status=SHIPPED&from=2023-01-01&to=2023-02-01")
        dates = "from=2023-01-01&to=2023-02-01"
        assert shown.toggle("status", "SHIPPED")["href"] == f"/orders/?{dates}"
        added = shown.toggle("status", "PLACED")["href"]
        assert added == f"/orders/?status=PLACED&status=SHIPPED&{dates}"


class TestTheDates:
    def test_form_carries_the_statuses_along(self, alice):
        shown = alice.get("/orders/?status=SHIPPED&status=PLACED&from=2023-01-01")
        form = shown.page.one("main").one("form", method="get")
        hidden = [field["value"] for field in form.all("input", type="hidden", name="status")]
        assert hidden == ["PLACED", "SHIPPED"]
        assert form.one("input", name="from")["value"] == "2023-01-01"

    def test_left_empty_leave_the_address(self, alice):
        shown = alice.get("/orders/?status=SHIPPED&from=&to=2023-01-01")
        assert shown.response["Location"] == "/orders/?status=SHIPPED&to=2023-01-01"

    def test_can_be_cleared_without_losing_the_statuses(self, alice):
        shown = alice.get("/orders/?status=SHIPPED&from=2023-01-01")
        assert shown.page.one("a", id="dates-clear")["href"] == "/orders/?status=SHIPPED"


class TestThePagesOfTheList:
    @pytest.fixture
    def ids(self, alice, settings):
        settings.PAGE_SIZE = 2
        orders = [
            made_order(alice.username, status, placed_at=START + n * DAY)
            for n, status in enumerate([Status.SHIPPED, Status.CANCELED, Status.SHIPPED] * 2)
        ]
        put(*orders)
        return by_status_date(orders)

    URL = "/orders/?status=SHIPPED&status=CANCELED&from=2022-01-01"

    def test_lead_on_and_back_through_all(self, alice, ids):
        pages = [alice.get(self.URL)]
        while pages[-1].next:
            pages.append(alice.get(pages[-1].next))
        assert [i for page in pages for i in page.order_ids] == ids
        back = pages[-1].previous
        assert back
        assert alice.get(back).order_ids == ids[2:4]

    def test_say_which_part_of_the_list_they_are_where_that_is_known(self, alice, ids):
        counted, told = self.URL.partition("&from")[0], []
        for url in (counted, self.URL):
            first = alice.get(url)
            pages = [first, alice.get(first.next), alice.get(first.last)]
            told += [page.page.one(class_="extent").text for page in pages]
        assert told == [
            *("1–2 of 6", "3–4 of 6", "5–6 of 6"),
            *("1–2 of more than 2", "3–4 of more than 4", "the last 2"),
        ]
        assert not alice.get("/orders/?status=PLACED").page.all(class_="extent")

    def test_are_bound_to_the_filter(self, alice, ids):
        token = (alice.get(self.URL).next or "").partition("after=")[2]
        shown = alice.get(f"/orders/?status=SHIPPED&after={token}")
        assert shown.status == 400
        assert shown.page.all("a", href="/orders/?status=SHIPPED")

    def test_are_bound_to_the_customer(self, alice, bob, ids):
        assert bob.get(alice.get(self.URL).next or "").status == 400


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
    def test_is_refused_with_a_hint(self, alice, query, hint):
        shown = alice.get(f"/orders/?{query}")
        assert shown.status == 400
        assert hint in shown.page.text


class TestWhoMaySeeOrders:
    def test_is_staff_for_any_customer(self, alice, sam, order):
        shown = sam.get(f"/staff/customers/{alice.username}/orders/?status=PLACED")
        assert shown.order_ids == [order.id]
        assert alice.username in shown.page.one("h1").text

    def test_is_nobody_for_a_customer_who_does_not_exist(self, sam, fresh):
        assert sam.get(f"/staff/customers/{fresh('nobody')}/orders/").status == 404
        assert sam.get(f"/staff/customers/{'x' * 3_000}/orders/").status == 404

    def test_includes_staff_for_a_customer_who_never_signed_up(self, sam, fresh):
        name = fresh("imported")
        put(made_order(name))
        assert len(sam.get(f"/staff/customers/{name}/orders/").order_ids) == 1
