"""The thread of a process: when it looks, what wakes it, and what it does at the end."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from dynapages.calls import Unreachable, units_of_process
from dynapages.work import Queue, Worker, worker, workers
from dynapages.writes import write_transaction

LONG = 30.0
"""Seconds in which even a busy machine comes to it."""


@pytest.fixture(scope="module")
def table(new_table):
    return new_table()


class Handler:
    """Notes what it is passed; ``is_called`` once it was."""

    def __init__(self) -> None:
        self.noted: list[Any] = []
        self.is_called = Event()

    def __call__(self, payload: Mapping[str, Any]) -> None:
        self.noted.append(payload["text"])
        self.is_called.set()


@pytest.fixture
def handler():
    return Handler()


@pytest.fixture
def broken(client):
    """Events of the client's calls while DynamoDB is away."""

    def refuse(**_: object) -> None:
        raise Unreachable

    class Broken:
        def __init__(self) -> None:
            self.is_broken = False

        def __getattr__(self, name: str) -> Any:
            return refuse if self.is_broken and name == "update_item" else getattr(client, name)

    return Broken()


@pytest.fixture
def queue(broken, table, fresh, handler):
    name = fresh("DUE")
    queue = Queue("notes", table, lambda shard: f"{name}#{shard}", client=lambda: broken)
    queue.register("note", handler)
    return queue


@pytest.fixture
def owe(queue, client):
    """Stores something that is due in an hour, so that no look finds it."""

    def store(text: str = "a"):
        owed = queue.owe("note", {"text": text}, after=timedelta(hours=1))
        write_transaction(client, [owed.action])
        return owed

    return store


@pytest.fixture
def by_hand():
    """A worker without a thread."""
    worker = Worker()
    worker.runs_by_itself = False
    return worker


@pytest.fixture
def by_itself() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.close(seconds=LONG)


class TestAProcessThatWasStarted:
    @pytest.fixture(autouse=True)
    def without_a_first_pause(self, monkeypatch):
        monkeypatch.setattr("dynapages.work.workers.FIRST_LOOK", 0.1)

    def test_looks_by_itself(self, by_itself, queue, client, handler):
        write_transaction(client, [queue.owe("note", {"text": "a"}).action])
        by_itself.start([queue])
        assert handler.is_called.wait(LONG)

    def test_looks_again_and_again_in_the_queues_of_any_iterable(self, queue, client, handler):
        worker = Worker(interval=0.1)
        try:
            worker.start(each for each in [queue])
            for _ in range(2):
                write_transaction(client, [queue.owe("note", {"text": "a"}).action])
                assert handler.is_called.wait(LONG)
                handler.is_called.clear()
        finally:
            worker.close(seconds=LONG)

    def test_looks_again_at_once_where_what_it_did_owes_more(self, queue, client, handler):
        def owe_more(_payload: object) -> None:
            write_transaction(client, [queue.owe("note", {"text": "more"}).action])

        queue.register("beginning", owe_more)
        write_transaction(client, [queue.owe("beginning", {}).action])
        worker = Worker(interval=100 * LONG)
        try:
            worker.start([queue])
            assert handler.is_called.wait(LONG)
        finally:
            worker.close(seconds=LONG)

    def test_attempts_at_once_what_it_is_woken_for(self, by_itself, queue, owe, handler):
        by_itself.start([queue])
        by_itself.wake(owe())
        assert handler.is_called.wait(LONG)
        assert by_itself.flush(LONG)
        assert list(queue.waiting()) == []

    def test_attempts_it_again_while_the_database_is_away(
        self, by_hand, queue, owe, handler, broken
    ):
        by_hand.start([queue])
        owed = owe()
        broken.is_broken = True
        by_hand.wake(owed)
        by_hand.flush(0.01)
        assert len(by_hand) == 1
        assert handler.noted == []
        broken.is_broken = False
        assert by_hand.flush(LONG)
        assert handler.noted == ["a"]

    def test_leaves_it_to_the_looks_after_some_attempts(
        self, by_hand, queue, owe, broken, monkeypatch, caplog
    ):
        monkeypatch.setattr(workers, "PAUSES", (0, 0))
        by_hand.start([queue])
        broken.is_broken = True
        by_hand.wake(owe())
        assert by_hand.flush(LONG)
        assert caplog.messages == [
            "What is owed was left to others: The database cannot be reached at the moment."
        ]
        assert len(list(queue.waiting())) == 1

    def test_counts_what_it_does(self, by_hand, queue, owe):
        by_hand.start([queue])
        by_hand.wake(owe())
        by_hand.flush(LONG)
        assert (by_hand.figures.done, by_hand.figures.failed, by_hand.figures.dead) == (1, 0, 0)
        assert by_hand.figures.units > 0


class TestWhatAProcessIsWokenForMeanwhile:
    """A look has found many items, and while it does the first of them others are asked for."""

    @pytest.fixture(autouse=True)
    def without_a_first_pause(self, monkeypatch):
        monkeypatch.setattr(workers, "FIRST_LOOK", 0.1)

    @pytest.fixture
    def found(self, queue, client):
        """Three items that a look finds."""
        for _ in range(3):
            write_transaction(client, [queue.owe("found", {"text": "found"}).action])

    @pytest.fixture
    def looking(self, found, queue, handler):
        """Looks by itself; ``meanwhile`` is called once, by the first item."""
        looker = Worker(interval=100 * LONG)
        is_over = Event()

        def look(meanwhile: Callable[[Worker], None]) -> None:
            def note_found(payload: Mapping[str, Any]) -> None:
                handler(payload)
                if len(handler.noted) == 1:
                    meanwhile(looker)
                if handler.noted.count("found") == 3:
                    is_over.set()

            queue.register("found", note_found)
            looker.start([queue])
            assert is_over.wait(LONG)
            looker.forget()
            looker.close(LONG)

        yield look
        looker.forget()
        looker.close(LONG)

    def test_comes_before_the_next_item(self, looking, owe, handler):
        looking(lambda looker: looker.wake(owe("woken")))
        assert handler.noted == ["found", "woken", "found", "found"]

    def test_comes_between_the_steps_of_an_item_that_takes_long(self, looking, owe, handler):
        def take_long(looker: Worker) -> None:
            looker.wake(owe("woken"))
            looker.make_due_calls()
            handler.noted.append("the next step")

        looking(take_long)
        assert handler.noted[:3] == ["found", "woken", "the next step"]

    def test_comes_later_where_it_is_not_due(self, looking, owe, handler):
        looking(lambda looker: looker.later(LONG / 2, lambda: handler.noted.append("late")))
        assert handler.noted[:3] == ["found"] * 3

    def test_holds_up_no_item_by_what_it_puts_off_itself(self, looking, handler):
        """A call that is put off anew each time it is made comes once before each item."""

        def begin(looker: Worker) -> None:
            def again() -> None:
                handler.noted.append("again")
                looker.later(0, again)

            looker.later(0, again)

        looking(begin)
        assert handler.noted[:5] == ["found", "again", "found", "again", "found"]

    def test_may_fail_and_the_look_goes_on(self, looking, handler, caplog):
        def fail() -> None:
            raise Unreachable

        looking(lambda looker: looker.later(0, fail))
        assert handler.noted == ["found"] * 3
        assert "The database cannot be reached at the moment." in caplog.text

    def test_is_counted_once(self, looking, owe):
        owed = owe("woken")
        lookers: list[Worker] = []

        def wake(looker: Worker) -> None:
            lookers.append(looker)
            looker.wake(owed)

        with units_of_process() as units:
            looking(wake)
        [looker] = lookers
        assert looker.figures.done == 4
        assert looker.figures.units == units.counted

    def test_is_waited_for_by_who_closes_the_worker(self, found, queue, owe, handler):
        """The look ends with the item in hand, and what was woken for is done then."""
        closing = Worker(interval=100 * LONG)
        is_begun, is_closing = Event(), Event()

        def hold(payload: Mapping[str, Any]) -> None:
            handler(payload)
            is_begun.set()
            assert is_closing.wait(LONG)

        queue.register("found", hold)
        closing.start([queue])
        assert is_begun.wait(LONG)
        closing.wake(owe("woken"))
        closing.stop_looking()
        is_closing.set()
        closing.close(LONG)
        assert handler.noted == ["found", "woken"]

    def test_is_left_to_the_thread_by_a_look_of_another(self, by_hand, found, queue, handler):
        queue.register("found", handler)
        by_hand.later(0, lambda: handler.noted.append("woken"))
        by_hand.look([queue])
        assert handler.noted == ["found"] * 3
        assert len(by_hand) == 1


class TestAProcessThatWasNotStarted:
    def test_leaves_what_it_owes_to_others(self, queue, owe, handler):
        bystander = Worker()
        bystander.wake(owe())
        assert len(bystander) == 0
        assert bystander.flush(LONG)
        assert handler.noted == []

    def test_makes_by_a_thread_what_was_put_off(self, by_itself):
        is_called = Event()
        by_itself.later(0, is_called.set)
        assert is_called.wait(LONG)


class TestACallThatWasPutOff:
    def test_is_made_by_whoever_waits_for_it(self, by_hand):
        made: list[str] = []
        by_hand.later(0.02, lambda: made.append("second"))
        by_hand.later(0.01, lambda: made.append("first"))
        assert by_hand.flush(LONG)
        assert made == ["first", "second"]

    def test_is_left_where_there_is_no_time(self, by_hand):
        by_hand.later(LONG, lambda: None)
        assert not by_hand.flush(0)
        assert len(by_hand) == 1

    def test_may_have_others_made_between_its_steps(self, by_itself):
        made: list[str] = []
        is_over = Event()

        def take_long() -> None:
            by_itself.later(0, lambda: made.append("the other"))
            by_itself.make_due_calls()
            made.append("the next step")
            is_over.set()

        by_itself.later(0, take_long)
        assert is_over.wait(LONG)
        assert made == ["the other", "the next step"]

    def test_is_left_to_the_thread_by_steps_that_another_one_takes(self, by_hand):
        made: list[str] = []
        by_hand.later(0, lambda: made.append("a"))
        by_hand.make_due_calls()
        assert made == []
        assert len(by_hand) == 1

    def test_may_fail_and_the_others_are_made(self, by_hand, caplog):
        made: list[str] = []

        def fail(error: Exception) -> None:
            raise error

        by_hand.later(0, lambda: fail(Unreachable()))
        by_hand.later(0, lambda: fail(ZeroDivisionError()))
        by_hand.later(0, lambda: made.append("third"))
        assert by_hand.flush(LONG)
        assert made == ["third"]
        assert "The database cannot be reached at the moment." in caplog.text
        assert "ZeroDivisionError" in caplog.text


class TestTheEndOfAProcess:
    def test_makes_the_calls_that_wait(self, by_hand):
        made: list[str] = []
        by_hand.later(0, lambda: made.append("a"))
        by_hand.close(LONG)
        assert made == ["a"]

    def test_ends_the_looking_when_the_item_in_hand_is_done(self, queue, client, handler):
        """One of two that are due is done, the other left to other processes."""
        for text in "ab":
            write_transaction(client, [queue.owe("note", {"text": text}).action])
        ending = Worker()
        ending.runs_by_itself = False

        def close(payload: Mapping[str, Any]) -> None:
            handler(payload)
            ending.stop_looking()

        queue.register("note", close)
        ending.look([queue])
        assert len(handler.noted) == 1
        assert len(list(queue.waiting())) == 1


class TestAForkedProcess:
    def test_begins_with_nothing_and_makes_no_calls(self, by_hand, queue, owe):
        by_hand.start([queue])
        by_hand.wake(owe())
        by_hand._begin()  # what the fork calls in the child
        assert len(by_hand) == 0
        by_hand.wake(owe())
        assert len(by_hand) == 0


class TestTheWorkerOfAProcess:
    def test_is_one(self):
        assert worker() is worker()

    def test_is_closed_at_the_end(self):
        """A program that puts off a call ends when that was made."""
        program = "from dynapages.work import worker\nworker().later(0.2, lambda: print('made'))\n"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            check=True,
            text=True,
        )
        assert ended.stdout == "made\n"
