"""Times of pages on both sides, and how these compare."""

import pytest

from lab.sql_comparison.times import SITE, SQL, PageTime, Times


@pytest.fixture
def times():
    times = Times()
    # Each page is shown by the one side first, or by the other.
    times.add("lists", {SQL: PageTime(8.0, 20.0), SITE: PageTime(6.0, 10.0)})
    times.add("lists", {SITE: PageTime(6.0, 10.0), SQL: PageTime(8.0, 20.0)})
    times.add("lists", {SQL: PageTime(90.0, 99.0), SITE: PageTime(70.0, 80.0)})
    return times


class TestTimes:
    def test_are_those_of_their_side_whichever_came_first(self, times):
        assert times.medians("lists") == (PageTime(6.0, 10.0), PageTime(8.0, 20.0))

    def test_are_a_row_for_each_kind_of_visits(self, times):
        times.add("hot", {SITE: PageTime(3.0, 4.0), SQL: PageTime(2.0, 4.0)})
        assert [list(row) for row in times.table(visits=3).rows] == [
            ["lists", 6.0, 8.0, 0.75, 10.0, 20.0, 0.5],
            ["hot", 3.0, 2.0, 1.5, 4.0, 4.0, 1.0],
        ]

    def test_are_held_to_the_processor_time_of_sql(self, times):
        times.add("hot", {SITE: PageTime(3.0, 4.0), SQL: PageTime(2.0, 4.0)})
        lists, hot = times.limits()
        assert lists.holds
        assert not hot.holds
