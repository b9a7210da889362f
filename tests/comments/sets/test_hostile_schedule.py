"""The copies come out right, whatever happens to the records and to whoever applies them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages.items import Item
from tests.support.chance import examples
from tests.support.sets.fake_table import Crash, FakeTable
from tests.support.sets.items import all_items, primary_item

COMMENTS = ("a", "b", "c")

contents = st.none() | st.fixed_dictionaries(
    {
        "product_id": st.sampled_from(["1", "2"]),
        "language": st.sampled_from(["en", "de"]),
        "rating": st.integers(1, 5),
        "title": st.sampled_from(["x", "y"]),
    }
)


@dataclass(frozen=True)
class Change:
    """Somebody writes, edits, moves, deletes or writes again a comment."""

    comment: str
    content: dict[str, object] | None


@dataclass(frozen=True)
class Deliver:
    """The next records are applied, and acknowledged unless that is cut short."""

    number: int
    crash_after: int | None
    meanwhile: Change | None
    meanwhile_after: int


@dataclass(frozen=True)
class Replay:
    """Records of the past are applied once more, in any order, as often as they are named."""

    picks: tuple[int, ...]
    crash_after: int | None


@dataclass(frozen=True)
class Rewind:
    """A restart from an older checkpoint."""

    by: int


changes = st.builds(Change, st.sampled_from(COMMENTS), contents)
moments = st.integers(1, 70)
crashes = st.none() | moments
replays = st.builds(Replay, st.lists(st.integers(0, 30), max_size=5).map(tuple), crashes)
steps = st.lists(
    changes
    | st.builds(Deliver, st.integers(1, 5), crashes, st.none() | changes, moments)
    | replays
    | st.builds(Rewind, st.integers(1, 6)),
    max_size=14,
)


class Schedule:
    """The table, what its comments say, and how far the stream was acknowledged."""

    def __init__(self, seed: int) -> None:
        self.table = FakeTable(seed)
        self.primaries: dict[str, Item] = {}
        self.checkpoint = 0

    def run(self, step: object) -> None:
        if isinstance(step, Change):
            self.change(step)
        elif isinstance(step, Deliver):
            self.deliver(step)
        elif isinstance(step, Replay):
            self.replay(step)
        elif isinstance(step, Rewind):
            self.checkpoint = max(0, self.checkpoint - step.by)

    def change(self, change: Change) -> None:
        before = self.primaries.pop(change.comment, None)
        after = change.content and primary_item(change.comment, **change.content)
        if after is not None:
            self.primaries[change.comment] = after
        self.table.change(before, after)

    def deliver(self, step: Deliver) -> None:
        end = min(self.checkpoint + step.number, len(self.table.records))
        if step.meanwhile is not None:
            meanwhile = step.meanwhile
            self.table.expect(lambda: self.change(meanwhile), after=step.meanwhile_after)
        if self.apply(self.table.records[self.checkpoint : end], crash_after=step.crash_after):
            self.checkpoint = end

    def replay(self, step: Replay) -> None:
        records = self.table.records
        picked = [records[pick % len(records)] for pick in step.picks] if records else []
        self.apply(picked, crash_after=step.crash_after)

    def apply(self, records: Sequence[object], *, crash_after: int | None = None) -> bool:
        """Apply records with a consumer of their own; tell whether it lived to the end."""
        if crash_after is not None:
            self.table.expect(_crash, after=crash_after)
        done = False
        with suppress(Crash):
            self.table.writer().apply(records)
            done = True
        self.table.accidents.clear()
        return done

    def drain(self) -> None:
        while self.checkpoint < len(self.table.records):
            self.deliver(Deliver(3, None, None, 0))


@given(schedule=steps, seed=st.integers(0, 1_000))
@settings(max_examples=examples(400))
def test_copies_are_exact_after_duplicates_reordering_crashes_and_restarts(schedule, seed):
    hostile = Schedule(seed)
    for step in schedule:
        hostile.run(step)
    hostile.drain()
    assert hostile.table.items == all_items(hostile.primaries.values())


@given(
    before=st.lists(changes, max_size=6),
    overtaken=replays,
    moment=moments,
    meanwhile=st.lists(changes, max_size=3),
    seed=st.integers(0, 1_000),
)
@settings(max_examples=examples(300))
def test_a_consumer_that_another_one_overtakes_leaves_nothing_behind(
    before, overtaken, moment, meanwhile, seed
):
    hostile = Schedule(seed)
    for change in before:
        hostile.change(change)

    def overtake() -> None:
        for change in meanwhile:
            hostile.change(change)
        hostile.drain()

    hostile.table.expect(overtake, after=moment)
    hostile.replay(Replay(overtaken.picks, crash_after=None))
    hostile.drain()
    assert hostile.table.items == all_items(hostile.primaries.values())


@given(before=st.lists(changes, min_size=1, max_size=8), picks=st.lists(st.integers(0, 30)))
def test_a_stale_record_does_no_harm_though_none_follows_it(before, picks):
    hostile = Schedule(0)
    for change in before:
        hostile.change(change)
    hostile.drain()
    for pick in picks:
        hostile.replay(Replay((pick,), crash_after=None))
        assert hostile.table.items == all_items(hostile.primaries.values())


@pytest.mark.parametrize("crash_after", range(1, 56))
def test_a_crash_between_any_two_writes_of_an_edit_is_made_up_for(crash_after):
    hostile = Schedule(crash_after)
    en_5 = {"product_id": "1", "language": "en", "rating": 5, "title": "x"}
    hostile.change(Change("a", en_5))
    hostile.drain()
    hostile.change(Change("a", en_5 | {"language": "de", "rating": 3}))
    hostile.deliver(Deliver(1, crash_after, None, 0))
    assert hostile.checkpoint == 1
    assert hostile.table.items != all_items(hostile.primaries.values())
    hostile.drain()
    assert hostile.table.items == all_items(hostile.primaries.values())


def _crash() -> None:
    raise Crash
