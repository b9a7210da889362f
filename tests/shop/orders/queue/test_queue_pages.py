"""The queue of open orders, as staff see it and find in it.

All tests share it, so each looks for its own.
"""

import csv
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dynapages.calls import metered
from dynapages.django import formats
from shop.accounts.services import create_profile
from shop.order_status import Status
from shop.orders.items import NewLine
from shop.orders.listing import age_in_words
from shop.orders.queue.listing import find_orders_or_customers
from tests.support.comments.browsing import Shown, Visitor
from tests.support.orders.making import LATER, START, made_order, put
from tests.support.orders.queueing import LONG_AGO, ids_of, stored_status


class TestTheQueue:
    def test_holds_the_open_orders_of_all_customers_oldest_first(self, sam, opened, settings):
        settings.PAGE_SIZE = 6
        assert sam.get("/staff/orders/").order_ids == ids_of(opened)

    def test_says_its_length(self, sam, opened):
        shown = sam.get("/staff/orders/?status=PLACED")
        length = shown.toggle("status", "PLACED").one(class_="toggle-count").text
        assert shown.page.one("h1").text == f"Open orders {length}"
        assert int(length) >= 2

    def test_tells_what_was_bought_and_the_end_of_the_number(self, sam, opened):
        row = sam.get("/staff/orders/").page.one("tr", data_order_id=opened[0].id)
        assert row.one(class_="bought").text == "Desk lamp"
        link = row.one(class_="order-number").one("a")
        assert link["href"].startswith(f"/orders/{opened[0].id}/?list=")
        assert link.text == f"…{opened[0].id[-8:]}"
        assert link["title"] == opened[0].id

    @pytest.mark.parametrize(
        ("age", "told"),
        [
            (timedelta(seconds=59), "0 min"),
            (timedelta(minutes=59), "59 min"),
            (timedelta(hours=23, minutes=59), "23 h"),
            (timedelta(days=4, hours=23), "4 d"),
            (timedelta(days=2_500), "2,500 d"),
        ],
    )
    def test_tells_the_age_in_whole_days_hours_or_minutes(self, age, told):
        assert age_in_words(age) == told

    def test_tells_the_age_of_each_order_beside_its_date(self, sam, opened):
        row = sam.get("/staff/orders/").page.one("tr", data_order_id=opened[0].id)
        date, age = row.one("time"), row.one(class_="age")
        assert date["title"] == "1 January 1980, 00:00:00 UTC"
        assert age.text == age_in_words(datetime.now(UTC) - opened[0].placed_at)

    def test_says_which_part_of_it_is_shown(self, sam, opened, settings):
        settings.PAGE_SIZE = 3
        shown = sam.get("/staff/orders/?to=1980-01-02")
        assert shown.page.one(class_="extent").text == "1–3 of more than 3"
        total = shown.toggle("all-statuses").one(class_="toggle-count").text
        first = sam.get("/staff/orders/")
        assert first.page.one(class_="extent").text == f"1–3 of {total}"
        second = sam.get(first.next)
        assert second.page.one(class_="extent").text == f"4–6 of {total}"

    def test_has_only_open_statuses(self, sam):
        shown = sam.get("/staff/orders/?status=SHIPPED")
        assert shown.status == 400
        assert "PLACED, APPROVED, PROCESSING" in shown.page.text

    def test_refuses_a_page_link_of_another_queue(self, sam, opened, settings):
        settings.PAGE_SIZE = 1
        token = (sam.get("/staff/orders/").next or "").partition("after=")[2]
        assert sam.get(f"/staff/orders/?status=PLACED&after={token}").status == 400


class TestTheActionsOfARow:
    def test_are_what_the_status_allows(self, sam, opened, settings):
        settings.PAGE_SIZE = 6
        shown = sam.get("/staff/orders/")
        assert [moves_of(shown, order.id) for order in opened[::2]] == [
            ["APPROVED"],
            ["PROCESSING"],
            ["SHIPPED"],
        ]

    def test_ask_before_an_order_is_canceled(self, sam, opened):
        row = sam.get("/staff/orders/").page.one("tr", data_order_id=opened[4].id)
        asked = sam.get(row.one("a", class_="cancel")["href"])
        assert stored_status(opened[4]) == "PROCESSING"
        shown = sam.post(*asked.action(opened[4].id, "CANCELED"))
        assert shown.messages == [f"Order {opened[4].id} is now cancelled."]
        assert shown.page.one("section", id="queue")

    def test_lead_back_to_the_same_page_of_the_queue(self, sam, opened, settings):
        settings.PAGE_SIZE = 2
        second = sam.get("/staff/orders/").next or ""
        url, fields = sam.get(second).action(opened[2].id, "PROCESSING")
        assert sam.send(url, fields)["Location"] == second


class TestDays:
    def test_narrow_the_queue_to_what_was_placed_on_them(self, sam, opened):
        put(later := made_order(opened[0].username, placed_at=LONG_AGO + timedelta(days=1)))
        opened.append(later)
        assert sam.get("/staff/orders/?from=1980-01-02&to=1980-01-03").order_ids == [later.id]
        assert sam.get("/staff/orders/?to=1980-01-02").order_ids == ids_of(opened[:6])

    def test_are_kept_by_statuses_and_pages(self, sam, opened, settings):
        settings.PAGE_SIZE = 1
        shown = sam.get("/staff/orders/?from=1980-01-01&to=1980-01-02")
        url = shown.toggle("status", "PLACED")["href"]
        first = sam.get(url)
        assert first.order_ids == [opened[0].id]
        assert sam.get(first.next or "").order_ids == [opened[1].id]
        assert sam.get(first.next or "").next is None


def moves_of(shown: Shown, order_id: str) -> list[str]:
    row = shown.page.one("tr", data_order_id=order_id)
    return [field["value"] for field in row.all("input", name="move")]


def rows(visitor: Visitor, url: str) -> list[dict[str, str]]:
    response: Any = visitor.browser.get(url)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(response.getvalue().decode().splitlines()))


class TestTheQueueAsCsv:
    def test_has_what_the_filtered_list_has_on_all_its_pages(self, sam, opened, settings):
        settings.PAGE_SIZE = 1
        query = "?status=PLACED&status=APPROVED&to=1980-01-02"
        link = sam.get(f"/staff/orders/{query}").page.one(class_="csv").one("a")
        found = rows(sam, link["href"])
        assert [row["order_id"] for row in found] == ids_of(opened[:4])
        assert found[0] == {
            "order_id": opened[0].id,
            "foreign_id": "",
            "customer": opened[0].username,
            "status": "PLACED",
            "placed_at": "1980-01-01T00:00:00.000000Z",
            "bought": "Desk lamp",
            "items": "2",
            "currency": "EUR",
            "total": "39.98",
        }


class TestACustomersOrdersAsCsv:
    def test_are_filtered_as_on_the_page(self, sam, alice, monkeypatch):
        monkeypatch.setattr(formats, "ROWS_AT_A_TIME", 1)
        lines = [NewLine("lamp", "=HYPERLINK(1)", 1, 100)]
        orders = [
            made_order(alice.username, status, placed_at=START + timedelta(days=n), lines=lines)
            for n, status in enumerate([Status.SHIPPED, Status.PLACED, Status.SHIPPED])
        ]
        put(*orders)
        page = sam.get(f"/staff/customers/{alice.username}/orders/?status=SHIPPED").page
        found = rows(sam, page.one(class_="csv").one("a")["href"])
        assert [row["order_id"] for row in found] == [orders[2].id, orders[0].id]
        assert found[0]["bought"] == "'=HYPERLINK(1)"


def leads_to(visitor: Visitor, typed: str) -> str:
    return visitor.browser.get("/staff/find/", {"q": typed}).get("Location", "")


class TestTheSearch:
    def test_is_on_every_page_of_staff_and_on_no_other(self, sam, alice):
        form = sam.get("/orders/").page.one("form", role="search")
        assert form["action"] == "/staff/find/"
        assert form.one("input", type="search")["name"] == "q"
        forms = alice.get("/orders/").page.all("form", role="search")
        assert [form["action"] for form in forms] == ["/search/"]

    def test_finds_an_order_by_its_number_here_and_elsewhere(self, sam, alice, fresh):
        put(order := made_order(alice.username, foreign_id=fresh("Shop-17")))
        for typed in (order.id, f" {order.id.lower()} ", order.foreign_id):
            assert leads_to(sam, typed) == f"/orders/{order.id}/"

    def test_finds_an_order_by_any_number_that_a_shop_gave_it(self, sam, alice, fresh):
        number = fresh("17")
        for foreign_id in (f"#{number}", f"INV/{number} ü", f"#{number}".ljust(128, "x")):
            put(order := made_order(alice.username, foreign_id=foreign_id))
            assert leads_to(sam, foreign_id) == f"/orders/{order.id}/"
        assert leads_to(sam, number) == ""  # which is another one

    def test_shows_the_orders_of_two_shops_with_one_number(self, sam, alice, bob, fresh):
        number = f"#{fresh('1035')}"
        put(one := made_order(alice.username, foreign_id=number))
        other = made_order(bob.username, foreign_id=f"berlin-{number}", placed_at=LATER)
        put(replace(other, id_prefix="berlin-"))
        links = sam.get(f"/staff/find/?q=%23{number[1:]}").page.one("ul", class_="found").all("a")
        shown = [(link.text, link["href"]) for link in links]
        assert shown == [
            (number, f"/orders/{one.id}/"),
            (f"berlin-{number}", f"/orders/{other.id}/"),
        ]
        assert leads_to(sam, f"berlin-{number}") == f"/orders/{other.id}/"
        assert sam.get(f"/orders/%23{number[1:]}/").status == 404
        found = bob.get(f"/orders/%23{number[1:]}/").response["Location"]
        assert found == f"/orders/{other.id}/"

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

    @pytest.mark.real_engine
    def test_reads_by_key_alone_in_one_round(self, alice):
        with metered() as meter:
            find_orders_or_customers(alice.username)
        assert {call.operation for call in meter.log} == {"Query", "GetItem"}
        assert (meter.rounds, meter.units) <= (1, 3.0)
