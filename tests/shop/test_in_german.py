"""The shop in German: how it writes numbers, prices and dates, and what it leaves as it is.

What is expected here does not depend on the words of the translation.
"""

from datetime import UTC, datetime

import pytest
from django.utils.translation import override

from dynapages.django.rate_limits import in_words
from shop.orders.items import NewLine
from shop.pickup.bulk_writes import put_points
from tests.support.config.api import program_of
from tests.support.orders.making import made_order, put, put_product
from tests.support.pickup.stored import made_point
from tests.support.pickup.visiting import near, page_of

pytestmark = pytest.mark.newest

ALONE = (-47.5, 40.0)
"""A place in the Southern Ocean, far from the pickup points of other tests."""
MAY = datetime(2023, 5, 31, 9, 30, tzinfo=UTC)


@pytest.fixture
def german():
    with override("de"):
        yield


@pytest.fixture
def anna(alice):
    """Alice, whose browser asks for German."""
    alice.browser.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    return alice


class TestPages:
    def test_write_prices_with_a_comma(self, anna, fresh, tables):
        lamp = put_product(fresh("lamp"), cents=123_456)
        page = anna.post("/basket/add/", {"product_id": lamp, "quantity": "2"}).page
        assert [cell.text for cell in page.one("tbody").all("td", class_="number")][1:] == [
            "1.234,56 €",
            "2.469,12 €",
        ]
        assert "2.469,12 €" in page.one("tfoot").text
        assert page.one("input", name="quantity")["value"] == "2"

    def test_write_dates_and_amounts_of_orders(self, anna):
        put(made_order(anna.username, placed_at=MAY, lines=[NewLine("lamp", "Lamp", 1, 123_450)]))
        (row,) = anna.get("/orders/").page.all("li", class_="order")
        assert row.all("time")[0].text == "31. Mai 2023"
        assert row.all("time")[0]["datetime"].startswith("2023-05-31T")
        assert "1.234,50 €" in row.text

    # The product is read in a thread of the pool, where no language is active.
    @pytest.mark.parametrize("url", ["/staff/products/{}/orders/", "/products/{}/comments/new/"])
    def test_say_that_there_is_no_product(self, sam, tables, url):
        shown = []
        for language in ("en", "de"):
            sam.browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
            shown.append(sam.get(url.format("nope")))
        english, german = (each.page.one("main").text for each in shown)
        assert [each.status for each in shown] == [404, 404]
        assert "There is no such product." in english
        assert "There is no such product." not in german

    def test_keep_the_statuses_of_addresses_and_forms(self, anna):
        put(order := made_order(anna.username))
        assert anna.get("/orders/?status=PLACED").order_ids == [order.id]
        url, fields = anna.get(f"/orders/{order.id}/cancel/").action(order.id, "CANCELED")
        anna.post(url, fields)
        assert anna.get("/orders/").counts == {"CANCELED": 1}

    def test_write_distances_with_a_comma_and_attributes_without(self, anna, fresh):
        put(order := made_order(anna.username))
        put_points([made_point(fresh, (ALONE[0] + 0.05, ALONE[1]))])
        row = anna.get(page_of(order) + near(ALONE)).page.all("li", data_point_id=True)[0]
        assert row.one(class_="pickup-distance").text == "5,6 km"
        assert row["data-metres"] == "5560"

    def test_are_for_programs_what_they_are_in_english(self, anna):
        put(made_order(anna.username, lines=[NewLine("lamp", "Lamp", 1, 123_450)]))
        (entry,) = program_of(anna.username).get("/orders").json()["items"]
        assert (entry["status"], entry["total"]) == ("PLACED", "1234.50")


@pytest.mark.usefixtures("german")
class TestSentences:
    @pytest.mark.parametrize("seconds", [1, 2, 60, 61, 3_600])
    def test_tell_how_long_to_wait(self, seconds):
        number = seconds if seconds <= 60 else (seconds + 59) // 60
        assert in_words(seconds).startswith(f"{number} ")
