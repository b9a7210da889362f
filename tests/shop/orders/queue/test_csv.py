"""Staff lists as CSV files."""

import csv
from datetime import timedelta
from typing import Any

import pytest

from dynamo.web import formats
from shop.order_status import Status
from shop.orders.items import NewLine, NewOrder
from tests.support.orders.making import START, made_order, put
from tests.support.orders.queueing import ids_of
from tests.support.orders.visiting import Visitor


def rows(visitor: Visitor, url: str) -> list[dict[str, str]]:
    response: Any = visitor.browser.get(url)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(response.getvalue().decode().splitlines()))


class TestTheQueueAsCsv:
    def test_has_what_the_filtered_list_has_on_all_its_pages(
        self, sam: Visitor, opened: list[NewOrder], settings: Any
    ) -> None:
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

    def test_refuses_what_is_no_filter(self, sam: Visitor) -> None:
        assert sam.get("/staff/orders.csv?status=SHIPPED").status == 400


class TestACustomersOrdersAsCsv:
    def test_are_filtered_as_on_the_page(
        self, sam: Visitor, alice: Visitor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
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

    def test_are_offered_to_staff_alone(self, alice: Visitor) -> None:
        put(made_order(alice.username))
        assert not alice.get("/orders/").page.all(class_="csv")
        assert alice.get(f"/staff/customers/{alice.username}/orders.csv").status == 404
