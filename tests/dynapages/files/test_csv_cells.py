"""Cells that a spreadsheet shows, whatever was written into them, and by whatever separator."""

import csv
from io import StringIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynapages.django.csv_lists import escape_formula

FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
HOSTILE = st.text(st.sampled_from([*FORMULA, *",;|\t\r\n\" 'x1\u3000\ufeff\0"]), max_size=12)


def cells(row: list[object], separator: str) -> list[str]:
    """What a spreadsheet finds in a row of a file that was written with commas."""
    file = StringIO(newline="")
    csv.writer(file).writerow(row)
    return [
        cell
        for line in csv.reader(StringIO(file.getvalue(), newline=""), delimiter=separator)
        for cell in line
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@given(texts=st.lists(HOSTILE, min_size=1, max_size=3))
@example(texts=["x;=1+1"])
@example(texts=["x", '";"=1+1'])
@example(texts=["x", "y\n=1+1"])
def test_begin_with_no_formula(separator, texts):
    for cell in cells([escape_formula(text) for text in texts], separator):
        assert not cell.strip('\0\ufeff" \t\r\n\u3000').startswith(FORMULA)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x;=1+1", "x;'=1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\u3000@SUM(A1)", "\u3000'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        ("\tx", "'\tx"),
    ],
)
def test_show_a_formula_as_text(text, shown):
    assert escape_formula(text) == shown
    assert escape_formula(shown) == shown


@pytest.mark.parametrize("value", ["", "a lamp; 20 €", "1-2", "a@example.com", "x = 1", -5, None])
def test_are_otherwise_as_they_were(value):
    assert escape_formula(value) == value
