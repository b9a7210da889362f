"""Rows of an order that sum up its lines, and what is no row of an order, in files of orders."""

from pathlib import Path
from typing import Any

import pytest

from shop.orders.queries import NoSuchOrder, find_order
from tests.support.importing import import_plain

pytestmark = pytest.mark.usefixtures("tables")

HEADER = "shop,order_id,customer,placed_at,product_id,product_name,quantity,unit_price,note\n"
OPTIONS = ("--columns", "status=", "--currency", "EUR")


@pytest.fixture
def load(tmp_path, fresh):
    """Imports rows in which a `#` stands for what ids begin with; orders are looked up with it."""
    key = fresh("sum")

    def load(text: str, *options: str) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
        path = Path(tmp_path / "orders.csv")
        path.write_text((HEADER + text).replace("#", key))
        counts, reasons = import_plain(path, *OPTIONS, *options, rejects=tmp_path / "rejected.csv")
        found = {}
        for number in (1, 2, 3):
            found[number] = lines_of(f"{key}-{number}")
        return counts, reasons, found

    return load


def lines_of(order_id: str) -> list[tuple[str, int, str]] | None:
    """The names, pieces and prices of an order's lines; None where there is no order."""
    try:
        order = find_order(order_id)
    except NoSuchOrder:
        return None
    return [(line.name, line.quantity, str(line.unit_price)) for line in order.items]


SUMMARY = "s,#-1,ann,2024-01-02,,,3,,\n"
LINES = "s,#-1,,,a,Lamp,2,2.50,\ns,#-1,,,b,Bulb,1,1.00,\n"
WHOLE = [("Lamp", 2, "2.50"), ("Bulb", 1, "1.00")]


class TestASummary:
    def test_is_told_from_the_lines_of_its_order(self, load):
        counts, reasons, orders = load(SUMMARY + LINES)
        assert (reasons, orders[1]) == ([], WHOLE)
        assert counts["files"]["orders.csv"]["read"] == 3

    def test_may_be_behind_its_lines(self, load):
        _, reasons, orders = load(LINES + SUMMARY)
        assert (reasons, orders[1]) == ([], WHOLE)

    def test_of_a_single_line_is_above_it(self, load):
        line = "s,#-1,ann,2024-01-02,a,Lamp,3,2.50,\n"
        _, reasons, orders = load(SUMMARY + line)
        assert (reasons, orders[1]) == ([], [("Lamp", 3, "2.50")])

    def test_behind_a_single_line_may_be_one_that_has_lost_its_product(self, load):
        line = "s,#-1,ann,2024-01-02,a,Lamp,3,2.50,\n"
        _, reasons, orders = load(line + SUMMARY)
        assert "product_id is missing" in reasons
        assert orders[1] is None

    def test_must_have_the_pieces_of_all_lines(self, load):
        _, reasons, orders = load(SUMMARY.replace(",3,", ",4,") + LINES)
        assert reasons[0] == (
            "quantity: this row has no product and 4 pieces, but the lines of its order have 3 "
            "together"
        )
        assert orders[1] is None

    def test_may_count_lines_that_are_left_out(self, load):
        _, reasons, orders = load(SUMMARY + LINES, "--skip", "product_id=b")
        assert (reasons, orders[1]) == ([], WHOLE[:1])

    def test_is_a_line_without_a_product_where_its_order_has_no_others(self, load):
        _, reasons, orders = load(SUMMARY)
        assert (reasons, orders[1]) == (["product_id is missing"], None)

    def test_has_no_price(self, load):
        _, reasons, orders = load(SUMMARY.replace(",3,,", ",3,2.00,") + LINES)
        assert "product_id is missing" in reasons
        assert orders[1] is None


class TestFooters:
    ORDERS = "s,#-1,ann,2024-01-02,a,Lamp,2,2.50,\ns,#-2,bob,2024-01-03,b,Bulb,1,1.00,\n"

    @pytest.mark.parametrize(
        "footer",
        [
            "\n2,record(s) downloaded,from\n\n'Seller ID: me'\n",  # certain
            "2,record(s) downloaded,from\n",
            "Total,,,,,,3,6.00,\n",
            "Total,Total,,,,,3,6.00,\n",
        ],
    )
    def test_cost_no_order(self, load, footer):
        _, _, orders = load(self.ORDERS + footer)
        assert orders[1] == [("Lamp", 2, "2.50")]
        assert orders[2] == [("Bulb", 1, "1.00")]

    def test_that_are_certain_are_said_and_not_rejected(self, load):
        counts, reasons, _ = load(f"{self.ORDERS}\n2,record(s) downloaded\n")
        assert reasons == []
        assert counts["files"]["orders.csv"]["spelling"] == "1 line behind the rows left out"

    @pytest.mark.parametrize("footer", ["2,record(s),from\n", "Total,,,,,,3,6.00,\n", "me\n"])
    def test_that_are_not_certain_are_rejected_with_the_option(self, load, footer):
        _, reasons, _ = load(self.ORDERS + footer)
        assert "use --footer-lines 1 if this line is no row" in reasons[-1]
        _, reasons, orders = load(self.ORDERS + footer, "--footer-lines", "1")
        assert reasons == []
        assert None not in (orders[1], orders[2])

    def test_are_no_rows_that_are_rejected_because_of_others(self, load):
        _, reasons, _ = load(f"{self.ORDERS},#-2,,,c,,1,1.00,\nme\n")
        assert ["--footer-lines" in reason for reason in reasons] == [False, False, True]

    @pytest.mark.parametrize("end", ["s,#-2,,,c", "s,#-2", "s,#", "s,#-2,,,c,Desk,1,2."])
    def test_are_no_rows_that_were_cut_off(self, load, end):
        _, reasons, orders = load(self.ORDERS + end)
        assert orders[2] is None
        assert orders[1] == [("Lamp", 2, "2.50")]
        assert "use --footer-lines 1" in reasons[-1]

    def test_are_no_lines_of_other_orders(self, load):
        _, _, orders = load(f"{self.ORDERS}s,#-3,eve\ns,#-3,eve,2024-01-04,c,Desk,1,9.00,\n")
        assert [orders[1], orders[2]] == [[("Lamp", 2, "2.50")], [("Bulb", 1, "1.00")]]
        assert orders[3] is None
