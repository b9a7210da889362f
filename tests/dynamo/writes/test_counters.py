"""Counters are exact, however many shards they have and whoever changes them."""

from collections import Counter as Sum
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.models import CommentItem
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.calls.meter import metered
from dynamo.writes.counters import MOST_SHARDS, Counters
from dynamo.writes.transactions import ConditionFailed, Transactions
from tests.support.chance import examples, unique

pytestmark = pytest.mark.usefixtures("tables")
TABLE = CommentItem.Meta.table_name


def key_of(name: str, shard: int) -> dict[str, str]:
    return {"pk": f"TEST#{name}#{shard}", "sk": f"TEST#{name}#{shard}"}


def make_counters(least_shards: int = 1) -> Counters:
    """Counters of a process that knows nothing yet."""
    batches = Batches(client(), pool())
    return Counters.of_table(batches, table=TABLE, key_of=key_of, least_shards=least_shards)


def change(counters: Counters, name: str, **deltas: int) -> None:
    Transactions(client()).write(lambda: [counters.change(name, deltas)])


@pytest.fixture
def name(fresh: Callable[[str], str]) -> str:
    return fresh("counter")


@pytest.mark.fallback
class TestACounter:
    def test_begins_at_nothing(self, name: str) -> None:
        assert make_counters().read(name) == {}

    def test_adds_up_what_its_cells_were_changed_by(self, name: str) -> None:
        counters = make_counters()
        change(counters, name, en=2, de=5)
        change(counters, name, en=1, de=-5)
        assert counters.read(name, consistent=True) == {"en": 3}

    def test_is_one_item_that_half_a_unit_reads(self, name: str) -> None:
        counters = make_counters()
        change(counters, name, en=1)
        with metered() as meter:
            counters.read(name)
        assert [call.operation for call in meter.calls] == ["BatchGetItem"]

    def test_refuses_a_change_that_changes_nothing(self, name: str) -> None:
        with pytest.raises(ValueError, match="changes nothing"):
            make_counters().change(name, {"en": 0})

    def test_is_read_together_with_others(self, name: str) -> None:
        counters = make_counters()
        change(counters, name, en=1)
        change(counters, f"{name}-2", de=2)
        read = counters.read_many([name, f"{name}-2", f"{name}-3"], consistent=True)
        assert read == {name: {"en": 1}, f"{name}-2": {"de": 2}, f"{name}-3": {}}


@pytest.mark.fallback
class TestSpreading:
    def test_keeps_the_sum(self, name: str) -> None:
        counters = make_counters()
        change(counters, name, en=7)
        counters.spread(name)
        assert counters.read(name, consistent=True) == {"en": 7}

    def test_doubles_the_shards_up_to_a_limit(self, name: str) -> None:
        counters = make_counters()
        counts = [counters.spread(name) for _ in range(8)]
        assert counts == [2, 4, 8, 16, 32, MOST_SHARDS, MOST_SHARDS, MOST_SHARDS]

    def test_uses_the_new_shards(self, name: str) -> None:
        counters = make_counters()
        counters.spread(name)
        counters.spread(name)
        keys = {
            str(counters.change(name, {"en": 1})["Update"]["Key"]["pk"]["S"]) for _ in range(200)
        }
        assert keys == {f"TEST#{name}#{shard}" for shard in range(4)}

    def test_is_seen_by_processes_that_have_not_heard_of_it(self, name: str) -> None:
        busy, other = make_counters(), make_counters()
        busy.spread(name)
        for _ in range(20):
            change(busy, name, en=1)
        change(other, name, en=1)
        assert other.read(name, consistent=True) == {"en": 21}

    def test_is_recorded_before_a_counter_that_begins_spread_is_written(self, name: str) -> None:
        counters = make_counters(least_shards=8)
        for _ in range(20):
            change(counters, name, en=1)
        assert make_counters().read(name, consistent=True) == {"en": 20}

    def test_loses_nothing_when_fewer_shards_are_asked_for_later(self, name: str) -> None:
        many, few = make_counters(least_shards=8), make_counters(least_shards=2)
        for _ in range(20):
            change(many, name, en=1)
        change(few, name, en=1)
        assert few.read(name, consistent=True) == {"en": 21}


@pytest.mark.fallback
class TestSettling:
    def test_makes_the_sums_what_they_should_be(self, name: str) -> None:
        counters = make_counters()
        counters.spread(name)
        for _ in range(10):
            change(counters, name, en=1, de=3)
        actions = counters.set_sums(name, {"en": 4, "de": 30, "fr": 2})
        Transactions(client()).write(lambda: actions)
        assert counters.read(name, consistent=True) == {"en": 4, "de": 30, "fr": 2}

    def test_asks_for_nothing_when_all_is_right(self, name: str) -> None:
        counters = make_counters()
        change(counters, name, en=1)
        assert counters.set_sums(name, {"en": 1, "de": 0}) == []

    @pytest.mark.parametrize("shards", [1, 4])
    def test_fails_when_a_cell_has_changed_meanwhile(self, name: str, shards: int) -> None:
        counters = make_counters(least_shards=shards)
        change(counters, name, en=1)
        actions = counters.set_sums(name, {"en": 5})
        change(counters, name, en=1)
        with pytest.raises(ConditionFailed):
            Transactions(client()).write(lambda: actions)
        assert counters.read(name, consistent=True) == {"en": 2}


STEPS = st.lists(
    st.one_of(
        st.just("spread"),
        st.just("another process"),
        st.dictionaries(
            st.sampled_from(["en.5", "en.1", "de.3"]),
            st.integers(-9, 9).filter(bool),
            min_size=1,
        ),
    ),
    max_size=12,
)


@given(steps=STEPS)
@settings(max_examples=examples(60))
def test_whatever_is_done_the_sum_is_that_of_all_changes(steps: list[str | dict[str, int]]) -> None:
    name, counters, truth = unique("counters"), make_counters(), Sum[str]()
    for step in steps:
        if step == "spread":
            counters.spread(name)
        elif isinstance(step, dict):
            change(counters, name, **step)
            truth.update(step)
        else:
            counters = make_counters()
    expected = {cell: number for cell, number in truth.items() if number}
    assert counters.read(name, consistent=True) == expected


@pytest.mark.real_engine
def test_many_writers_at_once_lose_nothing(name: str) -> None:
    counters = make_counters()
    with ThreadPoolExecutor(16) as threads:
        for number in range(100):
            threads.submit(change, counters, name, en=1)
            if number % 25 == 0:
                threads.submit(counters.spread, name)
    assert counters.read(name, consistent=True) == {"en": 100}
