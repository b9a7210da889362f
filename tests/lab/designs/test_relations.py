"""What the articles claim about the designs, measured on a few hundred comments and orders."""

import pytest

from lab.bench.data import OrderData
from lab.costs import DesignCost
from lab.designs import long_texts
from lab.designs.comments import (
    FOUR,
    POPULAR,
    RARE,
    IndexesByCost,
    Scan,
    compare_comments,
    load_sample,
)
from lab.designs.orders import (
    ALL_OPEN,
    SHIPPED_IN_2022,
    Orders,
    compare_customer_orders,
    compare_open_orders,
)
from lab.figures import SubjectFigures, Writing
from tests.support.lab.labs import NOW, PAGE_SIZE, QUIET, lab_engine, pages

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("dynoxide")]


@pytest.fixture(scope="module")
def few(dynoxide):
    """The designs whose costs are compared with those of many."""
    with lab_engine():
        comments = load_sample(40, now=NOW)
        designs = (Scan, IndexesByCost)
        return compare_comments(comments, page_size=PAGE_SIZE, progress=QUIET, designs=designs)


@pytest.fixture(scope="module")
def many(dynoxide):
    with lab_engine():
        return compare_comments(load_sample(120, now=NOW), page_size=PAGE_SIZE, progress=QUIET)


@pytest.fixture(scope="module")
def orders(dynoxide):
    made = Orders.make(OrderData(of_customer=90, queued=30))
    with lab_engine():
        return {
            "customer": compare_customer_orders(made, page_size=PAGE_SIZE, progress=QUIET),
            "open": compare_open_orders(made, page_size=PAGE_SIZE, progress=QUIET),
        }


@pytest.fixture(scope="module")
def texts(dynoxide):
    with pytest.MonkeyPatch.context() as patch, lab_engine():
        patch.setattr(long_texts, "LONG_COMMENTS", 40)
        return long_texts.compare_long_texts(page_size=PAGE_SIZE, progress=QUIET)


def writes(subject: SubjectFigures, name: str) -> tuple[Writing, ...]:
    return subject.design(name).writings


class TestAScan:
    def test_costs_more_the_more_there_is(self, few, many):
        before, after = pages(few, "scan", POPULAR)[0], pages(many, "scan", POPULAR)[0]
        assert (before.items_read, after.items_read) == (40, 120)
        assert after.capacity_units > 2 * before.capacity_units

    def test_costs_what_is_computed_from_another_number(self, few, many):
        measured, other = pages(few, "scan", POPULAR)[0], pages(many, "scan", POPULAR)[0]
        cost = DesignCost("scan", other.capacity_units, other.items_read, 1, reads_table=True)
        assert cost.at_size(40).units == pytest.approx(measured.capacity_units, abs=0.5)


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
        assert writes(many, "sets")[0].items_stored == 64

    def test_stores_more_than_any_index(self, many):
        stored = {design.name: design.writings[0].bytes_stored for design in many.designs}
        assert stored["sets"] > 10 * stored["rules"]
        items = [writes(many, name)[0].items_stored for name in ("scan", "filter", "rules")]
        assert items == [1, 2, 5]


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
        assert [each.capacity_units for each in found] == [2, 3]


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
            assert [each.items_stored for each in found] == [2, 1]


class TestLongTexts:
    def test_make_lists_dear_in_the_item(self, texts):
        inline, apart = (pages(texts, name, "a list")[0] for name in ("inline", "apart"))
        assert inline.capacity_units > 2 * apart.capacity_units
