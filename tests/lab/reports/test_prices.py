"""The tables of prices in the documents of the designs."""

import pytest

from lab.reports import prices
from lab.reports.prices import choice_table, subject_table
from lab.reports.results import Results, Row
from tests.support.lab.labs import made_figures


@pytest.fixture(autouse=True)
def figures(monkeypatch):
    """Those of one design, with a second list, and a second page of the first."""
    more = (
        Row("comments", "rare", None, None, "about", "3 stars: 50 of 4,321"),
        Row("comments", "rare", 1, "scan", "capacity_units", 1.5),
        Row("comments", "popular", 31, "scan", "capacity_units", 999),
    )
    monkeypatch.setattr(prices, "_figures", lambda: Results((*made_figures(), *more)))


def test_a_subject_has_the_first_page_of_each_list_and_each_write():
    assert subject_table("comments", {"scan": "[Scan](#scan)"}).splitlines() == [
        "| capacity units | popular | rare | a comment |",
        "| --- | ---: | ---: | ---: |",
        "| [Scan](#scan) | 138.5 | 1.5 | 66 |",
    ]


def test_a_choice_has_the_least_and_the_most_or_what_is_always_the_same():
    table = choice_table(("an export", "[Scan](#scan)", "comments", "scan"))
    assert table.splitlines()[-1] == "| an export | [Scan](#scan) | 1.5–138.5 | 66 |"


def test_a_choice_needs_figures():
    with pytest.raises(ValueError, match="min"):
        choice_table(("an export", "Scan", "comments", "carrier pigeons"))
