"""Amounts and numbers of pieces in the spellings of files."""

import pytest

from shop.imports.fields import BadNumber, cents_of, pieces_of


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("12.50", 1_250),
        ("12,50", 1_250),
        ("1.234,56", 123_456),
        ("1,234.56", 123_456),
        ("1 234,56", 123_456),
        ("1\N{NO-BREAK SPACE}234,56 kr", 123_456),
        ("1'234.56", 123_456),
        ("1\N{RIGHT SINGLE QUOTATION MARK}234.56", 123_456),
        ("1.234.567", 123_456_700),
        ("€ 12.50", 1_250),
        ("12,50 €", 1_250),
        ("$1,234.56", 123_456),
        ("R$ 12,5", 1_250),
        ("EUR 7", 700),
        ("0", 0),
        ("14.0000", 1_400),
        ("19.989999999999998", 1_999),
        ("0.125", 13),
    ],
)
def test_an_amount_is_read_in_cents(text, cents):
    assert cents_of(text) == cents


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "-€5",
        "(5)",
        "1e3",
        "NaN",
        "1.2.3",
        "1,23,456.00",
        "cheap",
        "5 pieces",
        "٣",
        "9" * 16,
    ],
)
def test_other_text_is_no_amount(text):
    with pytest.raises(BadNumber, match="is no amount such as"):
        cents_of(text)


@pytest.mark.parametrize("text", ["1.234", "1,234", "999.000"])
def test_three_digits_behind_one_mark_are_not_guessed(text):
    with pytest.raises(BadNumber, match="may mean thousands or decimals"):
        cents_of(text)


@pytest.mark.parametrize(("text", "pieces"), [("1", 1), ("12", 12), ("2.0", 2), ("2,00", 2)])
def test_pieces_are_whole(text, pieces):
    assert pieces_of(text) == pieces


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "1e3", "two", "1000000"])
def test_other_text_is_no_number_of_pieces(text):
    with pytest.raises(BadNumber, match="is no number of pieces"):
        pieces_of(text)
