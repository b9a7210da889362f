"""What is owed is stored, claimed, done once, and moved when it fails."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any

import pytest

from dynapages.calls import Unreachable, clock, metered
from dynapages.work import Postponed, Queue, Worker, queues
from dynapages.work.queues import ERRORS, ITEMS_PER_QUERY, MOST_CLAIMS, POSTPONED, Outcome
from dynapages.writes import write_transaction

NOW = datetime(2026, 11, 20, 9, 30, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@dataclass
class Time:
    """A clock that goes on when it is told to."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, time: timedelta) -> None:
        self.now += time


@dataclass
class Notes:
    """A handler that notes what it is passed, and raises each of ``errors`` first."""

    errors: list[BaseException] = field(default_factory=list)
    noted: list[Any] = field(default_factory=list)

    def __call__(self, payload: Mapping[str, Any]) -> None:
        self.noted.append(payload["text"])
        if self.errors:
            raise self.errors.pop(0)


@pytest.fixture
def time(monkeypatch):
    clock_of_test = Time()
    monkeypatch.setattr(clock, "now", clock_of_test)
    return clock_of_test


@pytest.fixture(scope="module")
def table(new_table):
    return new_table()


@pytest.fixture
def make_queue(client, table, fresh):
    """Makes queues as several processes have them, of the same items."""
    name = fresh("DUE")

    def make() -> Queue:
        return Queue("notes", table, lambda shard: f"{name}#{shard}", client=lambda: client)

    return make


@pytest.fixture
def queue(make_queue):
    return make_queue()


@pytest.fixture
def notes(queue):
    handler = Notes()
    queue.register("note", handler)
    return handler


@pytest.fixture
def owe(queue, client, time):
    """Stores something that is owed."""

    def store(text: str = "a", *, kind: str = "note", after: timedelta = timedelta(0)):
        owed = queue.owe(kind, {"text": text}, after=after)
        write_transaction(client, [owed.action])
        return owed

    return store


@pytest.fixture
def look(queue):
    worker = Worker()

    def look() -> tuple[int, int, int]:
        figures = worker.look([queue])
        return figures.done, figures.failed, figures.dead

    return look


class TestWhatIsOwed:
    def test_is_passed_to_the_handler_of_its_kind_and_is_gone(self, queue, notes, owe, look):
        owe("Grüße")
        assert look() == (1, 0, 0)
        assert notes.noted == ["Grüße"]
        assert list(queue.waiting()) == []

    def test_is_left_until_it_is_due(self, queue, notes, owe, look, time):
        owe(after=MINUTE)
        assert look() == (0, 0, 0)
        assert len(list(queue.waiting())) == 1
        time.pass_by(MINUTE)
        assert look() == (1, 0, 0)

    def test_is_attempted_before_by_whoever_asks_for_it(self, queue, notes, owe, time):
        owed = owe(after=MINUTE)
        assert queue.attempt(owed) is Outcome.DONE
        assert list(queue.waiting()) == []

    def test_is_done_by_deleting_it(self, queue, notes, owe, look):
        owed = owe()
        queue.done(owed)
        queue.done(owed)
        assert look() == (0, 0, 0)

    def test_is_read_as_it_was_written(self, queue, owe):
        owed = owe("a text")
        assert list(queue.waiting()) == [owed]

    def test_is_listed_up_to_a_moment_by_who_needs_no_more(self, queue, owe, time):
        soon, later = owe(after=MINUTE), owe(after=2 * MINUTE)
        assert list(queue.waiting(until=soon.moment)) == [soon]
        assert list(queue.waiting(until=soon.moment - timedelta(microseconds=1))) == []
        assert sorted(queue.waiting(), key=attrgetter("moment")) == [soon, later]

    def test_is_not_attempted_when_another_has_done_it_meanwhile(self, queue, notes, owe):
        owed = owe()
        queue.done(owed)
        assert queue.attempt(owed) is Outcome.LEFT
        assert notes.noted == []

    def test_is_found_however_much_it_is(self, queue, notes, owe, look):
        for number in range(4 * ITEMS_PER_QUERY):
            owe(str(number))
        assert look() == (4 * ITEMS_PER_QUERY, 0, 0)
        assert len(set(notes.noted)) == 4 * ITEMS_PER_QUERY

    def test_is_spread_over_all_shards(self, queue, owe):
        for _ in range(40):
            owe()
        found = [list(queue.due(shard, now=NOW)) for shard in queue.shards]
        assert len(found) == 4
        assert all(found)

    def test_may_be_of_a_table_with_other_names_of_keys(self, client, table, fresh, time):
        """Its index has keys of other names; a put into the table shows what was built."""
        queue = Queue(
            "notes",
            table,
            fresh("DUE").__add__,
            client=lambda: client,
            partition_key="p",
            sort_key="s",
        )
        owed = queue.owe("note", {})
        assert owed.action["Put"]["Item"]["s"] == {"S": owed.sort_key}
        assert "pk" not in owed.action["Put"]["Item"]


class TestWhatIsOwedOnceInASpan:
    @pytest.fixture
    def owe_once(self, queue, client, time):
        def store(text: str = "a"):
            owed = queue.owe_once("note", {"text": text}, every=5 * MINUTE)
            write_transaction(client, [owed.action])
            return owed

        return store

    def test_is_one_item_however_often_it_is_owed(self, queue, notes, owe_once, look, time):
        for _ in range(10):
            owe_once()
        assert len(list(queue.waiting())) == 1
        time.pass_by(5 * MINUTE + queues.CLOCKS_DIFFER)
        assert look() == (1, 0, 0)

    def test_is_due_within_the_span(self, owe_once, time):
        for _ in range(20):
            wait = owe_once().moment - time.now
            assert queues.CLOCKS_DIFFER < wait <= 5 * MINUTE + queues.CLOCKS_DIFFER
            time.pass_by(MINUTE / 3)

    def test_is_owed_again_where_others_may_have_begun(self, queue, notes, owe_once, look, time):
        first = owe_once()
        time.now = first.moment - queues.CLOCKS_DIFFER
        second = owe_once()
        assert second.moment == first.moment + 5 * MINUTE
        time.now = first.moment
        assert look() == (1, 0, 0)
        assert list(queue.waiting()) == [second]

    def test_is_due_at_another_moment_for_another_payload(self, owe_once):
        assert len({owe_once(text).moment for text in "abcdefgh"}) == 8


class TestAnEmptyLook:
    @pytest.mark.real_engine
    def test_costs_half_a_unit_for_each_shard(self, queue, time):
        assert Worker().look([queue]).units == 2.0

    @pytest.mark.real_engine
    def test_reads_nothing_of_what_is_not_due(self, queue, owe):
        for _ in range(8):
            owe(after=MINUTE)
        with metered() as cost:
            Worker().look([queue])
        assert sum(call.items_read for call in cost.log) == 0


@pytest.mark.real_engine
class TestTheCost:
    """What docs/work.md says."""

    def test_of_an_item_is_four_units(self, queue, notes, owe):
        with metered() as cost:
            queue.attempt(owe())
        assert cost.units == 4.0

    def test_of_one_that_its_owner_does_is_three(self, queue, owe):
        with metered() as cost:
            queue.done(owe())
        assert cost.units == 3.0

    def test_of_a_failed_attempt_is_five(self, queue, notes, owe):
        notes.errors.append(Unreachable())
        owed = owe()
        with metered() as cost:
            queue.attempt(owed)
        assert cost.units == 5.0


class TestALease:
    @pytest.fixture
    def killed(self, queue, notes, owe):
        """What a process was working on when it was killed."""
        owed = owe()
        notes.errors.append(KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            queue.attempt(owed)
        return owed

    def test_keeps_others_away(self, killed, look, time):
        time.pass_by(MINUTE)
        assert look() == (0, 0, 0)

    def test_keeps_those_away_who_have_read_the_item_before(self, killed, queue):
        assert queue.attempt(killed) is Outcome.LEFT

    def test_ends_after_a_minute_and_another_does_the_work(self, killed, notes, look, time):
        time.pass_by(MINUTE + timedelta(seconds=1))
        assert look() == (1, 0, 0)
        assert notes.noted == ["a", "a"]

    def test_lasts_as_long_as_the_handler_is_registered_with(self, queue, notes, owe, look, time):
        queue.register("note", notes, lease=10 * MINUTE)
        notes.errors.append(KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            queue.attempt(owe())
        time.pass_by(9 * MINUTE)
        assert look() == (0, 0, 0)
        time.pass_by(2 * MINUTE)
        assert look() == (1, 0, 0)

    def test_of_work_that_kills_whoever_does_it_is_given_so_often_only(
        self, queue, notes, owe, look, time
    ):
        owe()
        for _ in range(MOST_CLAIMS):
            notes.errors.append(KeyboardInterrupt())
            with pytest.raises(KeyboardInterrupt):
                look()
            time.pass_by(2 * MINUTE)
        assert look() == (0, 0, 1)
        (dead,) = queue.dead()
        assert dead.failure == "It was begun 20 times, and no process came to its end."

    def test_that_is_over_lets_a_late_failure_change_nothing(
        self, queue, make_queue, notes, owe, time
    ):
        """Another process has done the work while this one was held up."""
        owed = owe()
        other = make_queue()
        other.register("note", lambda _payload: None)

        def overtaken(_payload: Mapping[str, Any]) -> None:
            time.pass_by(2 * MINUTE)
            assert other.attempt(owed) is Outcome.DONE
            raise Unreachable

        queue.register("note", overtaken)
        assert queue.attempt(owed) is Outcome.LEFT
        assert list(queue.waiting()) == []

    def test_bounds_the_calls_of_a_handler(self, queue, client, table, owe, look):
        queue.register(
            "note",
            lambda _payload: client.describe_table(TableName=table),
            lease=timedelta(microseconds=1),
        )
        owed = owe()
        with pytest.raises(Exception, match="took too long"):
            queue.attempt(owed)


class TestAFaultOfDynamoDB:
    def test_moves_the_work_to_later(self, queue, notes, owe, look, time):
        owe()
        notes.errors.append(Unreachable())
        assert look() == (0, 1, 0)
        (moved,) = queue.waiting()
        assert moved.moment == NOW + timedelta(seconds=30)
        assert moved.failure == "The database cannot be reached at the moment."
        assert look() == (0, 0, 0)
        time.pass_by(timedelta(seconds=30))
        assert look() == (1, 0, 0)

    def test_is_retried_for_ever_every_ten_minutes_at_last(self, queue, notes, owe, look, time):
        owe()
        pauses = []
        for _ in range(20):
            notes.errors.append(Unreachable())
            assert look() == (0, 1, 0)
            (moved,) = queue.waiting()
            pauses.append((moved.moment - time.now).total_seconds())
            time.now = moved.moment
        assert pauses[:5] == [30, 60, 120, 240, 480]
        assert set(pauses[5:]) == {600}

    def test_does_not_count_towards_the_attempts_that_an_error_has(
        self, queue, notes, owe, look, time
    ):
        owe()
        notes.errors.extend(Unreachable() for _ in range(20))
        notes.errors.append(ValueError())
        for _ in range(21):
            look()
            time.pass_by(timedelta(hours=1))
        assert list(queue.dead()) == []


class TestAnErrorOfAHandler:
    def test_is_logged_with_its_traceback(self, queue, notes, owe, look, caplog):
        owe()
        notes.errors.append(ZeroDivisionError("of bob"))
        assert look() == (0, 1, 0)
        assert "ZeroDivisionError: of bob" in caplog.text
        (moved,) = queue.waiting()
        assert moved.failure == "ZeroDivisionError: the log has the rest."

    def test_does_not_keep_others_from_being_done(self, queue, notes, owe, look):
        for text in "abc":
            owe(text)
        notes.errors.append(ZeroDivisionError())
        assert look() == (2, 1, 0)

    def test_is_given_up_after_so_many_attempts(self, queue, notes, owe, look, time):
        owe()
        died = 0
        for attempt in range(1, ERRORS.most + 1):
            notes.errors.append(ZeroDivisionError())
            _done, _failed, died = look()
            assert died == (attempt == ERRORS.most)
            time.pass_by(timedelta(hours=1))
        assert look() == (0, 0, 0)
        assert list(queue.waiting()) == []


class TestAFaultOfAnotherSystem:
    def test_is_retried_for_eight_hours(self, queue, notes, owe, look, time):
        owe()
        for _ in range(POSTPONED.most - 1):
            notes.errors.append(Postponed("The mail server is away."))
            assert look() == (0, 1, 0)
            (moved,) = queue.waiting()
            time.now = moved.moment
        hours = (time.now - NOW) / timedelta(hours=1)
        assert 8 <= hours < 9
        notes.errors.append(Postponed("The mail server is away."))
        assert look() == (0, 0, 1)

    def test_is_said_in_the_words_of_the_handler(self, queue, notes, owe, look):
        owe()
        notes.errors.append(Postponed("The mail server is away."))
        look()
        assert [one.failure for one in queue.waiting()] == ["The mail server is away."]


class TestAnotherSystemThatIsAway:
    @pytest.fixture
    def away(self, notes):
        notes.errors.append(Postponed("The mail server is away.", is_away=True))

    def test_is_waited_for_once_in_a_minute(self, away, notes, owe, look, time):
        for text in "abc":
            owe(text)
        assert look() == (0, 1, 0)
        assert len(notes.noted) == 1
        time.pass_by(MINUTE)
        assert look() == (3, 0, 0)

    def test_keeps_nothing_of_another_kind_from_being_done(self, away, queue, owe, look):
        others = Notes()
        queue.register("other", others)
        owe()
        look()
        owe("b", kind="other")
        assert look() == (1, 0, 0)


class TestOneOfSeveralSystemsThatIsAway:
    @pytest.fixture
    def notes(self, queue):
        """Notes of a kind of which each thing needs the system that it is called by."""
        handler = Notes([Postponed("A is away.", is_away=True)])
        queue.register("note", handler, system=lambda payload: payload["text"])
        return handler

    def test_is_waited_for_while_the_others_are_not(self, notes, owe, look, time):
        owe("a")
        assert look() == (0, 1, 0)
        for text in "ab":
            owe(text)
        assert look() == (1, 0, 0)
        assert notes.noted == ["a", "b"]
        time.pass_by(MINUTE)
        assert look() == (2, 0, 0)
        assert notes.noted == ["a", "b", "a", "a"]


class TestWhatIsOwedUnderATokenOfItsOwn:
    TOKEN = "0123456789abcdef"  # noqa: S105 - no secret

    @pytest.fixture
    def owe_again(self, queue, client):
        """Stores the same thing, as a handler does that is called again."""

        def store(*, token: str = self.TOKEN, since: datetime = NOW):
            owed = queue.owe("note", {"text": "a"}, since=since, token=token)
            write_transaction(client, [owed.action])
            return owed

        return store

    def test_is_stored_once(self, queue, owe_again, time):
        first = owe_again()
        time.pass_by(MINUTE)
        assert owe_again() == first
        assert list(queue.waiting()) == [first]

    def test_is_due_from_its_moment_on(self, notes, owe_again, look, time):
        owe_again(since=NOW + MINUTE)
        assert look() == (0, 0, 0)
        time.pass_by(MINUTE)
        assert look() == (1, 0, 0)

    def test_is_another_thing_by_another_token(self, queue, owe_again, time):
        owe_again()
        owe_again(token="fedcba9876543210")
        assert len(list(queue.waiting())) == 2


class TestAKindThatIsNotKnown:
    def test_is_left_to_processes_that_know_it(self, queue, make_queue, owe, look, caplog):
        owe(kind="newer")
        assert look() == (0, 0, 0)
        assert look() == (0, 0, 0)
        assert caplog.messages == ["notes: nothing here does 'newer'; it is left to others."]
        newer = make_queue()
        newer.register("newer", Notes())
        assert Worker().look([newer]).done == 1


class TestTheDead:
    @pytest.fixture
    def dead(self, queue, notes, owe, look, time):
        owe("a")
        notes.errors.extend(ZeroDivisionError() for _ in range(ERRORS.most))
        for _ in range(ERRORS.most):
            time.pass_by(timedelta(hours=1))
            look()
        (dead,) = queue.dead()
        return dead

    def test_have_the_moment_at_which_they_were_given_up_and_the_last_failure(self, dead, time):
        assert dead.moment == time.now
        assert dead.owed_at == NOW
        assert dead.attempts == ERRORS.most
        assert dead.failure.startswith("ZeroDivisionError")

    @pytest.mark.usefixtures("dead")
    def test_are_counted_up_to_a_limit(self, queue):
        assert (queue.count_dead(20), queue.count_dead(1)) == (1, 1)

    def test_are_not_counted_any_more_once_they_are_discarded(self, queue, dead):
        queue.discard(dead)
        assert queue.count_dead(20) == 0

    def test_are_found_by_their_sort_keys(self, queue, dead):
        assert queue.find_dead(dead.sort_key) == dead
        assert queue.find_dead("2026-11-20T09:30:00.000000Z#other") is None

    def test_are_due_again_when_they_are_retried_with_all_their_attempts(
        self, queue, dead, look, notes
    ):
        assert queue.retry(dead)
        (waiting,) = queue.waiting()
        assert (waiting.attempts, waiting.failures) == (0, 0)
        assert list(queue.dead()) == []
        assert look() == (1, 0, 0)

    def test_are_retried_once_when_two_ask_for_it(self, queue, dead):
        assert queue.retry(dead)
        assert queue.retry(dead) is None
        assert len(list(queue.waiting())) == 1

    def test_are_gone_when_they_are_discarded(self, queue, dead):
        queue.discard(dead)
        queue.discard(dead)
        assert list(queue.dead()) == []
        assert not queue.retry(dead)


def test_a_failure_is_logged_with_the_number_of_the_attempt(queue, notes, owe, look, caplog):
    caplog.set_level(logging.WARNING)
    owe()
    notes.errors.append(Unreachable())
    look()
    assert caplog.messages == [
        "notes: note failed for the 1. time. The database cannot be reached at the moment."
    ]
