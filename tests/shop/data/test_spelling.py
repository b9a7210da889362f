"""Options about how files spell values, for orders in each shape."""

import json
from io import BytesIO, StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from shop.accounts.queries import find_user
from shop.data.amounts import AmountRules, Amounts, BadNumber
from shop.orders.queries import find_order
from tests.shop.data.test_plain_rules import SHAPES, Orders, exists
from tests.support.importing import import_plain, refusal

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def orders(fresh):
    return Orders(fresh("spelled"))


@pytest.fixture
def run(tmp_path):
    return lambda *words: import_plain(*words, rejects=tmp_path / "rejected.csv")


def price_of(order_id: str) -> str:
    return str(find_order(order_id).items[0].unit_price)


@pytest.mark.parametrize("shape", SHAPES)
class TestEachShape:
    def test_takes_the_marks_of_other_amounts_where_one_is_unclear(
        self, orders, run, shape, tmp_path
    ):
        orders.lines[0]["unit_price"] = "22.368"
        files, out = SHAPES[shape](orders, tmp_path), StringIO()
        counts, reasons = run(*files)
        assert (reasons, price_of(f"{orders.key}-1")) == ([], "22.37")
        assert counts["decimal_found"] == "."
        call_command("import_orders", *files, stdout=out)
        assert "Unclear amounts were read as the others, with decimals after “.”" in out.getvalue()

    def test_rejects_what_is_unclear_where_others_do_not_agree(self, orders, run, shape, tmp_path):
        for line, price in zip(orders.lines, ["22.368", "1,5", "2.5"], strict=False):
            line["unit_price"] = price
        _, reasons = run(*SHAPES[shape](orders, tmp_path))
        assert "unit_price: “22.368” may mean thousands or decimals: --decimal says which" in (
            reasons
        )

    @pytest.mark.parametrize(("decimal", "price"), [(".", "22.37"), (",", "22368.00")])
    def test_takes_the_mark_that_is_given(self, orders, run, shape, tmp_path, decimal, price):
        for line in orders.lines:
            line["unit_price"] = "22.368"
        _, reasons = run(*SHAPES[shape](orders, tmp_path), "--decimal", decimal)
        assert (reasons, price_of(f"{orders.key}-1")) == ([], price)

    def test_leaves_out_an_order_with_all_its_rows(self, orders, run, shape, tmp_path):
        orders.heads[1]["status"] = "test"
        counts, reasons = run(*SHAPES[shape](orders, tmp_path), "--skip", "status=test")
        assert (reasons, counts["orders"]["created"]) == ([], 2)
        assert not exists(f"{orders.key}-2")
        rows = {"one file": 2, "two files": 3, "nested": 1}[shape]
        assert sum(file["skipped"] for file in counts["files"].values()) == rows

    def test_leaves_out_a_line_alone(self, orders, run, shape, tmp_path):
        orders.lines[0]["quantity"] = "-1"
        counts, reasons = run(*SHAPES[shape](orders, tmp_path), "--skip", "quantity=-1")
        assert (reasons, counts["orders"]["created"]) == ([], 3)
        (line,) = find_order(f"{orders.key}-1").items
        assert line.product_id == f"{orders.key}-bulb"
        rows = {"one file": 1, "two files": 1, "nested": 0}[shape]
        assert sum(file["skipped"] for file in counts["files"].values()) == rows

    def test_knows_what_means_nothing_and_what_stands_in_for_it(self, orders, run, shape, tmp_path):
        for number, head in enumerate(orders.heads):
            head["Email"] = "NULL" if number else head["customer"]
            head["Billing Name"] = head.pop("customer").replace("ann", "bob")
        for line in orders.lines:
            line["line_total"] = "-"
        words = "--columns", "customer=Email|Billing Name", "--null", "NULL,line_total=-"
        _, reasons = run(*SHAPES[shape](orders, tmp_path), *words)
        assert reasons == []
        assert find_order(f"{orders.key}-1").username == f"{orders.key}-ann"
        assert find_order(f"{orders.key}-3").username == f"{orders.key}-bob"

    def test_dates_a_month_to_its_first_day(self, orders, run, shape, tmp_path):
        orders.heads[0]["placed_at"] = "March 2019"
        files = SHAPES[shape](orders, tmp_path)
        _, reasons = run(*files, "--date-format", "%B %Y")
        assert reasons == []
        placed = find_order(f"{orders.key}-1").placed
        assert placed.isoformat() == "2019-03-01T00:00:00+00:00"

    def test_names_the_option_with_a_column_that_is_not_there(self, orders, shape, tmp_path):
        files = SHAPES[shape](orders, tmp_path)
        for words in (["--skip", "spam=1"], ["--null", "discount=0"], ["--skip", "zip="]):
            assert "There is no column “" in refusal("import_orders", *files, *words)


@pytest.mark.parametrize(
    ("shape", "skipped"), [("one file", [2]), ("two files", [1, 2]), ("nested", [1])]
)
def test_an_order_is_left_out_where_all_its_lines_are(orders, run, tmp_path, shape, skipped):
    orders.lines[0]["quantity"] = orders.lines[1]["quantity"] = "-1"
    counts, _ = run(*SHAPES[shape](orders, tmp_path), "--skip", "quantity=-1")
    assert [file["skipped"] for file in counts["files"].values()] == skipped
    assert not exists(f"{orders.key}-1")


def test_an_order_that_is_left_out_may_have_wrong_rows(orders, run, tmp_path):
    orders.heads[1]["status"], orders.lines[3]["unit_price"] = "test", "free"
    counts, reasons = run(*orders.in_one_file(tmp_path), "--skip", "status=test")
    assert (reasons, counts["files"]["orders.csv"]["skipped"]) == ([], 2)


def test_orders_may_be_a_list_in_an_object(orders, run, tmp_path):
    path = tmp_path / "orders.json"
    heads = [{**head, "items": orders.of(head["order_id"])} for head in orders.heads]
    path.write_text(json.dumps({"meta": {"pages": 1}, "data": {"orders": heads}}))
    counts, _ = run(path, "--rows", "data.orders", "--lines-in", "items")
    assert counts["orders"]["created"] == 3


@pytest.mark.parametrize(
    ("text", "decimal", "cents"),
    [
        *(("1,234", ".", 123_400), ("1,234", ",", 123), ("1.234.567,8", ",", 123_456_780)),
        *(("€ 22.368", ".", 2_237), ("1 234", ".", 123_400), ("12", ",", 1_200)),
    ],
)
def test_an_amount_is_read_by_the_mark_of_decimals(text, decimal, cents):
    assert Amounts(AmountRules(decimal)).cents(text, "") == cents


@pytest.mark.parametrize(("text", "decimal"), [("12,50", "."), ("12.50", ","), ("1.2.3", ".")])
def test_an_amount_with_another_mark_is_none(text, decimal):
    with pytest.raises(BadNumber, match="is no amount such as"):
        Amounts(AmountRules(decimal)).cents(text, "")


class TestListsOfRejectedRows:
    @pytest.fixture(autouse=True)
    def var(self, settings, tmp_path):
        settings.VAR_DIR = tmp_path / "var"
        return settings.VAR_DIR / "imports"

    def rejects(self, command: str, path: Path | str) -> Path:
        """Import a file that has a wrong row; return where that is listed."""
        with pytest.raises(CommandError, match="1 row was rejected; see the list in") as raised:
            call_command(command, path, stdout=StringIO(), dry_run=True)
        return Path(str(raised.value).partition(" list in ")[2])

    def test_are_one_for_each_file_and_for_orders_and_comments(self, tmp_path, var):
        fields = "order_id,customer,status,placed_at,currency,product_id,quantity,unit_price"
        columns = f"{fields},id,language,rating,created_at"
        found = set()
        for folder in ("a", "b"):
            path = tmp_path / folder / "export.csv"
            path.parent.mkdir()
            path.write_text(f"{columns}\n1,,,,EUR,p,1,1,2,en,9,2024-01-01\n")
            found |= {self.rejects(f"import_{what}", path) for what in ("orders", "comments")}
        assert set(var.iterdir()) == found
        assert len(found) == 4
        assert {name.name[:11] for name in found} == {"export.csv-"}

    def test_are_the_same_for_the_same_file_however_it_is_named(self, tmp_path, monkeypatch):
        (tmp_path / "a.csv").write_text("id,product_id,language,rating,created_at\n1,p,en,9,x\n")
        monkeypatch.chdir(tmp_path)
        named = [self.rejects("import_comments", one) for one in ("a.csv", tmp_path / "a.csv")]
        assert named[0] == named[1]

    def test_are_one_for_each_content_of_standard_input(self, monkeypatch):
        found = []
        for rating in ("8", "9", "8"):
            text = f"id,product_id,language,rating,created_at\n1,p,en,{rating},2024-01-01\n"
            monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=BytesIO(text.encode())))
            found.append(self.rejects("import_comments", "-"))
        assert found[0] == found[2] != found[1]


def test_a_mapped_user_keeps_the_name_of_the_fallback(orders, run, tmp_path):
    for head in orders.heads:
        head |= {"Email": "", "Billing Name": f"Jo {orders.key}"}
        del head["customer"]
    run(*orders.in_one_file(tmp_path), "--columns", "customer=Email|Billing Name")
    user = find_user(find_order(f"{orders.key}-1").username)
    assert user.external_id == f"Jo {orders.key}"
