"""Amounts in smallest units, and in currencies with three decimals or none."""

from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from shop.data.amounts import AmountRules, Amounts, BadNumber, decimal_mark
from shop.data.currencies import decimals_of
from shop.orders.queries import find_order
from tests.shop.data.test_plain_rules import SHAPES, Orders
from tests.support.importing import import_plain

MINOR = AmountRules(in_minor_units=True)
CURRENCIES = ("EUR", "JPY", "KWD", "CLF")


class TestAnAmountInSmallestUnits:
    @pytest.mark.parametrize(
        ("text", "currency", "cents"),
        [
            ("1250", "EUR", 1_250),
            ("1250", "JPY", 125_000),
            ("12500", "KWD", 1_250),
            ("12505", "kwd", 1_251),
            ("1250.0", "EUR", 1_250),
            ("0", "EUR", 0),
        ],
    )
    def test_is_a_whole_number(self, text, currency, cents):
        assert Amounts(MINOR).cents(text, currency) == cents

    @given(st.integers(0, 10**9), st.sampled_from(CURRENCIES))
    def test_is_what_its_decimals_would_say(self, units, currency):
        written = Decimal(units).scaleb(-decimals_of(currency))
        found = Amounts(MINOR).cents(str(units), currency)
        # No mark of thousands is in it: with the mark given, nothing is unclear.
        assert found == Amounts(AmountRules(".")).cents(f"{written:f}", currency)

    @pytest.mark.parametrize("text", ["12.50", "1250.00", "1,250", "12.5"])
    def test_with_decimals_is_none(self, text):
        with pytest.raises(BadNumber, match="is no whole number such as 1250"):
            Amounts(MINOR).cents(text, "EUR")

    def test_is_rounded_and_counted_where_it_has_three_decimals(self):
        amounts = Amounts(MINOR)
        for text in ("12500", "12505", "12504"):
            amounts.cents(text, "KWD")
        assert amounts.rounded == 2


class TestACurrency:
    @pytest.mark.parametrize(
        ("text", "currency", "cents"),
        [
            ("12.500 KWD", "KWD", 1_250),
            ("1.250", "BHD", 125),
            ("1250", "JPY", 125_000),
            ("1,250", "JPY", 125_000),
            ("¥1.250", "JPY", 125_000),
        ],
    )
    def test_tells_what_three_digits_are(self, text, currency, cents):
        assert Amounts().cents(text, currency) == cents

    @pytest.mark.parametrize(("text", "currency"), [("1.250", "EUR"), ("1,250", "KWD")])
    def test_leaves_open_what_both_may_be(self, text, currency):
        assert decimal_mark(text, currency) == "?"


class TestTheHint:
    def hint_of(self, *texts: str, currency: str = "USD") -> str:
        amounts = Amounts()
        for text in texts:
            amounts.cents(text, currency)
        return amounts.hint

    def test_is_given_where_all_amounts_are_whole_and_large(self):
        assert self.hint_of("1250", "450", "0") == (
            "All 2 amounts are whole numbers, the lowest is 450: if they are cents, use "
            "--minor-units."
        )

    @pytest.mark.parametrize("other", ["12.50", "12", "1,250.00", "450.00"])
    def test_is_not_given_where_one_is_otherwise(self, other):
        assert self.hint_of("1250", other) == ""

    def test_is_not_given_in_a_currency_without_decimals(self):
        assert self.hint_of("1250", "450", currency="JPY") == ""


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("shape", SHAPES)
class TestAnImportOfOrders:
    @pytest.fixture
    def files(self, fresh, shape, tmp_path):
        orders = Orders(fresh("minor"))
        for head, code in zip(orders.heads, ("EUR", "JPY", "KWD"), strict=True):
            head["currency"] = code
        for line in orders.lines:
            line["unit_price"] = "12500"
            line.pop("line_total", None)
        return orders.key, SHAPES[shape](orders, tmp_path)

    def test_reads_smallest_units_by_the_currency_of_each_order(self, files, tmp_path):
        key, paths = files
        rejects = tmp_path / "rejected.csv"
        _, reasons = import_plain(*paths, "--minor-units", rejects=rejects)
        prices = [str(find_order(f"{key}-{n}").items[0].unit_price) for n in (1, 2, 3)]
        assert (reasons, prices) == ([], ["125.00", "12500.00", "12.50"])

    def test_hints_at_them_before_it_writes_and_in_its_result(self, files, capsys):
        _, paths = files
        out = StringIO()
        call_command("import_orders", *paths, stdout=out)
        hint = "amounts are whole numbers, the lowest is 12500"
        assert hint in capsys.readouterr().err
        assert hint in out.getvalue()

    def test_hints_at_them_in_a_trial(self, files):
        _, paths = files
        out = StringIO()
        call_command("import_orders", *paths, "--dry-run", stdout=out)
        assert "if they are cents, use --minor-units." in out.getvalue()
