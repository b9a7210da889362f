"""Which design is cheapest, and at other sizes."""

import pytest

from dynapages.lists import prices
from lab.costs import SIZES, DesignCost, judge
from lab.figures import find_published


def cost(title: str = "a design", *, read: float, write: float = 1) -> DesignCost:
    return DesignCost(title, read_units=read, items_read=20, write_units=write)


def scan(*, units: float, items: float) -> DesignCost:
    return DesignCost("scan", units, items, write_units=1, reads_table=True)


class TestAVerdict:
    def test_is_for_what_is_cheapest_where_pages_are_viewed_more_often_than_written(self):
        written_once, read_well, read_best = (
            cost("rules", read=4, write=5),
            cost("planner", read=2, write=8),
            cost("sets", read=1, write=66),
        )
        verdict = judge([written_once, read_well, read_best])
        assert verdict.cheapest is read_well
        assert (verdict.dearest, verdict.times) == (written_once, 2)

    def test_names_the_number_of_views_from_which_another_is_cheaper(self):
        planner, sets = cost("planner", read=2, write=8), cost("sets", read=1, write=66)
        verdict = judge([planner, sets])
        assert (verdict.rival, verdict.views) == (sets, 290)
        assert planner.views_until_cheaper(sets) == pytest.approx(290)

    def test_names_no_other_if_none_reads_less(self):
        assert judge([cost(read=1, write=2), cost(read=7, write=2)]).rival is None


class TestAtAnotherSize:
    def test_a_scan_grows_with_the_items_in_calls_of_a_megabyte(self):
        found = scan(units=236, items=6_000).at_size(60_000)
        assert found.units == pytest.approx(2_360)
        assert found.calls == 19
        assert found.dollars == pytest.approx(prices().reads(2_360) + prices().writes(0.01))

    def test_what_is_written_for_each_hundred_views_is_in_the_dollars(self):
        views, writes = prices().reads(1), prices().writes(66)
        found = cost(read=1, write=66)
        assert found.dollars() == pytest.approx(views + writes / 100)
        assert {found.at_size(items).dollars for items in SIZES} == {found.dollars()}

    def test_another_design_reads_as_much(self):
        for items in SIZES:
            assert cost(read=2).at_size(items).units == 2

    def test_at_the_size_measured_it_is_what_was_measured(self):
        for subject in find_published().subjects:
            for design in subject.designs:
                if design.name == "scan":
                    for reading in design.readings:
                        items, units = reading.items_read, reading.capacity_units
                        found = scan(units=units, items=items).at_size(items)
                        assert (found.units, found.calls) == (units, reading.requests)
