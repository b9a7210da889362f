"""The queue of open orders, as staff see it and find in it.

All tests share it, so each looks for its own.
"""

import csv
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from dynapages.calls import metered
from dynapages.django import csv_lists
from shop.accounts.services import create_profile
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from shop.orders.ids import id_bound
from shop.orders.items import NewLine
from shop.orders.listing import age_in_words
from shop.orders.queue.listing import find_matches
from tests.support.comments.browsing import Shown, Visitor
from tests.support.orders.making import LATER, START, made_order, put, put_product
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
        assert shown.messages == [f"Order …{opened[4].id[-8:]} is now cancelled."]
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
        monkeypatch.setattr(csv_lists, "ROWS_AT_A_TIME", 1)
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
        assert form.one("input", role="combobox")["name"] == "q"
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

    def test_finds_an_order_by_the_number_that_pages_show(self, sam, alice):
        put(order := made_order(alice.username))
        page, end = sam.get(f"/staff/customers/{alice.username}/orders/").page, order.id[-8:]
        assert page.one(class_="order-id").text.endswith(f"…{end}")
        for typed in (f"…{end}", end, f"#{end.lower()}", f" {end[:4]} {end[4:]} ", order.id[-12:]):
            assert leads_to(sam, typed) == f"/orders/{order.id}/"

    def test_shows_all_that_may_be_meant(self, sam, sign_up, fresh):
        end = fresh("").upper()[-12:-4].replace("-", "0")
        sign_up(end.lower())
        orders = [
            replace(made_order(fresh("alex")), id=f"{id_bound(START)}{middle}{end}")
            for middle in ("AAAAAAAA", "BBBBBBBB")
        ]
        put(*orders)
        put_product(end.lower())
        links = sam.get(f"/staff/find/?q={end.lower()}").page.one("ul", class_="found").all("a")
        assert {link["href"] for link in links} == {
            *(f"/orders/{order.id}/" for order in orders),
            f"/staff/customers/{end.lower()}/",
            f"/products/{end.lower()}/",
            f"/staff/products/{end.lower()}/orders/",
        }

    def test_finds_a_customer_by_name_in_any_case_and_without_an_account(self, sam, alice, fresh):
        put(order := made_order(fresh("imported")))
        for typed in (f" {alice.username.upper()} ", order.username):
            name = typed.strip().lower()
            assert leads_to(sam, typed) == f"/staff/customers/{name}/"

    def test_finds_customers_by_their_address(self, sam, fresh):
        names = sorted(fresh("ada") for _ in range(2))
        email, now = f"{fresh('ada')}@example.com", datetime.now(UTC)
        create_profile(username=names[0], password=None, email=email, now=now)
        assert leads_to(sam, email.upper()) == f"/staff/customers/{names[0]}/"
        create_profile(username=names[1], password=None, email=email, now=now)
        page = sam.get(f"/staff/find/?q={email}").page
        assert [link.text for link in page.one("ul", class_="found").all("a")] == names

    def test_finds_products_by_words_of_their_names(self, sam, fresh):
        word = fresh("zither").replace("-", "")
        shelf = NewCategory(fresh("shelf"), "Shelf")
        names = (f"{word} one", f"{word} two")
        lamps = [NewProduct(fresh("lamp"), name, (shelf.slug,)) for name in names]
        put_catalogue(categories=[shelf], products=lamps)
        page = sam.get(f"/staff/find/?q={word[:-1].upper()}").page
        links = [link["href"] for link in page.one("ul", class_="found").all("a")]
        for lamp in lamps:
            assert f"/products/{lamp.id}/" in links
            assert f"/staff/products/{lamp.id}/orders/" in links
        assert leads_to(sam, f"{word} tw") == f"/staff/products/{lamps[1].id}/orders/"

    @pytest.mark.parametrize(
        "typed",
        [
            "nobody-has-it",
            "x" * 200,
            "#",
            "…",
            "a@b@c",
            "🚲",
            "\0",
            "…nezn dqtb",
            "U" * 8,
            "0" * 27,
        ],
    )
    def test_says_when_there_is_none_and_keeps_what_was_typed(self, sam, typed):
        shown = sam.get(f"/staff/find/?{urlencode({'q': typed})}")
        told = "There is no order, no customer and no product called"
        assert (shown.status, shown.page.one(role="alert").text.partition(" “")[0]) == (200, told)
        assert shown.page.one("input", id="find")["value"] == typed
        assert "…NEZNDQTB" in shown.page.one(id="find-help").text

    def test_says_that_it_is_too_long_and_keeps_it(self, sam):
        shown = sam.get(f"/staff/find/?q={'x' * 201}")
        assert shown.page.one(role="alert").text == "This is too long: type at most 200 characters."
        assert shown.page.one("input", id="find")["value"] == "x" * 201

    @pytest.mark.parametrize("query", ["", "?q=", "?q=%20"])
    def test_says_what_can_be_typed_where_nothing_was(self, sam, query):
        shown = sam.get(f"/staff/find/{query}")
        assert shown.page.one("input", id="find")["value"] == ""
        assert not shown.page.all(role="alert")

    def test_is_for_staff_alone(self, alice):
        assert alice.get("/staff/find/?q=NEZNDQTB").status == 404

    @pytest.mark.real_engine
    def test_reads_by_key_alone_in_one_round(self, alice):
        with metered() as meter:
            find_matches(alice.username)
        assert {call.operation for call in meter.log} <= {"Query", "GetItem", "BatchGetItem"}
        assert (meter.rounds, meter.units) <= (1, 3.0)


class TestTheOrdersOfAProduct:
    def test_are_found_by_the_products_id(self, sam, fresh):
        product = put_product(fresh("lamp"))
        assert leads_to(sam, product) == f"/staff/products/{product}/orders/"
        assert sam.get(f"/staff/products/{product}/orders/").page.one("main").text

    def test_are_the_delivered_ones_newest_first_page_by_page(self, sam, fresh, settings):
        settings.PAGE_SIZE = 2
        product = put_product(fresh("lamp"))
        lines = [NewLine(product, "Lamp", 1, 100)]
        orders = [
            made_order(fresh("alex"), status, placed_at=START + timedelta(days=day), lines=lines)
            for day, status in enumerate([*[Status.DELIVERED] * 3, Status.SHIPPED])
        ]
        put(*orders)
        first = sam.get(f"/staff/products/{product}/orders/")
        second = sam.get(first.older or "")
        links = [link for page in (first, second) for link in page.page.one("ol").all("a")]
        assert [link.text for link in links] == [one.username for one in orders[2::-1]]
        assert sam.get(links[0]["href"]).order_ids == [orders[2].id]
        assert second.older is None

    def test_are_for_staff_alone(self, alice, fresh):
        assert alice.get(f"/staff/products/{put_product(fresh('lamp'))}/orders/").status == 404

    def test_are_none_of_a_product_that_does_not_exist(self, sam):
        assert sam.get("/staff/products/none/orders/").status == 404
