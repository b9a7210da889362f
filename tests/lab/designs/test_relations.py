"""What the articles claim about the designs, measured on a few hundred comments and orders."""

import pytest

from lab.bench.data import OrderData
from lab.designs import comments
from lab.designs import comments as lab_comments
from lab.designs.comments import FOUR, PLANNED, POPULAR, RARE, SCAN, compare_comments, sample
from lab.designs.orders import (
    ALL_OPEN,
    SHIPPED_IN_2022,
    compare_customer_orders,
    compare_open_orders,
    load_orders,
)
from lab.reports.results import Results
from lab.reports.verdicts import DesignCost
from tests.support.lab.labs import NOW, PAGE_SIZE, pages, small_lab, writes

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]


@pytest.fixture(scope="module")
def few():
    """The designs whose costs are compared with those of many."""
    with pytest.MonkeyPatch.context() as patch, small_lab() as lab:
        patch.setattr(lab_comments, "DESIGNS", (SCAN, PLANNED))
        return compare_comments(lab, sample(40, now=NOW))


@pytest.fixture(scope="module")
def many():
    with small_lab() as lab:
        return compare_comments(lab, sample(120, now=NOW))


@pytest.fixture(scope="module")
def orders():
    with small_lab() as lab:
        loaded = load_orders(lab, OrderData(of_customer=90, queued=30))
        return {
            "customer": compare_customer_orders(lab, loaded),
            "open": compare_open_orders(lab, loaded),
        }


@pytest.fixture(scope="module")
def texts():
    with pytest.MonkeyPatch.context() as patch, small_lab() as lab:
        patch.setattr(comments, "LONG_COMMENTS", 40)
        return comments.compare_bodies(lab)


def written(subject: Results, name: str) -> tuple[float, float]:
    """The capacity units and the items stored of one write."""
    first, *_ = writes(subject, name)
    return first.number("capacity_units"), first.number("items_stored")


class TestAScan:
    def test_costs_more_the_more_there_is(self, few, many):
        before, after = pages(few, "scan", POPULAR)[0], pages(many, "scan", POPULAR)[0]
        assert (before.items_read, after.items_read) == (40, 120)
        assert after.capacity_units > 2 * before.capacity_units

    def test_costs_what_is_computed_from_another_number(self, few, many):
        measured, other = pages(few, "scan", POPULAR)[0], pages(many, "scan", POPULAR)[0]
        cost = DesignCost("scan", other.capacity_units, other.items_read, 1, reads_table=True)
        assert cost.at(40).units == pytest.approx(measured.capacity_units, abs=0.5)


class TestAPlannedPage:
    def test_costs_no_more_the_more_there_is(self, few, many):
        for question in (POPULAR, FOUR):
            before, after = pages(few, "planner", question)[0], pages(many, "planner", question)[0]
            assert after.capacity_units <= before.capacity_units

    def test_costs_half_a_unit_more_than_the_cheapest_design_at_most(self, many):
        for question in (POPULAR, RARE, FOUR):
            for number, cost in enumerate(pages(many, "planner", question)):
                others = (pages(many, name, question)[number] for name in ("filter", "rules"))
                assert cost.capacity_units <= min(o.capacity_units for o in others) + 0.5


class TestPagesByRule:
    def test_read_a_page_of_each_partition(self, many):
        first = pages(many, "rules", FOUR)[0]
        assert first.requests == 4
        assert first.items_read > 2 * (PAGE_SIZE + 1)


class TestAQueryWithAFilter:
    def test_reads_little_more_than_a_page_where_most_match(self, many):
        assert pages(many, "filter", FOUR)[0].items_read <= 2 * (PAGE_SIZE + 1)


class TestACopyForEverySet:
    def test_is_read_by_one_query_that_drops_nothing(self, many):
        for question in (POPULAR, RARE, FOUR):
            for cost in pages(many, "sets", question):
                assert cost.requests == 1
                assert cost.items_read <= PAGE_SIZE + 1

    def test_stores_each_comment_32_times_and_each_copy_twice(self, many):
        assert written(many, "sets")[1] == 64

    def test_stores_more_than_any_index(self, many):
        stored = {
            name: writes(many, name)[0].number("bytes_stored") for name in many.names("reader")
        }
        assert stored["sets"] > 10 * stored["rules"]
        assert [written(many, name)[1] for name in ("scan", "filter", "rules")] == [1, 2, 5]


class TestACompositeKey:
    def test_reads_what_a_page_shows_and_one_item_more(self, orders):
        first, *_ = pages(orders["customer"], "composite", SHIPPED_IN_2022)
        assert first.requests == 1
        assert first.items_read <= PAGE_SIZE + 1

    def test_spares_reading_the_orders_of_all(self, orders):
        for cost in pages(orders["customer"], "scan", SHIPPED_IN_2022):
            assert cost.items_read >= 120

    def test_is_written_anew_when_the_status_changes(self, orders):
        found = writes(orders["customer"], "composite")
        assert [each.number("capacity_units") for each in found] == [2, 3]


class TestASparseIndex:
    def test_costs_what_it_shows_at_any_depth(self, orders):
        costs = pages(orders["open"], "unsharded", ALL_OPEN)
        assert max(cost.items_read for cost in costs) <= PAGE_SIZE + 1
        assert max(cost.requests for cost in costs) == 1

    def test_costs_a_request_for_each_shard(self, orders):
        first = pages(orders["open"], "sharded", ALL_OPEN)[0]
        assert first.requests == 1 + 3 * 4

    def test_holds_open_orders_only(self, orders):
        for name in ("unsharded", "sharded"):
            found = writes(orders["open"], name)
            assert [each.number("items_stored") for each in found] == [2, 1]


class TestLongTexts:
    def test_make_lists_dear_in_the_item(self, texts):
        inline, apart = (pages(texts, name, "a list")[0] for name in ("inline", "apart"))
        assert inline.capacity_units > 2 * apart.capacity_units
