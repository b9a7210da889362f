"""Times of pages on both sides, and how these compare."""

import pytest

from lab.sql_comparison.times import SITE, SQL, Spent, Times


@pytest.fixture
def times():
    times = Times()
    # Each page is shown by the one side first, or by the other.
    times.add("lists", {SQL: Spent(8.0, 20.0), SITE: Spent(6.0, 10.0)})
    times.add("lists", {SITE: Spent(6.0, 10.0), SQL: Spent(8.0, 20.0)})
    times.add("lists", {SQL: Spent(90.0, 99.0), SITE: Spent(70.0, 80.0)})
    return times


class TestTimes:
    def test_are_those_of_their_side_whichever_came_first(self, times):
        assert times.medians("lists") == (Spent(6.0, 10.0), Spent(8.0, 20.0))

    def test_are_a_row_for_each_kind_of_visits(self, times):
        times.add("hot", {SITE: Spent(3.0, 4.0), SQL: Spent(2.0, 4.0)})
        assert [list(row) for row in times.table(visits=3).rows] == [
            ["lists", 6.0, 8.0, 0.75, 10.0, 20.0, 0.5],
            ["hot", 3.0, 2.0, 1.5, 4.0, 4.0, 1.0],
        ]

    def test_are_held_to_the_processor_time_of_sql(self, times):
        times.add("hot", {SITE: Spent(3.0, 4.0), SQL: Spent(2.0, 4.0)})
        lists, hot = times.limits()
        assert lists.holds
        assert not hot.holds
