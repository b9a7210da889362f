"""The dollars of docs/designs/otherwise.md follow from units told elsewhere, and from prices."""

import re

from dynapages.lists import prices
from tests.support.project import PROJECT

DOCS = PROJECT / "docs"
OTHERWISE = (DOCS / "designs" / "otherwise.md").read_text()
SEARCH = (DOCS / "search.md").read_text()
BENCHMARKS = (DOCS / "benchmarks.md").read_text()
MILLION = 1_000_000


def row(document: str, name: str) -> list[str]:
    """Return the cells behind the name of a row."""
    (cells,) = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", document, re.MULTILINE)
    return [cell.strip() for cell in cells.split("|")]


def test_the_postings_of_a_million_comments_are_those_of_the_search():
    (units,) = row(SEARCH, "a comment written, besides its other lists")
    dollars = prices().writes(float(units))
    assert row(OTHERWISE, "a million comments, written") == [
        f"{float(units) * MILLION:,.0f}",
        f"{dollars:.2f}",
    ]


def test_a_million_searches_are_those_of_the_search():
    (units,) = row(SEARCH, "… of two words, at the mean")
    dollars = prices().reads(float(units))
    assert row(OTHERWISE, "a million pages of a search for two words") == [
        f"{float(units) * MILLION:,.0f}",
        f"{dollars:.2f}",
    ]


def test_a_month_of_postings_costs_what_their_storage_does():
    assert "a million comments are $14 to write, 7 GB to store" in SEARCH
    dollars = 7 * prices().gigabyte_month
    assert row(OTHERWISE, "… stored for a month, 7 GB") == ["", f"{dollars:.2f}"]


def test_the_transaction_costs_the_units_that_it_has_more_than_a_stream():
    (together,) = row(OTHERWISE, "counts in the transaction: the item twice, and the counts twice")
    (late,) = row(OTHERWISE, "counts from the stream, where no two are added up in one write")
    dollars = prices().writes(float(together) - float(late))
    assert f"costs up to ${dollars:.2f} more for a million comments" in OTHERWISE


def test_names_cost_what_their_bytes_do_in_a_month():
    short, long = row(OTHERWISE, "an item and its entries in four indexes, bytes")
    more_bytes = int(long.replace(",", "")) - int(short.replace(",", ""))
    dollars = more_bytes * MILLION / 1e9 * prices().gigabyte_month
    assert f"${dollars:.2f} a month for a million comments" in OTHERWISE


def test_the_planners_pages_are_those_of_the_grid():
    (planner, *_), (rules, *_) = (
        row(BENCHMARKS, "cheapest plan by the counts (the site)"),
        row(BENCHMARKS, "four indexes by rule"),
    )
    told = OTHERWISE.replace("\n", " ")
    assert f"pages take {planner} units instead of {float(rules):g}" in told
