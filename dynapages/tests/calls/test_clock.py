"""The time by the engine's clock, learned from the headers of its answers."""

import logging
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from math import floor, inf

import pytest

from dynapages.calls import clock
from dynapages.calls.client import build_client
from dynapages.calls.clock import Clock
from dynapages.engine.fault_proxy import FaultProxy

FIVE_MINUTES = 300.0


class World:
    """An engine whose clock is right, and a machine whose clock is ``behind`` by some seconds."""

    def __init__(self, *, behind: float = 0.0) -> None:
        self.time = 1_800_000_000.3
        self.behind = behind
        self.clock = Clock(local=self.local)

    def local(self) -> float:
        return self.time - self.behind

    def call(self, *, seconds: float = 0.01, after: float = 0.0) -> None:
        """Pass some time, make a call, and learn from its answer."""
        self.time += after
        sent = self.local()
        told = floor(self.time + seconds / 2)
        self.time += seconds
        self.clock.learn(told, sent=sent, received=self.local())

    @property
    def error(self) -> float:
        """How far the time is off, in seconds."""
        return abs(self.clock.now().timestamp() - self.time)


class TestTheTime:
    def test_is_the_machines_as_long_as_nothing_is_known(self):
        world = World(behind=FIVE_MINUTES)
        assert world.clock.now() == datetime.fromtimestamp(world.local(), UTC)

    @pytest.mark.parametrize("behind", [0.0, 0.4, -0.4, 1.2, -1.2])
    def test_is_the_machines_where_its_clock_is_nearly_right(self, behind):
        world = World(behind=behind)
        for _ in range(30):
            world.call(after=0.13)
            assert world.clock.now() == datetime.fromtimestamp(world.local(), UTC)

    @pytest.mark.parametrize("behind", [FIVE_MINUTES, -FIVE_MINUTES, 5.0, -5.0])
    def test_is_the_engines_within_a_second_and_after_some_answers_almost_exactly(self, behind):
        world = World(behind=behind)
        world.call()
        assert world.error < 1
        for _ in range(30):
            world.call(after=0.13)
        world.call(seconds=20.0)
        assert world.error < 0.1

    def test_does_not_run_backwards_as_more_is_learned(self):
        world = World()
        known = Clock(local=lambda: world.time, least=301.0, most=302.0)
        before = known.now()
        known.least, known.most = 300.5, 300.7
        assert known.now() == before
        world.time += 2
        assert known.now() > before

    @pytest.mark.parametrize("behind", [0.0, FIVE_MINUTES])
    def test_follows_a_machine_whose_clock_was_set(self, behind):
        world = World(behind=FIVE_MINUTES / 2)
        for _ in range(30):
            world.call(after=0.13)
        world.behind = behind
        for _ in range(30):
            world.call(after=0.13)
        assert world.error < 0.1

    def test_follows_a_clock_that_runs_slowly(self):
        world = World(behind=FIVE_MINUTES)
        for number in range(2_000):
            world.behind += 0.0005
            world.call(after=1.07)
            assert world.error < (0.2 if number > 100 else 1)


class TestTheWarning:
    def warnings(self, caplog: pytest.LogCaptureFixture) -> list[str]:
        ours = (each for each in caplog.records if each.name == clock.__name__)
        return [each.getMessage() for each in ours if each.levelno == logging.WARNING]

    @pytest.mark.parametrize(
        ("behind", "told"), [(FIVE_MINUTES, "300 seconds behind"), (-4.0, "4 seconds ahead of")]
    )
    def test_is_one(self, caplog, behind, told):
        world = World(behind=behind)
        for _ in range(30):
            world.call(after=0.13)
            world.clock.now()
        (warning,) = self.warnings(caplog)
        assert warning.startswith("This machine's clock is ")
        assert "DynamoDB's" in warning
        assert told in world.clock.sentence()


@contextmanager
def answers_at(date, connection):
    """A client of its own, whose answers all tell one date."""
    with FaultProxy(connection.endpoint_url, date=date) as proxy:
        yield build_client(replace(connection, endpoint_url=proxy.endpoint_url))


class TestAClient:
    @pytest.fixture(autouse=True)
    def known(self, monkeypatch):
        known = Clock()
        monkeypatch.setattr(clock, "process_clock", known)
        return known

    def test_learns_from_its_answers(self, known, connection):
        build_client(connection).list_tables()
        assert -1.5 < known.least <= known.most < 1.5
        assert known.most - known.least >= 1

    def test_learns_from_those_that_say_no(self, known, connection):
        own = build_client(connection)
        with pytest.raises(own.exceptions.ResourceNotFoundException):
            own.describe_table(TableName="there-is-none")
        assert known.most - known.least < 10

    def test_of_an_engine_in_another_time_tells_that(self, connection):
        later = datetime.now(UTC) + timedelta(hours=1)
        with answers_at(format_datetime(later, usegmt=True), connection) as own:
            own.list_tables()
        assert abs(clock.now() - later) < timedelta(minutes=1)

    @pytest.mark.parametrize("date", ["", "tomorrow"])
    def test_does_without_a_date(self, known, connection, date):
        with answers_at(date, connection) as own:
            own.list_tables()
        assert (known.least, known.most) == (-inf, inf)
