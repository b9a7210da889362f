"""docs/designs/otherwise.md has the figures of native keys and of overloaded indexes."""

import pytest

from dynapages.lists import prices
from lab.native_keys.overloaded import count_indexes, price_lists
from tests.support.project import PROJECT

DESIGNS = PROJECT / "docs" / "designs"
TOLD = (DESIGNS / "otherwise.md").read_text().replace("\n", " ")
(REPLY,) = (listed for listed in price_lists() if listed.name == "replies of staff")


def billed(keys: str) -> int:
    """Return what is billed for a comment with some keys, as the other page's table has it."""
    lines = (DESIGNS / "several-attributes.md").read_text().splitlines()
    (row,) = (line for line in lines if line.startswith(f"| {keys} ") and line.count("|") == 5)
    return int(row.split("|")[4].replace(",", ""))


def test_it_has_the_bytes_of_concatenated_keys_and_their_price():
    today, native = billed("concatenated"), billed("native, in the partition")
    assert f"{today - native} of the {today:,} bytes" in TOLD
    dollars = (today - native) / 1e3 * prices().gigabyte_month
    assert TOLD.count(f"${dollars:.2f} a month for a million comments") == 2


def test_it_has_the_numbers_of_indexes():
    today, with_own = count_indexes()
    assert f"{with_own.indexes} instead of {today.indexes}, of 20" in TOLD


@pytest.mark.parametrize(
    "told",
    [
        f"takes {REPLY.text_units} units instead of {REPLY.own_text_units}",
        f"has {REPLY.entry_bytes} bytes instead of {REPLY.own_bytes}",
    ],
)
def test_it_has_what_a_reply_costs(told):
    assert told in TOLD
