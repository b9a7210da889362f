"""The rules of the plain shape, and the spellings of amounts and numbers of pieces."""

import csv
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO, StringIO
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dynapages.files.identifiers import identifier_of
from dynapages.files.records import RowRefused
from shop.catalogue.queries import find_product
from shop.catalogue.tiles import NoSuchProduct
from shop.data.amounts import Amounts, BadNumber
from shop.data.fields import is_return, pieces
from shop.for_comments import has_bought
from shop.orders.ids import new_order_id
from shop.orders.queries import NoSuchOrder, find_order
from tests.support.importing import import_plain, refusal

pytestmark = pytest.mark.usefixtures("tables")


PLACED = datetime(2024, 1, 2, 20, 3, 44, 768_123, tzinfo=UTC)


class Orders:
    """Three orders with two lines each, to be written in each shape."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.heads = [
            {
                "order_id": f"{key}-{number}",
                "customer": f"{key}-ann",
                "status": "PLACED",
                "placed_at": f"2024-01-0{number}",
                "currency": "EUR",
            }
            for number in (1, 2, 3)
        ]
        self.lines = [
            {
                "order_id": head["order_id"],
                "product_id": f"{key}-{name}",
                "quantity": "1",
                "unit_price": "2.50",
            }
            for head in self.heads
            for name in ("lamp", "bulb")
        ]

    def of(self, order_id: str) -> list[dict[str, str]]:
        return [line for line in self.lines if line["order_id"] == order_id]

    def rows(self) -> list[dict[str, str]]:
        return [{**head, **line} for head in self.heads for line in self.of(head["order_id"])]

    def in_one_file(self, folder: Path) -> list[str]:
        return [write_csv(folder / "orders.csv", self.rows())]

    def in_two_files(self, folder: Path) -> list[str]:
        orders = write_csv(folder / "orders.csv", self.heads)
        return [orders, write_csv(folder / "lines.csv", self.lines)]

    def nested(self, folder: Path) -> list[str]:
        path = folder / "orders.json"
        found = [{**head, "items": self.of(head["order_id"])} for head in self.heads]
        path.write_text(json.dumps(found))
        return [str(path), "--lines-in", "items"]


def write_csv(path: Path, rows: Sequence[dict[str, str]]) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


SHAPES: dict[str, Callable[[Orders, Path], list[str]]] = {
    "one file": Orders.in_one_file,
    "two files": Orders.in_two_files,
    "nested": Orders.nested,
}
FAULTS: dict[str, tuple[str, str, str, str]] = {
    "no customer": ("heads", "customer", "", "customer is missing"),
    "an unknown status": ("heads", "status", "lost", "status: “lost” is unknown: --status-map"),
    "no status": ("heads", "status", "", "status is missing"),
    "no date": ("heads", "placed_at", "", "placed_at is missing"),
    "a strange date": ("heads", "placed_at", "soon", "placed_at: “soon” is no date"),
    "no currency": ("heads", "currency", "", "currency is missing"),
    "a strange currency": ("heads", "currency", "euro", "currency: “EURO” is no code"),
    "a negative price": ("lines", "unit_price", "-1", "unit_price: “-1” is no amount"),
    "no price": ("lines", "unit_price", "", "unit_price is missing"),
    "no pieces": ("lines", "quantity", "0", "quantity: “0” is no number of pieces"),
    "no product": ("lines", "product_id", "", "product_id is missing"),
}


@pytest.fixture
def orders(fresh):
    return Orders(fresh("plain"))


@pytest.fixture
def run(tmp_path):
    def run(*arguments: str) -> tuple[dict[str, Any], list[str]]:
        return import_plain(*arguments, rejects=tmp_path / "rejected.csv")

    return run


def exists(order_id: str) -> bool:
    try:
        find_order(order_id)
    except NoSuchOrder:
        return False
    return True


@pytest.mark.parametrize("shape", SHAPES)
class TestEachShape:
    def test_imports_all_and_again_nothing(self, orders, run, shape, tmp_path):
        files = SHAPES[shape](orders, tmp_path)
        counts, reasons = run(*files)
        assert (reasons, counts["orders"]["created"]) == ([], 3)
        again, _ = run(*files)
        assert again["orders"] == {"created": 0, "updated": 0, "unchanged": 3, "without_items": 0}

    def test_rejects_the_rows_of_an_order_that_was_placed_at_another_time(
        self, orders, run, shape, tmp_path
    ):
        run(*SHAPES[shape](orders, tmp_path))
        orders.heads[1]["placed_at"] = "2024-02-02"
        counts, reasons = run(*SHAPES[shape](orders, tmp_path))
        assert counts["orders"]["unchanged"] == 2
        assert all("placed at another time" in reason for reason in reasons)
        assert reasons

    def test_reads_as_many_orders_as_are_wanted(self, orders, run, shape, tmp_path):
        counts, reasons = run(*SHAPES[shape](orders, tmp_path), "--limit", "2")
        assert (reasons, counts["orders"]["created"]) == ([], 2)

    def test_writes_nothing_in_a_trial(self, orders, shape, tmp_path):
        orders.heads[0]["status"] = "lost"
        orders.heads[2]["status"] = "shipped"
        out = StringIO()
        with pytest.raises(CommandError, match="rejected"):
            call_command(
                *("import_orders", *SHAPES[shape](orders, tmp_path), "--dry-run"),
                *("--rejects", str(tmp_path / "rejected.csv")),
                stdout=out,
            )
        assert "Orders: 1 PLACED, 1 SHIPPED. Nothing was written." in out.getvalue()
        assert "status: “lost” is unknown" in out.getvalue()
        assert not exists(f"{orders.key}-2")
        with pytest.raises(NoSuchProduct):
            find_product(f"{orders.key}-lamp")


@pytest.mark.parametrize(("shape", "fault"), [*zip(cycle(SHAPES), FAULTS, strict=False)])
def test_an_order_is_rejected_with_all_its_rows(orders, run, shape, tmp_path, fault):
    part, name, value, reason = FAULTS[fault]
    getattr(orders, part)[2 if part == "lines" else 1][name] = value
    counts, reasons = run(*SHAPES[shape](orders, tmp_path))
    assert any(found.startswith(reason) for found in reasons)
    assert counts["orders"]["created"] == 2
    assert [exists(f"{orders.key}-{n}") for n in (1, 2, 3)] == [True, False, True]


class TestOneFile:
    def test_may_leave_out_what_the_first_row_of_an_order_has(self, orders, run, tmp_path):
        rows = orders.rows()
        for row in rows[1::2]:
            row.update(dict.fromkeys(orders.heads[0].keys() - {"order_id"}, ""))
        counts, reasons = run(write_csv(tmp_path / "orders.csv", rows))
        assert (reasons, counts["files"]["orders.csv"]["read"]) == ([], 6)
        assert len(find_order(f"{orders.key}-2").items) == 2

    def test_rejects_a_row_that_names_no_order_with_the_orders_around_it(
        self, orders, run, tmp_path
    ):
        rows = orders.rows()
        rows[1]["order_id"] = ""
        counts, reasons = run(write_csv(tmp_path / "orders.csv", rows))
        assert counts["files"]["orders.csv"]["read"] == 2
        assert "order_id is missing" in reasons

    def test_rejects_an_order_whose_rows_contradict_each_other(self, orders, run, tmp_path):
        rows = orders.rows()
        rows[1]["customer"] = "bob"
        _, reasons = run(write_csv(tmp_path / "orders.csv", rows))
        assert reasons == [
            f"line 3 of orders.csv, of its order “{orders.key}-1”, was rejected",
            "customer is another one in another row of the order",
        ]

    def test_may_have_orders_without_lines(self, orders, run, tmp_path):
        empty = {"product_id": "", "quantity": "", "unit_price": ""}
        rows = [{**head, **empty} for head in orders.heads]
        counts, _ = run(write_csv(tmp_path / "orders.csv", rows))
        assert counts["orders"]["without_items"] == 3

    def test_may_come_by_standard_input(self, orders, run, tmp_path, monkeypatch):
        (path,) = orders.in_one_file(tmp_path)
        content = BytesIO(Path(path).read_bytes())
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=content))
        counts, _ = run("-")
        assert counts["files"]["standard-input"]["read"] == 6


@pytest.mark.parametrize(
    ("shape", "file"), [("one file", "orders.csv"), ("two files", "lines.csv")]
)
def test_a_malformed_row_takes_the_orders_beside_it_along(orders, run, shape, file, tmp_path):
    files = SHAPES[shape](orders, tmp_path)
    path = tmp_path / file
    rows = path.read_text().splitlines()
    rows[3] = rows[3].rpartition(",")[0]  # the first row of the second order
    path.write_text("\n".join(rows))
    counts, reasons = run(*files)
    assert "fields, the header has" in " ".join(reasons)
    assert f"line 4 of {file}, which may be one of its lines, was rejected" in reasons
    assert [exists(f"{orders.key}-{n}") for n in (1, 2, 3)] == [False, False, True]
    assert counts["orders"]["created"] == 1


class TestTwoFiles:
    def test_reject_lines_without_an_order(self, orders, run, tmp_path):
        orders.lines[0]["order_id"] = "lost"
        _, reasons = run(*orders.in_two_files(tmp_path))
        assert reasons == ["there is no order “lost”"]

    @pytest.mark.parametrize("bad", ["x" * 1_001, "a\0b"])
    def test_reject_an_order_whose_id_cannot_be_one(self, orders, run, tmp_path, bad):
        orders.heads[1]["order_id"] = bad
        counts, reasons = run(*orders.in_two_files(tmp_path))
        assert reasons[0].startswith("order_id h")
        assert counts["orders"]["created"] == 2

    def test_reject_the_second_row_of_an_order(self, orders, run, tmp_path):
        orders.heads.append(orders.heads[0])
        counts, reasons = run(*orders.in_two_files(tmp_path))
        assert reasons == [f"“{orders.key}-1” is there already: the first such row counts"]
        assert counts["orders"]["created"] == 3


def test_a_nested_line_of_long_names_takes_its_order_along(orders, run, tmp_path):
    path, *options = orders.nested(tmp_path)
    rows = json.loads(Path(path).read_text())
    rows[0]["items"][0]["k" * 300_000] = dict.fromkeys("abcd", 1)
    Path(path).write_text(json.dumps(rows))
    counts, reasons = run(path, *options)
    assert reasons == ["items: one of them has names of 1,000,000 characters or more"]
    assert counts["orders"]["created"] == 2


def test_an_id_of_this_shop_is_kept_with_the_foreign_one_by_its_customer(
    orders, run, tmp_path, fresh
):
    own, foreign = new_order_id(PLACED), fresh("erp")
    (row, *_) = orders.rows()
    row |= {"order_id": own, "placed_at": PLACED.isoformat(), "foreign_id": foreign}
    for name, reasons in (("ann", 0), ("bob", 1)):
        row["customer"] = f"{orders.key}-{name}"
        _, found = run(write_csv(tmp_path / "orders.csv", [row]))
        assert len(found) == reasons
    order = find_order(own)
    assert (order.foreign_id, order.username) == (foreign, f"{orders.key}-ann")


class TestReturns:
    """Lines of a negative number of pieces."""

    def minus(self, orders: Orders, *numbers: int) -> None:
        for number in numbers:
            orders.lines[number] |= {"quantity": "-1", "unit_price": ""}

    @pytest.mark.parametrize("shape", SHAPES)
    def test_are_skipped_and_counted(self, orders, run, shape, tmp_path):
        self.minus(orders, 1)
        counts, reasons = run(*SHAPES[shape](orders, tmp_path))
        assert (reasons, counts["orders"]["created"]) == ([], 3)
        assert (counts["returned_lines"], counts["orders_of_returns"]) == (1, 0)
        assert len(find_order(f"{orders.key}-1").items) == 1

    @pytest.mark.parametrize("shape", SHAPES)
    def test_of_a_whole_order_skip_it(self, orders, run, shape, tmp_path):
        self.minus(orders, 0, 1)
        orders.heads[0]["customer"] = ""
        files = SHAPES[shape](orders, tmp_path)
        counts, reasons = run(*files)
        assert (reasons, counts["orders"]["created"]) == ([], 2)
        assert (counts["returned_lines"], counts["orders_of_returns"]) == (2, 1)
        assert not exists(f"{orders.key}-1")
        assert run(*files)[0]["orders"]["unchanged"] == 2

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_are_in_the_result(self, orders, tmp_path, dry_run):
        self.minus(orders, 0, 1, 2)
        out = StringIO()
        (path,) = orders.in_one_file(tmp_path)
        call_command("import_orders", path, stdout=out, dry_run=dry_run)
        last = "Returned lines, which were skipped: 3; orders that have no others: 1."
        assert last in out.getvalue().splitlines()
        assert "6 rows, 3 read, 0 rejected, 3 skipped." in out.getvalue()

    @pytest.mark.parametrize(
        ("text", "is_one"),
        [("-1", True), ("- 2", True), ("\N{MINUS SIGN}12.0", True), ("-0", False), ("-1.5", False)],
    )
    def test_are_whole_pieces(self, text, is_one):
        assert is_return(text) is is_one


class TestAnOrderOfAnySize:
    @pytest.mark.parametrize("number", [41, 64, 130])
    def test_goes_in(self, orders, run, tmp_path, number):
        of_first = orders.lines[0]
        orders.heads, orders.lines = (
            orders.heads[:1],
            [of_first | {"product_id": f"{orders.key}-{n}"} for n in range(number)],
        )
        files = orders.in_two_files(tmp_path)
        counts, reasons = run(*files)
        assert (reasons, counts["orders"]["created"]) == ([], 1)
        found = find_order(f"{orders.key}-1")
        assert (found.line_count, str(found.total)) == (number, str(Decimal("2.50") * number))
        assert all(has_bought(f"{orders.key}-ann", f"{orders.key}-{n}") for n in range(number))
        assert run(*files)[0]["orders"]["unchanged"] == 1


def test_an_id_that_is_not_allowed_is_kept_and_found_as_it_is(orders, run, tmp_path):
    number = f"#{orders.key} / ü"
    orders.heads[0]["order_id"] = orders.lines[0]["order_id"] = orders.lines[1]["order_id"] = number
    files = orders.in_two_files(tmp_path)
    counts, reasons = run(*files)
    assert (reasons, counts["mapped"]) == ([], 0)
    assert find_order(number).foreign_id == number
    assert run(*files)[0]["orders"]["unchanged"] == 3


def test_an_order_that_an_earlier_version_imported_under_a_mapped_id_is_the_same(
    orders, run, tmp_path
):
    number = f"#{orders.key}"
    orders.heads, orders.lines = orders.heads[:1], orders.lines[:2]
    for one in (orders.heads[0], *orders.lines):
        one["order_id"] = identifier_of(number)
    run(*orders.in_two_files(tmp_path))
    for one in (orders.heads[0], *orders.lines):
        one["order_id"] = number
    assert run(*orders.in_two_files(tmp_path))[0]["orders"]["unchanged"] == 1
    assert find_order(number).foreign_id == identifier_of(number)


BAD_USAGE = {
    ("orders.csv", "--columns", "customer=buyer"): "no column “buyer” (for customer)",
    ("orders.csv", "--columns", "price=x"): "There is no field “price”; the fields are: order_id,",
    ("orders.csv", "--columns", "customer="): "The field “customer” needs a column, or a value",
    ("orders.csv", "--line-columns", "quantity=n"): "--line-columns is for LINES or --lines-in",
    ("orders.csv", "--status-map", "x=LOST"): "“LOST” is none of the statuses PLACED,",
    ("orders.csv", "orders.csv", "--lines-in", "x"): "leave out one of the two",
    ("none.csv", "no.csv"): "none.csv and no.csv do not exist.",
    (".", "--currency", "EUR"): "A folder of Olist's files does not take --currency.",
    (".", "orders.csv"): "leave LINES out",
}


@pytest.mark.parametrize("arguments", BAD_USAGE)
def test_a_wrong_command_says_what_is_wrong(arguments, orders, tmp_path, monkeypatch):
    orders.in_one_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert BAD_USAGE[arguments] in refusal("import_orders", *arguments)


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("12.50", 1_250),
        ("1,234.56", 123_456),
        ("1\N{NO-BREAK SPACE}234,56 kr", 123_456),
        ("1\N{RIGHT SINGLE QUOTATION MARK}234.56", 123_456),
        ("1.234.567", 123_456_700),
        ("€ 12.50", 1_250),
        ("$1,234.56", 123_456),
        ("R$ 12,5", 1_250),
        ("EUR 7", 700),
        ("0", 0),
        ("19.989999999999998", 1_999),
        ("0.125", 13),
    ],
)
def test_an_amount_is_read_in_cents(text, cents):
    assert Amounts().cents(text, "") == cents


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-€5",
        "(5)",
        "1e3",
        "1.2.3",
        "1,23,456.00",
        "5 pieces",
        "٣",
        "9" * 16,
    ],
)
def test_other_text_is_no_amount(text):
    with pytest.raises(BadNumber, match="is no amount such as"):
        Amounts().cents(text, "")


@pytest.mark.parametrize("text", ["1.234", "1,234"])
def test_three_digits_behind_one_mark_are_not_guessed(text):
    with pytest.raises(BadNumber, match="may mean thousands or decimals"):
        Amounts().cents(text, "")


@pytest.mark.parametrize(("text", "number"), [("1", 1), ("12", 12), ("2.0", 2), ("2,00", 2)])
def test_pieces_are_whole(text, number):
    assert pieces({"quantity": text}, "quantity") == number


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "1e3", "two", "1000000"])
def test_other_text_is_no_number_of_pieces(text):
    with pytest.raises(RowRefused, match=r"^quantity: .* is no number of pieces"):
        pieces({"quantity": text}, "quantity")
