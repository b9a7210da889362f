"""HTML in the names of products that an import of orders brings."""

from io import StringIO

import pytest
from django.core.management import call_command

from shop.orders.queries import find_order
from tests.shop.data.test_plain_rules import SHAPES, Orders
from tests.support.importing import import_plain

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def orders(fresh):
    orders = Orders(fresh("html"))
    for line in orders.lines:
        line["product_name"] = "Lamp"
    orders.lines[0]["product_name"] = "<b>Tom &amp; Jerry</b>"
    return orders


@pytest.fixture
def run(tmp_path):
    return lambda *words: import_plain(*words, rejects=tmp_path / "rejected.csv")


def name_in(orders: Orders) -> str:
    """The name of the product that the first line sells."""
    items = find_order(f"{orders.key}-1").items
    return next(item.name for item in items if item.product_id.endswith("-lamp"))


@pytest.mark.parametrize("shape", SHAPES)
def test_html_becomes_text_and_is_counted(orders, run, shape, tmp_path):
    counts, reasons = run(*SHAPES[shape](orders, tmp_path))
    assert (reasons, name_in(orders), counts["html_rows"]) == ([], "Tom & Jerry", 1)


def test_html_is_told_once_in_the_result(orders, tmp_path):
    out = StringIO()
    call_command("import_orders", *orders.in_one_file(tmp_path), stdout=out)
    told = "Rows whose HTML became plain text: 1; --keep-html keeps it."
    assert out.getvalue().count(told) == 1


def test_html_is_kept_where_that_is_asked_for(orders, run, tmp_path):
    counts, _ = run(*orders.in_one_file(tmp_path), "--keep-html")
    assert (name_in(orders), counts["html_rows"]) == ("<b>Tom &amp; Jerry</b>", 0)


def test_html_in_an_export_of_this_shop_stays(orders, run, tmp_path):
    for head in orders.heads:
        head["history"] = "PLACED@2024-01-01T00:00:00.000000Z"
    counts, reasons = run(*orders.in_one_file(tmp_path))
    assert (reasons, name_in(orders), counts["html_rows"]) == ([], "<b>Tom &amp; Jerry</b>", 0)
