"""Tables that were restored to different moments: what differs then, and what a repair makes of it.

DynamoDB restores each table by itself, and a backup may have each item of a table as it was at a
moment of its own, up to a minute before or after.
"""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from tests.support.config.moments import MOMENTS, TABLES, Moments, every_read_model, live
from tests.support.config.restored import checked, differences_of_pages, kinds_in

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]

NAMES = {("comments", "name")}
"""Names of products in rankings, which are the catalogue's."""
POSTINGS = {("words", "postings"), ("words", "words")}
COPIES = {
    ("sets", "orphaned primary"),
    ("sets", "orphaned copies"),
    ("sets", "stale primary"),
    ("sets", "stale copies"),
    ("sets", "sets"),
}
ALONE = {
    "shop": NAMES,
    "comments": NAMES | POSTINGS | COPIES,
    "words": POSTINGS,
    "sets": COPIES,
    "activity": set(),
}
"""What is found where one table is of the early moment, and the others are of the late one."""
LOST = {("comments", "body"), ("orders", "lines"), ("accounts", "account")}
"""What nothing tells of, so that no repair can put it."""


@pytest.fixture(scope="module")
def moments() -> Iterator[Moments]:
    with every_read_model():
        yield live()


@pytest.mark.parametrize("moment", MOMENTS)
class TestTablesOfOneMoment:
    def test_need_no_repair(self, moments, moment):
        moments.bring_back(**dict.fromkeys(TABLES, moment))
        found = checked()
        assert (found["found"], found["hints"]) == ([], [])
        assert differences_of_pages() == []


class TestOneTableOfAnEarlierMoment:
    @pytest.mark.parametrize("table", ALONE)
    def test_differs_in_just_these_kinds(self, moments, table):
        moments.bring_back(**{table: "early"})
        assert kinds_in(checked()["found"]) == ALONE[table]

    @pytest.mark.parametrize("table", ALONE)
    def test_is_repaired_until_lists_show_what_is_stored(self, moments, table):
        moments.bring_back(**{table: "early"})
        assert checked("--repair")["left"] == 0
        assert checked()["found"] == []
        assert differences_of_pages() == []

    @pytest.mark.parametrize("table", ["comments", "words", "sets"])
    def test_is_not_repaired_before_a_repair(self, moments, table):
        """If not, the test above would show nothing."""
        moments.bring_back(**{table: "early"})
        assert differences_of_pages() != []


def torn(moments: Moments, table: str, seed: int) -> None:
    """Bring back a table with each item as it was at one of two moments."""
    moments.tear(table, Random(seed))


@pytest.mark.parametrize("table", ["shop", "comments", "words", "sets"])
class TestATableOfWhichEachItemIsOfAMomentOfItsOwn:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_is_repaired_but_for_what_is_lost(self, moments, table, seed):
        torn(moments, table, seed)
        self.is_repaired()

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(3, 40))
    def test_is_repaired_but_for_what_is_lost_whatever_is_torn(self, moments, table, seed):
        torn(moments, table, seed)
        self.is_repaired()

    def is_repaired(self) -> None:
        checked("--repair")
        left = checked()["found"]
        assert kinds_in(left) <= LOST
        assert differences_of_pages() == []


@pytest.mark.slow
@pytest.mark.parametrize("combination", [*product(MOMENTS, repeat=4)])
def test_tables_of_any_moments_are_repaired(moments, combination):
    moments.bring_back(**dict(zip(("shop", "comments", "words", "sets"), combination, strict=True)))
    assert checked("--repair")["left"] == 0
    assert checked()["found"] == []
    assert differences_of_pages() == []
