"""The planner finds the cheapest way to read a page, going by the counts."""

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from comments.indexes.prices import (
    CountedRun,
    PricedPlan,
    cheapest,
    price_runs,
)
from dynapages.lists import Index, OneOf, Run

INDEX = Index("t", "i", partition="pk", sort="sk", table_key=lambda _: {})
DROPS = (OneOf("rating", ({"N": "5"},)),)


def run(name: str = "p", *, keep: tuple[OneOf, ...] = ()) -> Run:
    return Run(index=INDEX, partition=name, keep=keep)


def exact(*totals: int, item_bytes: float = 300) -> list[CountedRun]:
    return [CountedRun(run(str(n)), total, total, item_bytes) for n, total in enumerate(totals)]


def dropping(total: int, matching: int, *, has_seasons: bool = False) -> list[CountedRun]:
    return [CountedRun(run(keep=DROPS), total, matching, 300, has_seasons)]


def price(runs: list[CountedRun], *, needed: int) -> PricedPlan:
    return price_runs("dropping" if runs[0].run.keep else "exact", runs, needed=needed)


class TestPricingOneRun:
    def test_asks_for_a_page_and_no_more(self):
        assert price(exact(10_000), needed=21).first_reads == (21,)

    def test_asks_for_all_of_a_short_run_and_one_more_to_see_its_end(self):
        assert price(exact(4), needed=21).first_reads == (5,)

    def test_costs_half_a_unit_for_each_started_4_kb(self):
        one, two = (price(exact(10_000, item_bytes=size), needed=21) for size in (120, 260))
        assert one.capacity_units == 0.5
        assert 0.95 < two.capacity_units < 1.05

    def test_costs_between_where_the_sizes_of_items_decide(self):
        assert 0.6 < price(exact(10_000, item_bytes=190), needed=21).capacity_units < 0.9

    def test_a_filter_reads_more_the_less_it_lets_through(self):
        half, tenth = (price(dropping(10_000, n), needed=21) for n in (5_000, 1_000))
        assert 42 <= half.first_reads[0] < 120 < tenth.first_reads[0]
        assert half.capacity_units < tenth.capacity_units

    def test_a_filter_that_lets_nothing_through_is_hopeless(self):
        plan = price(dropping(10_000, 0), needed=21)
        assert plan.capacity_units == inf
        assert plan.runs == ()

    def test_a_filter_of_what_has_seasons_costs_more(self):
        steady, seasonal = (dropping(10_000, 5_000, has_seasons=is_so) for is_so in (False, True))
        cheap, dear = (price(runs, needed=21) for runs in (steady, seasonal))
        assert cheap.first_reads == dear.first_reads
        assert cheap.capacity_units * 1.2 < dear.capacity_units


class TestPricingSeveralRuns:
    def test_asks_each_for_its_share_and_a_margin(self):
        many, few = price(exact(9_000, 1_000), needed=21).first_reads
        assert 19 <= many <= 21
        assert 2 < few < 10

    def test_leaves_empty_runs_out_and_names_them(self):
        plan = price(exact(100, 0, 50, -3), needed=21)
        assert [r.partition for r in plan.runs] == ["0", "2"]
        assert [r.partition for r in plan.skipped] == ["1", "3"]

    def test_costs_half_a_unit_for_each_at_the_least(self):
        assert price(exact(*[1_000] * 40), needed=21).capacity_units >= 20

    def test_is_free_when_there_is_nothing(self):
        plan = price(exact(0, 0), needed=21)
        assert (plan.capacity_units, plan.runs) == (0, ())


class TestChoosing:
    def plan(self, name: str, units: float, *runs: Run) -> PricedPlan:
        return PricedPlan(name, runs, (1,) * len(runs), (), units)

    def test_takes_the_least_capacity(self):
        cheap, dear = self.plan("cheap", 1, run(), run()), self.plan("dear", 2, run())
        assert cheapest([dear, cheap]) is cheap

    def test_then_the_fewest_queries(self):
        two, one = self.plan("two", 1, run(), run()), self.plan("one", 1, run())
        assert cheapest([two, one]) is one

    def test_then_the_one_without_a_filter(self):
        filtered, plain = self.plan("f", 1, run(keep=DROPS)), self.plan("p", 1, run())
        assert cheapest([filtered, plain]) is plain

    def test_drops_a_rare_rating_rather_than_read_four_partitions(self):
        four, all_but_rare = exact(4_000, 3_000, 2_000, 900), dropping(10_000, 9_900)
        priced = [price(candidate, needed=21) for candidate in (four, all_but_rare)]
        assert cheapest(priced).name == "dropping"

    def test_reads_a_rare_rating_from_its_own_partition(self):
        priced = [price(c, needed=21) for c in (dropping(10_000, 100), exact(100))]
        assert cheapest(priced).name == "exact"


@given(
    totals=st.lists(st.integers(0, 100_000), min_size=1, max_size=12),
    needed=st.integers(2, 101),
    item_bytes=st.integers(50, 3_000),
)
def test_every_plan_can_be_read(totals, needed, item_bytes):
    plan = price(exact(*totals, item_bytes=item_bytes), needed=needed)
    assert len(plan.runs) == len(plan.first_reads) == sum(total > 0 for total in totals)
    assert all(1 <= limit <= needed for limit in plan.first_reads)
    assert plan.capacity_units >= 0.5 * len(plan.runs)
