"""The simulation against cases that are counted by hand."""

import pytest

np = pytest.importorskip("numpy")

from lab.scale.limits import Limits, Partition  # noqa: E402 - they need NumPy
from lab.scale.proxy import Use  # noqa: E402 - the same
from lab.scale.simulation import (  # noqa: E402 - the same
    DAY,
    Arrivals,
    Model,
    Outcome,
    Traffic,
    day,
    draw,
    traffics,
    zipf,
)
from lab.scale.visits import KINDS, Call  # noqa: E402 - the same

ITEM = Partition("shop", "", "PRODUCT#hot")
COUNTER = Partition("shop", "", "COUNTS#hot", is_write=True)


def reading(partition: Partition = ITEM, *, units: float = 1.0, at: int = 1) -> Call:
    return Call("GetItem", at, (Use(partition, units),), units)


def ran(
    calls: list[Call], *, each_second: float, seconds: int = 10, shards: int = 1, **limits: float
) -> Outcome:
    model = Model([Arrivals("page", 0, 1.0, calls)], Limits(**limits), {ITEM: shards})
    return model.run((np.array([each_second]) for _ in range(seconds)), step=1)


class TestAHotItem:
    def test_serves_its_limit(self):
        assert ran([reading()], each_second=3_000).share_by_step == [0] * 10

    def test_is_throttled_in_each_second_by_one_unit_more(self):
        outcome = ran([reading()], each_second=3_001)
        assert outcome.seconds == 1
        assert outcome.throttled == pytest.approx(10)
        assert outcome.bottleneck == ITEM

    def test_is_throttled_by_the_units_not_by_the_calls(self):
        assert ran([reading(units=0.5)], each_second=6_000).share == 0
        assert ran([reading(units=4)], each_second=1_500).share == pytest.approx(0.5)

    def test_uses_up_a_burst_after_as_many_seconds(self):
        outcome = ran([reading()], each_second=6_000, seconds=400, burst_seconds=300)
        first = next(n for n, share in enumerate(outcome.share_by_step) if share)
        assert first == 299
        assert outcome.share_by_step[-1] == pytest.approx(0.5)

    def test_serves_as_many_times_as_much_in_shards(self):
        assert ran([reading()], each_second=12_000, shards=4).share == 0
        assert ran([reading()], each_second=12_000, shards=2).share == pytest.approx(0.5)

    def test_lets_a_call_take_more_than_is_left_and_pays_for_it(self):
        outcome = ran([reading(units=8)], each_second=1, seconds=6, reads=3.0)
        assert outcome.share_by_step == [0, 1, 0, 1, 1, 0]


class TestAPage:
    def test_makes_no_later_call_when_one_is_throttled(self):
        calls = [reading(), reading(Partition("shop", "", "elsewhere"), at=2)]
        outcome = ran(calls, each_second=6_000, seconds=1)
        assert outcome.calls == pytest.approx(6_000 + 3_000)
        assert outcome.share == pytest.approx(3_000 / 9_000)

    def test_makes_all_calls_of_a_round(self):
        calls = [reading(), reading(Partition("shop", "", "elsewhere"))]
        assert ran(calls, each_second=6_000, seconds=1).calls == pytest.approx(12_000)

    def test_is_bound_by_the_narrowest_of_the_partitions_of_a_call(self):
        call = Call("TransactWriteItems", 1, (Use(ITEM, 1), Use(COUNTER, 1)), 2)
        outcome = ran([call], each_second=2_000, seconds=1)
        assert outcome.share == pytest.approx(0.5)
        assert list(outcome.refused) == [COUNTER]


class TestTraffic:
    @pytest.mark.parametrize("traffic", traffics(1_000), ids=lambda one: one.name)
    def test_has_shares_that_are_one_together(self, traffic):
        assert sum(map(traffic.share, KINDS)) == pytest.approx(1)

    def test_is_drawn_from_its_seed(self):
        arrivals = [Arrivals("page", 0, 0.25, [reading()])]
        traffic = Traffic("steady", 10_000_000, 50)
        one, same, other = (list(draw(traffic, arrivals, seed=seed)) for seed in (1, 1, 2))
        assert one == same != other
        assert np.mean(one) == pytest.approx(2_500_000, rel=0.001)

    def test_is_the_same_in_longer_steps(self):
        outcomes = []
        for step in (1, 10):
            arrivals = [Arrivals("page", 0, 1.0, [reading()])]
            counts = draw(Traffic("steady", 4_000, 200, step=step), arrivals, seed=1)
            outcomes.append(Model(arrivals, Limits(), {}).run(counts, step=step).share)
        assert outcomes[0] == pytest.approx(outcomes[1], rel=0.02)

    def test_follows_a_day(self):
        hours = [day(hour * DAY / 24) for hour in range(24)]
        assert (max(hours), hours.index(max(hours))) == (1, 20)
        assert min(hours) == pytest.approx(0.2)

    def test_is_about_products_by_zipfs_law(self):
        shares = zipf(10, among=10)
        assert sum(shares) == pytest.approx(1)
        assert shares[0] == pytest.approx(5 * shares[4])
