"""The exports of usual shops go through by one command each."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from shop.accounts.queries import find_user
from shop.catalogue.queries import find_product
from shop.orders.entries import WholeOrder
from shop.orders.queries import find_order
from tests.support.importing import import_plain

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def run(tmp_path):
    def run(*arguments: object) -> tuple[dict[str, Any], list[str]]:
        return import_plain(*arguments, rejects=tmp_path / "rejected.csv")

    return run


@pytest.fixture
def write(tmp_path):
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def order(order_id: str) -> WholeOrder:
    return find_order(order_id)


def lines_of(order_id: str) -> list[tuple[str, str, int, str]]:
    lines = order(order_id).items
    return [(line.product_id, line.name, line.quantity, str(line.unit_price)) for line in lines]


def life_of(order_id: str) -> list[str]:
    return [f"{step.status.value} {step.moment:%d %H:%M}" for step in order(order_id).history]


class TestWooCommerce:
    def test_in_json(self, run, write, fresh):
        key = fresh("woo")
        orders = [
            {
                "id": f"{key}-727",
                "status": "completed",
                "currency": "USD",
                "date_created": "2024-03-22T16:28:02",
                "date_completed": "2024-03-24T09:00:00",
                "customer_id": 26,
                "billing": {"email": "jo@example.com", "postcode": "94103"},
                "line_items": [
                    {"product_id": 93, "name": "Woo Tee", "quantity": 3, "total": "16.00"},
                    {"product_id": 22, "name": "Poster", "quantity": 1, "total": "12.50"},
                ],
            },
            {
                "id": f"{key}-728",
                "status": "on-hold",
                "currency": "USD",
                "date_created": "2024-03-23T10:00:00",
                "date_completed": None,
                "customer_id": 26,
                "billing": {"email": "jo@example.com", "postcode": ""},
                "line_items": [],
            },
        ]
        counts, reasons = run(
            write("orders.json", json.dumps(orders)),
            "--columns",
            "order_id=id,placed_at=date_created,delivered_at=date_completed,customer=billing.email,"
            "zip=billing.postcode",
            "--lines-in",
            "line_items",
            "--line-columns",
            "product_name=name,line_total=total",
        )
        assert reasons == []
        assert counts["orders"]["created"] == 2
        assert counts["orders"]["without_items"] == 1
        tee = [("93", "Woo Tee", 2, "5.33"), ("93", "Woo Tee", 1, "5.34")]
        assert lines_of(f"{key}-727") == [*tee, ("22", "Poster", 1, "12.50")]
        assert life_of(f"{key}-727") == ["PLACED 22 16:28", "DELIVERED 24 09:00"]
        assert order(f"{key}-727").currency == "USD"
        assert find_user(order(f"{key}-727").username).external_id == "jo@example.com"
        assert life_of(f"{key}-728") == ["PLACED 23 10:00"]

    def test_in_csv_with_a_row_for_each_line(self, run, write, fresh):
        key = fresh("woo")
        path = write(
            "orders.csv",
            "order_number;order_status;order_date;billing_email;item_sku;item_name;qty;item_price\n"
            f"{key}-1;wc-processing;2024-03-22 16:28;jo@example.com;TEE/L;Tee, large;2;€ 1.018,00\n"
            f"{key}-1;;;;POSTER;Poster;1;12,50\n"
            f"{key}-2;wc-refunded;2024-03-23 10:00;al@example.com;POSTER;Poster;1;12,50\n",
        )
        counts, reasons = run(
            path,
            "--columns",
            "order_id=order_number,status=order_status,placed_at=order_date,customer=billing_email,"
            "product_id=item_sku,product_name=item_name,quantity=qty,unit_price=item_price",
            "--currency",
            "EUR",
        )
        assert reasons == []
        assert counts["files"]["orders.csv"] == {
            "rows": 3,
            "read": 3,
            "rejected": 0,
            "skipped": 0,
            "spelling": "fields separated by “;”",
        }
        found = lines_of(f"{key}-1")
        assert [line[1:] for line in found] == [
            ("Tee, large", 2, "1018.00"),
            ("Poster", 1, "12.50"),
        ]
        assert found[0][0].startswith("TEE-L-")
        assert life_of(f"{key}-1") == ["PLACED 22 16:28", "PROCESSING 22 16:28"]
        assert order(f"{key}-2").status.value == "RETURNED"
        assert counts["mapped"] == 3  # two addresses and a product


class TestNorthwind:
    ORDERS = "order_id=OrderID,customer=CustomerID,placed_at=OrderDate,shipped_at=ShippedDate"
    LINES = (
        "order_id=OrderID,product_id=ProductID,unit_price=UnitPrice,quantity=Quantity,"
        "discount=Discount"
    )

    @pytest.fixture
    def files(self, write, fresh):
        key = fresh("nw")
        orders = write(
            "orders.csv",
            "OrderID,CustomerID,EmployeeID,OrderDate,ShippedDate\n"
            f"{key}-1,CAFEX,5,1997-07-04 00:00:00.000,1997-07-16 00:00:00.000\n"
            f"{key}-2,CAFEX,6,1997-07-05 00:00:00.000,\n",
        )
        lines = write(
            "lines.csv",
            "OrderID,ProductID,UnitPrice,Quantity,Discount\n"
            f"{key}-1,11,14.0000,12,0\n{key}-1,42,9.8000,10,0.15\n{key}-2,11,14.0000,1,0\n",
        )
        return key, orders, lines

    def test_with_one_status_for_all(self, run, files):
        key, orders, lines = files
        counts, reasons = run(
            *(orders, lines, "--columns", self.ORDERS, "--line-columns", self.LINES),
            *("--set", "status=DELIVERED", "--currency", "USD"),
        )
        assert reasons == []
        assert counts["files"] == {
            "orders.csv": {"rows": 2, "read": 2, "rejected": 0, "skipped": 0, "spelling": ""},
            "lines.csv": {"rows": 3, "read": 3, "rejected": 0, "skipped": 0, "spelling": ""},
        }
        assert lines_of(f"{key}-1") == [("11", "11", 12, "14.00"), ("42", "42", 10, "8.33")]
        assert life_of(f"{key}-1") == ["PLACED 04 00:00", "SHIPPED 16 00:00", "DELIVERED 16 00:00"]
        assert life_of(f"{key}-2") == ["PLACED 05 00:00", "DELIVERED 05 00:00"]
        assert order(f"{key}-1").username == "cafex"

    def test_with_the_status_of_the_furthest_date(self, run, files):
        key, orders, lines = files
        run(
            *(orders, lines, "--columns", f"{self.ORDERS},status="),
            *("--line-columns", self.LINES, "--currency", "USD"),
        )
        assert life_of(f"{key}-1") == ["PLACED 04 00:00", "SHIPPED 16 00:00"]
        assert life_of(f"{key}-2") == ["PLACED 05 00:00"]


class TestClassicModels:
    def test_with_statuses_of_its_own(self, run, write, fresh):
        key = fresh("cm")
        orders = write(
            "orders.csv",
            "orderNumber,orderDate,requiredDate,shippedDate,status,comments,customerNumber\n"
            f"{key}-1,2003-01-06,2003-01-13,2003-01-10,Shipped,,363\n"
            f"{key}-2,2003-01-09,2003-01-18,,In Process,Check it,363\n"
            f"{key}-3,2003-01-10,2003-01-18,2003-01-14,Resolved,,128\n"
            f"{key}-4,2003-01-29,2003-02-07,,Cancelled,,128\n"
            f"{key}-5,2003-01-31,2003-02-07,2003-02-01,Disputed,,181\n"
            f"{key}-6,2003-01-31,2003-02-07,,On Hold,,181\n",
        )
        lines = write(
            "orderdetails.csv",
            "orderNumber,productCode,quantityOrdered,priceEach,orderLineNumber\n"
            + "".join(f"{key}-{n},S18_1749,30,136.00,1\n" for n in range(1, 7)),
        )
        _, reasons = run(
            *(orders, lines, "--columns"),
            "order_id=orderNumber,customer=customerNumber,placed_at=orderDate,"
            "shipped_at=shippedDate",
            "--line-columns",
            "order_id=orderNumber,product_id=productCode,quantity=quantityOrdered,"
            "unit_price=priceEach",
            *("--status-map", "Resolved=DELIVERED,disputed=shipped", "--currency", "USD"),
        )
        assert reasons == []
        found = [order(f"{key}-{n}").status.value for n in range(1, 7)]
        assert found == ["SHIPPED", "PROCESSING", "DELIVERED", "CANCELED", "SHIPPED", "PLACED"]
        assert order(f"{key}-3").history[-1].original == "Resolved"
        assert str(order(f"{key}-1").total) == "4080.00"


class TestOneFile:
    def test_may_spell_dates_and_categories_in_its_own_way(self, run, write, fresh):
        key = fresh("one")
        path = write(
            "orders.csv",
            "order_id,customer,status,placed_at,currency,product_id,product_name,category,quantity,"
            "unit_price\n"
            f'{key}-1,ann,paid,"5 mars 2024",eur,{key}-lamp,Lampe,Éclairage & co,1,"12,50"\n',
        )
        run(path, "--date-locale", "fr")
        product = find_product(f"{key}-lamp")
        assert (product.name, str(product.unit_price), product.currency) == (
            "Lampe",
            "12.50",
            "EUR",
        )
        assert [(c.slug, c.name) for c in product.categories] == [
            ("eclairage-co", "Éclairage & co")
        ]
        assert order(f"{key}-1").placed == datetime(2024, 3, 5, tzinfo=UTC)


class TestShopify:
    COLUMNS = (
        "Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Currency,Total,"
        "Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Billing Name,"
        "Shipping Zip,Cancelled at,Id\n"
    )

    def row(self, name: str, quantity: int, product: str, sku: str = "", **own: str) -> str:
        at = {"created": "", "paid": "", "fulfilled": "", "cancelled": ""} | own
        own = {"email": "", "financial": "", "currency": "", "billing": "", "zip": ""} | at
        values = [
            *(name, own["email"], own["financial"], own["paid"], "", own["fulfilled"]),
            *(own["currency"], "", own["created"], str(quantity), product, "19.90", sku),
            *(own["billing"], own["zip"], own["cancelled"], ""),
        ]
        return ",".join(values) + "\n"

    @pytest.fixture
    def head(self):
        return {
            "email": "jo@shop.example",
            "financial": "paid",
            "currency": "EUR",
            "created": "2024-03-02 10:15:00 +0100",
        }

    @pytest.fixture
    def orders(self, run, write):
        def orders(*rows: str) -> tuple[dict[str, Any], list[str]]:
            path = write("orders_export.csv", self.COLUMNS + "".join(rows))
            return run(path, "--preset", "shopify")

        return orders

    def test_goes_in_by_its_preset_found_by_its_number(self, orders, head, fresh):
        number = f"#{fresh('1035')}"
        first = self.row(number, 1, "Lamp - blue", "LAMP-1", zip="'01067", **head)
        counts, reasons = orders(first, self.row(number, 2, "Gift wrap"))
        assert (reasons, counts["orders"]["created"]) == ([], 1)
        found = order(number)
        assert (found.foreign_id, found.zip_prefix) == (number, "01067")
        assert [(line[1], line[2]) for line in lines_of(number)] == [
            ("Lamp - blue", 1),
            ("Gift wrap", 2),
        ]
        assert find_product("LAMP-1").name == "Lamp - blue"
        assert find_user(found.username).external_id == "jo@shop.example"

    @pytest.mark.parametrize(
        ("own", "life"),
        [
            ({"financial": "pending"}, ["PLACED 02 09:15"]),
            ({"paid": "2024-03-02 11:00:00 +0100"}, ["PLACED 02 09:15", "APPROVED 02 10:00"]),
            (
                {"fulfilled": "2024-03-03 08:00:00 +0100"},
                ["PLACED 02 09:15", "SHIPPED 03 07:00"],
            ),
            (
                {"financial": "refunded", "fulfilled": "2024-03-03 08:00:00 +0100"},
                ["PLACED 02 09:15", "SHIPPED 03 07:00", "RETURNED 03 07:00"],
            ),
            (
                {"financial": "refunded", "cancelled": "2024-03-02 12:00:00 +0100"},
                ["PLACED 02 09:15", "CANCELED 02 11:00"],
            ),
            (
                {"financial": "voided", "cancelled": "2024-03-02 12:00:00 +0100"},
                ["PLACED 02 09:15", "CANCELED 02 11:00"],
            ),
        ],
    )
    def test_tells_the_status_by_its_dates(self, orders, head, fresh, own, life):
        number = f"#{fresh('1035')}"
        orders(self.row(number, 1, "Lamp", **(head | own)))
        assert life_of(number) == life

    def test_of_a_guest_is_of_the_name_on_the_bill(self, orders, head, fresh):
        number = f"#{fresh('1035')}"
        orders(self.row(number, 1, "Lamp", **(head | {"email": "", "billing": "Jo Ann Doe"})))
        assert find_user(order(number).username).external_id == "Jo Ann Doe"

    def test_of_two_shops_is_told_so_and_goes_in_with_a_prefix(self, orders, head, fresh, run):
        number = f"#{fresh('1035')}"
        orders(self.row(number, 1, "Lamp", **head))
        other = head | {"created": "2024-05-02 10:15:00 +0100", "email": "al@shop.example"}
        counts, reasons = orders(self.row(number, 1, "Lamp", **other))
        assert reasons[0].endswith("--id-prefix tells the ids of two shops apart")
        assert counts["orders"]["created"] == 0
