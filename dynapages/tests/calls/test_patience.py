"""A batch job waits for a slow database, with fewer calls at a time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Barrier, Event
from typing import Any

import pytest

from dynapages.calls import (
    FAILURES,
    Backoff,
    Batches,
    OutOfTime,
    Patience,
    Pool,
    Throttled,
    Unreachable,
    build_client,
    fault_in,
    one_task,
    patient,
    size_of_batch,
    time_budget,
)
from dynapages.calls.patience import (
    SETTLING_SECONDS,
    SILENT_SECONDS,
    SLOW_SECONDS,
)
from dynapages.calls.pool import one_operation
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages.writes.transactions import Transactions, put

SLOW = SLOW_SECONDS + 0.5
QUICK = 0.01


@dataclass
class Clock:
    """Seconds that pass only where a test says so."""

    seconds: float = 1_000.0
    lines: list[str] = field(default_factory=list)

    def __call__(self) -> float:
        return self.seconds

    def patience(self, at_a_time: int = 16, *, seconds: float = 60.0) -> Patience:
        return Patience(at_a_time=at_a_time, say=self.lines.append, seconds=seconds, clock=self)


@pytest.fixture
def clock():
    return Clock()


def answered_slowly(clock: Clock, patience: Patience) -> None:
    clock.seconds += SETTLING_SECONDS + SLOW
    patience.note_answer(SLOW)


class TestTheNumberOfCalls:
    def test_is_at_first_the_most_that_is_allowed(self, clock):
        assert clock.patience(16).limit == 16

    @pytest.mark.parametrize("times", [1, 2, 3, 4, 5])
    def test_is_halved_by_slow_answers_down_to_one(self, clock, times):
        patience = clock.patience(16)
        for _ in range(times):
            answered_slowly(clock, patience)
        assert patience.limit == max(1, 16 >> times)

    def test_is_halved_once_by_all_answers_to_calls_from_before(self, clock):
        patience = clock.patience(16)
        clock.seconds += 5
        for _ in range(16):
            patience.note_answer(SLOW)
        assert patience.limit == 8

    @pytest.mark.parametrize("note", [Patience.note_throttled, Patience.note_no_answer])
    def test_is_halved_where_the_database_refuses_or_is_away(self, clock, note):
        patience = clock.patience(16)
        note(patience)
        assert patience.limit == 8

    def test_rises_by_one_after_as_many_quick_answers(self, clock):
        patience = clock.patience(16)
        answered_slowly(clock, patience)
        for _ in range(8):
            patience.note_answer(QUICK)
        assert patience.limit == 9

    def test_never_rises_above_what_is_allowed(self, clock):
        patience = clock.patience(2)
        for _ in range(100):
            patience.note_answer(QUICK)
        assert patience.limit == 2

    def test_bounds_the_tasks_that_run_at_a_time(self, clock):
        patience = clock.patience(2)
        inside, most, ends = [], [], Event()

        def work(_number: int) -> None:
            with patient(patience), one_task():
                inside.append(1)
                most.append(len(inside))
                ends.wait(0.02)
                inside.pop()

        with ThreadPoolExecutor(8) as executor:
            list(executor.map(work, range(12)))
        assert max(most) <= 2
        assert len(most) == 12

    def test_lets_two_in_at_a_time_where_two_may_be(self, clock):
        patience, both = clock.patience(2), Barrier(2, timeout=10)

        def work(_number: int) -> int:
            with patient(patience), one_task():
                return both.wait()

        with ThreadPoolExecutor(2) as executor:
            assert sorted(executor.map(work, range(2))) == [0, 1]


class TestTheSizeOfBatches:
    def test_is_the_most_outside_of_a_patient_job(self):
        assert size_of_batch(100) == 100

    def test_shrinks_with_the_number_of_calls(self, clock):
        patience = clock.patience(16)
        with patient(patience):
            assert size_of_batch(100) == 100
            answered_slowly(clock, patience)
            assert size_of_batch(100) == 50
            for _ in range(5):
                answered_slowly(clock, patience)
            assert size_of_batch(100) == 7
            assert size_of_batch(1) == 1


class TestWhatIsSaid:
    def test_is_one_line_when_it_slows_down(self, clock):
        patience = clock.patience(16)
        for _ in range(4):
            answered_slowly(clock, patience)
        (line,) = clock.lines
        assert line.startswith("The database is slow: 8 of 16 calls at a time from now on")

    def test_is_said_again_after_a_while(self, clock):
        patience = clock.patience(16)
        answered_slowly(clock, patience)
        clock.seconds += SILENT_SECONDS
        answered_slowly(clock, patience)
        assert len(clock.lines) == 2


class TestOneOperation:
    def test_has_the_patience_of_one_call_for_all_of_its_calls(self, clock):
        patience = clock.patience(seconds=60.0)
        with patient(patience), one_operation():
            clock.seconds += 50.0
            with one_operation():
                assert patience.ends_at() - clock.seconds == 10.0
        assert patience.ends_at() - clock.seconds == 60.0

    def test_ends_pauses_that_begin_late(self, clock):
        pauses = []
        with patient(clock.patience(seconds=60.0)), one_operation():
            clock.seconds += 50.0
            for pause in Backoff(attempts=3, first=1.0, longest=1.0).pauses():
                pauses.append(pause)
                clock.seconds += 1.0
        assert len(pauses) == 10

    def test_does_not_time_a_job_that_begins_within_it(self, clock):
        with patient(clock.patience(seconds=60.0)), one_operation():
            inner = clock.patience(seconds=20.0)
            with patient(inner):
                assert inner.ends_at() - clock.seconds == 20.0


class TestPauses:
    def test_go_on_for_as_long_as_the_patience_lasts(self, clock):
        pauses = []
        with patient(clock.patience(seconds=60.0)):
            for pause in Backoff(attempts=3, first=1.0, longest=1.0).pauses():
                pauses.append(pause)
                clock.seconds += 1.0
        assert len(pauses) == 60

    def test_are_as_few_as_ever_outside(self):
        assert len(list(Backoff(attempts=3, first=0.0).pauses())) == 2

    def test_are_bounded_however_many_there_were(self):
        assert Backoff(longest=5.0).pause(10_000) <= 5.0


@pytest.fixture
def behind(connection):
    """Makes a client behind a proxy whose calls meet faults."""

    @contextmanager
    def behind_rules(*rules: Rule) -> Iterator[Any]:
        with FaultProxy(connection.endpoint_url, rules=list(rules)) as proxy:
            yield build_client(replace(connection, endpoint_url=proxy.endpoint_url))

    return behind_rules


@pytest.mark.real_engine
class TestACallOfAPatientJob:
    @pytest.mark.parametrize("fault", ["throttled", "reset before", "server error", "damaged"])
    def test_is_repeated_more_often_than_one_of_a_page(self, client, new_table, behind, fault):
        table = new_table()
        rule = Rule(fault, operation="PutItem", times=6)
        with behind(rule) as troubled, patient(Patience(at_a_time=4)):
            troubled.describe_table(TableName=table)
            troubled.put_item(TableName=table, Item={"pk": {"S": "a"}, "sk": {"S": "a"}})
        assert "Item" in client.get_item(
            TableName=table, Key={"pk": {"S": "a"}, "sk": {"S": "a"}}, ConsistentRead=True
        )

    def test_gives_up_when_the_patience_is_spent(self, new_table, behind):
        with behind(Rule("throttled", operation="PutItem")) as troubled:
            patience = Patience(at_a_time=4, seconds=0.3)
            with patient(patience), pytest.raises(Throttled, match="too busy for 0 seconds"):
                troubled.put_item(TableName=new_table(), Item={"pk": {"S": "a"}, "sk": {"S": "a"}})

    def test_waits_for_no_database_that_never_answered(self, new_table, behind):
        rule = Rule("reset before")
        with (
            behind(rule) as troubled,
            patient(Patience(at_a_time=4)),
            pytest.raises(FAILURES) as raised,
        ):
            troubled.list_tables()
        assert isinstance(fault_in(raised.value), Unreachable)
        assert rule.fired == 3

    def test_puts_every_item_where_half_of_each_batch_is_refused(self, client, new_table, behind):
        table = new_table()
        items = [{"pk": {"S": str(number)}, "sk": {"S": "a"}} for number in range(300)]
        rule = Rule("partly unprocessed", times=40)
        with behind(rule) as troubled, patient(Patience(at_a_time=8)):
            quick = Backoff(attempts=2, first=0.001, longest=0.001)
            Batches(troubled, Pool(8), backoff=quick).put(table, items)
        assert client.scan(TableName=table, Select="COUNT")["Count"] == 300

    def test_waits_for_an_answer_that_a_page_would_not_wait_for(self, connection):
        with FaultProxy(connection.endpoint_url, call_seconds=0.5) as proxy:
            hasty = replace(connection, endpoint_url=proxy.endpoint_url, read_seconds=0.1)
            with patient(Patience(at_a_time=4)):
                assert "TableNames" in build_client(hasty).list_tables()

    def test_has_as_long_as_ever_where_its_client_is_a_slow_one(self, connection, monkeypatch):
        monkeypatch.setattr("dynapages.calls.client.ANSWER_SECONDS", 0.1)
        with FaultProxy(connection.endpoint_url, call_seconds=0.5) as proxy:
            slow = replace(connection, endpoint_url=proxy.endpoint_url, attempts=1)
            with patient(Patience(at_a_time=4)):
                assert "TableNames" in build_client(slow).list_tables()

    def test_without_an_answer_is_not_repeated_for_who_makes_single_attempts(self, connection):
        rule = Rule("reset after", operation="PutItem")
        with FaultProxy(connection.endpoint_url, rules=[rule]) as proxy:
            single = replace(connection, endpoint_url=proxy.endpoint_url, attempts=1)
            caller = build_client(single)
            with patient(Patience(at_a_time=4)):
                caller.list_tables()
                with pytest.raises(FAILURES):
                    caller.put_item(TableName="none", Item={})
        assert rule.fired == 1

    def test_that_gets_no_turn_is_out_of_time(self, client):
        patience = Patience(at_a_time=1)
        with (
            patience.one_call(),
            patient(patience),
            time_budget(0.1),
            pytest.raises(OutOfTime),
        ):
            client.list_tables()


def item_of(number: int) -> dict[str, Any]:
    return {"pk": {"S": str(number)}, "sk": {"S": "a"}}


def no_pause(_seconds: float) -> None:
    pass


@pytest.mark.real_engine
class TestATransactionOfAPatientJob:
    @pytest.mark.parametrize("fault", ["throttled", "rate exceeded", "conflict"])
    def test_is_repeated_until_it_is_written(self, client, new_table, behind, fault):
        table = new_table()
        rule = Rule(fault, operation="TransactWriteItems", times=12)
        with behind(rule) as troubled, patient(Patience(at_a_time=4)):
            transactions = Transactions(troubled, Backoff(attempts=3), no_pause)
            transactions.write(lambda: [put(table, item_of(1))])
        assert client.scan(TableName=table, Select="COUNT")["Count"] == 1

    @pytest.mark.parametrize("fault", ["throttled", "rate exceeded"])
    def test_says_which_actions_were_throttled_each_time(self, new_table, behind, fault):
        table, throttled = new_table(), []
        rule = Rule(fault, operation="TransactWriteItems", times=2)
        patience = Patience(at_a_time=4)
        with behind(rule) as troubled, patient(patience):
            Transactions(troubled, Backoff(), no_pause).write(
                lambda: [put(table, item_of(1))], on_throttled=throttled.append
            )
        assert throttled == [frozenset({0})] * 2
        assert patience.limit < 4

    def test_keeps_its_token_once_an_answer_was_lost(self, new_table, behind):
        table = new_table()
        tokens: list[str] = []

        def note_token(request: Any) -> bool:
            tokens.append(request["ClientRequestToken"])
            return False

        rules = [Rule("conflict", operation="TransactWriteItems", when=note_token)]
        for fault in ("reset before", "throttled", "conflict"):
            rules.append(Rule(fault, operation="TransactWriteItems", times=1))
        # What is built differs each time: only the token says that it is the same write.
        built = iter(range(9))
        with behind(*rules) as troubled, patient(Patience(at_a_time=4)):
            troubled.list_tables()
            Transactions(troubled, Backoff(), no_pause).write(
                lambda: [put(table, item_of(next(built)))]
            )
        assert len(tokens) == 4
        assert len(set(tokens)) == 1
