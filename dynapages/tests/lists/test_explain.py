import json
from dataclasses import replace
from itertools import count

import pytest

from dynapages.calls.meter import Call, Meter
from dynapages.items import item_bytes
from dynapages.lists.explain import RULES, SCAN, Alternative, Computed, Counted, explain
from dynapages.lists.reader import Order, PageRequest
from dynapages.lists.runs import Run
from dynapages_testing.merged_lists import INDEX, MergedList, Thing, only


def listing(**partitions: str) -> MergedList:
    things = [Thing(name, "", place) for name, row in partitions.items() for place in row]
    return MergedList([Run(INDEX, name) for name in partitions], things)


@pytest.fixture
def page():
    return listing(A="adf", B="bc").read(PageRequest(3), Order.OLDEST_FIRST)


NUMBERS = count(1)


def call(label: str, units: float) -> Call:
    return Call("GetItem", "shop", None, label, units, 0, None, number=next(NUMBERS))


class TestAnExplanation:
    def test_has_a_line_for_each_query(self, page):
        first, second = explain(page, plan="by_kind").queries
        assert (first.index, first.key, first.rounds) == ("by_kind", "A", 1)
        assert (first.items_read, first.items_returned, first.capacity_units) == (3, 1, 0.5)
        assert (second.key, second.items_read, second.items_returned) == ("B", 2, 2)

    def test_of_no_runs_has_no_lines(self):
        page = listing().read(PageRequest(3), Order.OLDEST_FIRST)
        explanation = explain(page, plan="all")
        assert (explanation.queries, explanation.mean_item_bytes, explanation.other) == (
            (),
            None,
            (),
        )
        assert "0 queries on all" in explanation.summary

    def test_tells_that_it_fell_back(self):
        long = listing(A="abcdefgh")
        long.runs = [Run(INDEX, "A", keep=only("blue"))]
        others = [Run(INDEX, "A", until="e"), Run(INDEX, "A", since="e")]
        how = {"first_reads": [2], "fallback": lambda _run, _most: others}
        page = long.read(PageRequest(5), Order.OLDEST_FIRST, **how)
        explanation = explain(page, plan="all")
        assert explanation.fell_back
        assert [line.rounds for line in explanation.queries] == [1, 2, 2]


class TestTheTotal:
    def test_is_of_the_list_and_of_all_beside_it(self, page):
        meter = Meter([call("list", 2.0), call("product", 0.5), call("product", 1)])
        total = explain(page, plan="all", meter=meter).total
        assert (total.calls, total.rounds, total.capacity_units) == (3, 1, 3.5)
        assert total.dollars == pytest.approx(0.4375)

    def test_is_that_of_the_list_without_a_meter(self, page):
        total = explain(page, plan="all").total
        assert (total.calls, total.rounds, total.capacity_units) == (2, 1, 1.0)


class TestTheOtherPlans:
    @pytest.mark.parametrize(
        ("units", "expected", "is_cheaper"),
        [((7.5, None, 2.25), 2.25, False), ((0.5,), 0.5, True), ((), None, False)],
    )
    def test_are_compared_by_the_cheapest_whose_cost_is_known(
        self, page, units, expected, is_cheaper
    ):
        others = [Alternative("other", each) for each in units]
        found = explain(page, plan="all", alternatives=others, estimated_capacity_units=1.2)
        assert (found.expected_of_others, found.passes_over_cheaper) == (expected, is_cheaper)


class TestTheMeanSizeOfAnEntry:
    def test_is_that_of_the_items_on_the_page(self):
        page = listing(A="ab").read(PageRequest(1), Order.OLDEST_FIRST)
        assert explain(page, plan="all").mean_item_bytes == item_bytes(Thing("A", "", "a").item())


class TestWhatElseWasRead:
    def test_is_totalled_under_its_own_names(self, page):
        meter = Meter(
            [call("list", 4.0), call("product", 0.5), call("user", 1), call("product", 1)]
        )
        lines = explain(page, plan="all", meter=meter).other
        assert [(line.name, line.calls, line.capacity_units) for line in lines] == [
            ("product", 2, 1.5),
            ("user", 1, 1),
        ]


LARGE = {"item_bytes": 320.0}


class TestOtherDesigns:
    def test_scan_all_that_is_counted_for_each_page(self, page):
        counted = Counted(2_500, **LARGE)
        scan = Computed(SCAN, 2_500, 98.0)  # 196 blocks of 4 KB
        assert explain(page, plan="x", counted=counted).computed == (scan,)

    def test_do_not_scan_where_the_counts_tell_of_no_more_than_the_page_took(self, page):
        counted = Counted(25, **LARGE)
        assert explain(page, plan="x", counted=counted).computed == ()

    def test_read_a_page_and_an_item_more_of_each_partition_by_rule(self, page):
        counted = Counted(25, (21, 4, 0), **LARGE)
        by_rule = Computed(RULES, 25, 2.0, partitions=3)  # 2 + 1 + 1 blocks
        assert explain(page, plan="x", counted=counted).computed == (by_rule,)

    def test_have_items_like_those_of_the_page_where_their_size_is_not_known(self, page):
        mean = sum(item_bytes(entry.stored) for entry in page.entries) / 3
        (scan,) = explain(page, plan="x", counted=Counted(90_000)).computed
        assert scan.capacity_units == pytest.approx(90_000 * mean / 8_192, rel=0.05)

    def test_of_a_page_without_items_are_not_known(self):
        empty = listing(A="").read(PageRequest(3), Order.OLDEST_FIRST)
        assert explain(empty, plan="x", counted=Counted(90_000)).computed == ()

    def test_are_not_compared_with_a_page_whose_engine_metered_nothing(self, page):
        reads = tuple(replace(read, capacity_units=0.0) for read in page.reads)
        unmetered = replace(page, reads=reads)
        assert explain(unmetered, plan="x", counted=Counted(2_500, **LARGE)).computed == ()


class TestThePlaces:
    def test_are_those_of_the_items_but_for_what_the_page_hides(self, page):
        first, *others = page.entries
        found = explain(page, plan="x", hides=lambda entry: entry is first)
        assert found.places == ("", *(entry.position.place for entry in others))


class TestTheFiguresForJson:
    def test_are_named_as_promised(self, page):
        meter = Meter([call("product", 0.5)])
        alternatives = [Alternative("by_rating", 2.0)]
        explanation = explain(page, plan="all", meter=meter, alternatives=alternatives)
        figures = json.loads(json.dumps(explanation.as_dict()))
        assert figures.keys() >= {"plan", "queries", "items_returned", "items_read"}
        assert (figures["capacity_units"], figures["items_returned"], figures["items_read"]) == (
            1,
            3,
            5,
        )
        assert figures["total"].keys() == {"calls", "rounds", "capacity_units", "milliseconds"}
        of_a_query = "index key rounds items_read items_returned capacity_units"
        assert figures["queries"][0].keys() >= set(of_a_query.split())
        assert figures["alternatives"] == [{"plan": "by_rating", "estimated_capacity_units": 2.0}]
        assert figures["other"] == {"product": {"calls": 1, "capacity_units": 0.5}}
