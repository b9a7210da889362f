"""docs/designs/otherwise.md has the figures of overloaded indexes that are computed."""

import pytest

from lab.native_keys.overloaded import count_indexes, price_lists
from tests.support.project import PROJECT

DOCUMENT = (PROJECT / "docs" / "designs" / "otherwise.md").read_text()
LISTS = {listed.name: listed for listed in price_lists()}
RANKS = [listed for name, listed in LISTS.items() if name.startswith("products by")]
REPORT, REPLY = LISTS["a user's reports"], LISTS["replies of staff"]


def test_it_has_the_numbers_of_indexes():
    today, with_own = count_indexes()
    assert f"that a table may have | {today.indexes} | {with_own.indexes} |" in DOCUMENT
    assert f"in their projections, of 100 | {today.projected} | {with_own.projected} |" in DOCUMENT


def test_it_has_the_bytes_of_entries():
    today = sorted(listed.entry_bytes for listed in RANKS)
    own = sorted(listed.own_bytes for listed in RANKS)
    assert f"of a rank | {today[0]}–{today[1]} | {own[0]}–{own[1]} |" in DOCUMENT
    reports = f"{REPORT.entry_bytes}, {REPLY.entry_bytes} | {REPORT.own_bytes}, {REPLY.own_bytes}"
    assert f"of a report, a reply | {reports} |" in DOCUMENT


@pytest.mark.parametrize(
    ("row", "today", "own"),
    [
        ("with its entry", REPLY.put_units, REPLY.own_put_units),
        ("units to edit the text of a reply", REPLY.text_units, REPLY.own_text_units),
    ],
)
def test_it_has_the_units(row, today, own):
    assert f"{row} | {today} | {own} |" in DOCUMENT
