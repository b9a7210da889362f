"""Whatever is killed, fails or is overtaken: all that is owed is done, and nothing is left."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages.calls import Unreachable, clock
from dynapages.work import Postponed, Queue, Worker
from dynapages.writes import write_transaction
from dynapages_testing.chance import examples, unique

CALLS = {"query", "update_item", "delete_item", "transact_write_items"}
LONGER_THAN_A_LEASE = timedelta(minutes=2)


class Killed(BaseException):
    """What the end of a process is to what it was doing."""


@dataclass
class Mortal:
    """A client by which a process makes so many calls, and dies before or after the next one."""

    client: Any
    calls_left: int | None = None
    dies_before: bool = False

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.client, name)
        return self._bounded(call) if name in CALLS else call

    def _bounded(self, call: Any) -> Any:
        def make(**parameters: Any) -> Any:
            is_last = self.calls_left == 0
            if self.calls_left is not None:
                self.calls_left -= 1
            if is_last and self.dies_before:
                raise Killed
            answer = call(**parameters)
            if is_last:
                raise Killed
            return answer

        return make


@dataclass
class Site:
    """Two processes with the same queue, and what happens in their handlers."""

    client: Any
    table: str
    name: str
    now: datetime = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
    happenings: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    owed: set[str] = field(default_factory=set)
    may_repeat: bool = False

    def __post_init__(self) -> None:
        self.mortals = [Mortal(self.client), Mortal(self.client)]
        self.processes = [self.process(mortal) for mortal in self.mortals]

    def process(self, mortal: Mortal) -> tuple[Queue, Worker]:
        queue = Queue("q", self.table, lambda shard: f"{self.name}#{shard}", client=lambda: mortal)
        number = self.mortals.index(mortal)
        queue.register("note", lambda payload: self.handle(payload, 1 - number))
        return queue, Worker()

    def owe(self) -> None:
        text = str(len(self.owed))
        queue, _ = self.processes[0]
        write_transaction(self.client, [queue.owe("note", {"text": text}).action])
        self.owed.add(text)

    def look(self, number: int, calls: int | None = None, *, dies_before: bool = False) -> None:
        queue, worker = self.processes[number]
        mortal = self.mortals[number]
        mortal.calls_left, mortal.dies_before = calls, dies_before
        try:
            worker.look([queue])
        except Killed:
            self.may_repeat = True
        finally:
            mortal.calls_left = None

    def handle(self, payload: Mapping[str, Any], other: int) -> None:
        happening = self.happenings.pop() if self.happenings else "done"
        if happening == "throttled":
            raise Unreachable
        if happening == "mistaken":
            raise ZeroDivisionError
        if happening == "postponed":
            raise Postponed("Another system is away.")
        if happening == "overtaken":
            self.may_repeat = True
            self.now += LONGER_THAN_A_LEASE
            self.look(other)
        if happening == "met":
            self.look(other)
        if happening == "killed":
            raise Killed
        self.done[payload["text"]] += 1

    def settle(self) -> None:
        """Look until nothing is left, as long as the longest pause may be."""
        self.happenings.clear()
        queue, _ = self.processes[0]
        for number in range(20):
            if not list(queue.waiting()):
                return
            self.now += timedelta(hours=2)
            self.look(number % 2)
        pytest.fail(f"{list(queue.waiting())} are left")


LOOKS = st.tuples(
    st.just("look"),
    st.integers(0, 1),
    st.none() | st.integers(0, 12),
    st.booleans(),
)
STEPS = LOOKS | st.tuples(st.just("owe")) | st.tuples(st.just("pass"), st.integers(1, 400))
HAPPENINGS = st.sampled_from(
    ["done", "done", "throttled", "mistaken", "postponed", "overtaken", "met", "killed"]
)


@pytest.fixture(scope="module")
def table(new_table):
    return new_table()


def carried_out(site: Site, steps: list[tuple[Any, ...]]) -> Iterator[None]:
    for name, *arguments in steps:
        if name == "owe":
            site.owe()
        elif name == "pass":
            site.now += timedelta(seconds=arguments[0])
        else:
            number, calls, dies_before = arguments
            with suppress(Killed):
                site.look(number, calls, dies_before=dies_before)
        yield


class TestAnySchedule:
    @settings(max_examples=examples(100), deadline=None)
    @given(
        steps=st.lists(STEPS, max_size=12),
        happenings=st.lists(HAPPENINGS, max_size=7),
    )
    def test_does_all_and_leaves_nothing_and_repeats_only_after_a_kill_or_a_lease(
        self, client, table, steps, happenings
    ):
        site = Site(client, table, unique("DUE"), happenings=happenings)
        with patch.object(clock, "now", lambda: site.now):
            site.owe()
            for _ in carried_out(site, steps):
                pass
            site.settle()
            queue, _ = site.processes[0]
            assert list(queue.dead()) == []
        assert set(site.done) == site.owed
        if not site.may_repeat:
            assert set(site.done.values()) == {1}


class TestAKill:
    """Of the one process that does the work, at each of its calls."""

    @pytest.mark.parametrize("dies_before", [True, False], ids=["before", "after"])
    @pytest.mark.parametrize("calls", range(7))
    @pytest.mark.parametrize("happening", ["done", "throttled", "mistaken"])
    def test_loses_nothing(self, client, table, happening, calls, dies_before):
        site = Site(client, table, unique("DUE"), happenings=[happening])
        with patch.object(clock, "now", lambda: site.now):
            site.owe()
            site.look(0, calls, dies_before=dies_before)
            site.settle()
        assert set(site.done) == {"0"}
        assert site.done["0"] <= 2
