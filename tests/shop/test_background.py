"""Writes in the background: at once, in order, again until they succeed, and never in the way."""

import logging
import os
import subprocess
import sys
import threading
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from dynapages_testing.processes import until
from shop import background
from shop.background import BackgroundWrites
from shop.spool import Spool
from tests.support.project import PROJECT

AWAY = EndpointConnectionError(endpoint_url="nowhere")
MISSING = ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "BatchWriteItem")
MISTAKE = ClientError({"Error": {"Code": "ValidationException", "Message": "No."}}, "PutItem")
THROTTLED = ClientError({"Error": {"Code": "ThrottlingException"}}, "PutItem")


class Far:
    """Where values are sent to; raises what it is told to, once for each."""

    def __init__(self, *failures: Exception) -> None:
        self.arrived: list[int] = []
        self.failures = list(failures)
        self.is_open = Event()
        self.is_open.set()

    def send(self, value: int) -> None:
        self.is_open.wait(10)
        failures = self.failures  # a test may put others in their place meanwhile
        if failures:
            raise failures.pop(0)
        self.arrived.append(value)


@pytest.fixture(autouse=True)
def impatience(monkeypatch):
    monkeypatch.setattr(background, "FIRST_PAUSE_SECONDS", 0.001)


@pytest.fixture
def files(tmp_path):
    return Spool(lambda: tmp_path, name="test", dump=str, load=int)


def queue(far: Far, *, by_itself: bool = True, **how: Any) -> BackgroundWrites[int]:
    writes = BackgroundWrites(far.send, name="The test", **how)
    writes.runs_by_itself = by_itself
    return writes


def told_by(name: str, caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """What a queue has logged; another one may have something to tell at the same time."""
    return [record for record in caplog.records if record.getMessage().startswith(name)]


class TestWhatIsPut:
    def test_arrives_in_order_each_once(self):
        far = Far()
        writes = queue(far)
        for number in range(500):
            writes.put(number)
        assert writes.flush(seconds=10)
        assert far.arrived == list(range(500))

    def test_does_not_wait_for_what_is_under_way(self):
        far = Far()
        far.is_open.clear()
        writes = queue(far)
        writes.put(1)
        writes.put(2)
        assert len(writes) == 2
        far.is_open.set()
        assert writes.flush(seconds=10)

    def test_waits_for_a_flush_where_the_thread_is_to_send_nothing_more(self):
        far = Far()
        writes = queue(far)
        writes.put(1)
        assert until(lambda: far.arrived == [1])
        writes.runs_by_itself = False
        writes.put(2)
        assert until(lambda: writes._thread is None)
        assert far.arrived == [1]
        assert writes.flush(seconds=10)
        assert far.arrived == [1, 2]


class TestAFailure:
    @pytest.mark.parametrize("failure", [AWAY, MISSING, THROTTLED])
    def test_that_passes_is_waited_for(self, failure):
        far = Far(failure, failure, failure)
        writes = queue(far)
        writes.put(1)
        writes.put(2)
        assert until(lambda: far.arrived == [1, 2])
        assert until(lambda: len(writes) == 0)
        assert writes.lost == 0

    def test_that_does_not_pass_costs_its_value_alone(self):
        far = Far(MISTAKE)
        writes = queue(far, by_itself=False)
        for number in range(3):
            writes.put(number)
        assert writes.flush(seconds=1)
        assert (far.arrived, writes.lost) == ([1, 2], 1)

    def test_of_the_programs_own_does_not_hold_up_the_rest(self, monkeypatch):
        raised: list[threading.ExceptHookArgs] = []
        monkeypatch.setattr(threading, "excepthook", raised.append)
        far = Far(ZeroDivisionError())
        writes = queue(far)
        writes.put(1)
        assert until(lambda: raised)
        writes.put(2)
        assert until(lambda: far.arrived == [2])

    def test_leaves_the_queue_at_its_bound(self):
        far = Far(*[AWAY] * 10_000)
        writes = queue(far, most=3)
        for number in range(10):
            writes.put(number)
        assert (len(writes), writes.lost) == (3, 7)
        far.failures = []
        assert writes.flush(seconds=10)
        assert far.arrived == [0, 1, 2]

    def test_is_told_once_in_a_while_with_what_to_do(self, caplog):
        writes = BackgroundWrites(Far(*[MISSING] * 9).send, name="The log", hint="Make a table.")
        writes.runs_by_itself = False
        writes.put(1)
        assert writes.flush(seconds=10)
        (record,) = told_by("The log", caplog)
        assert record.levelno == logging.WARNING
        assert record.getMessage().startswith("The log: 1 wait to be sent.")
        assert record.getMessage().endswith("Make a table.")


class TestTheEnd:
    def test_does_not_fill_the_log_with_each_attempt(self, caplog):
        writes = queue(Far(*[AWAY] * 10_000), by_itself=False)
        writes.put(1)
        writes.close(seconds=0.1)
        messages = [record.getMessage()[:16] for record in told_by("The test", caplog)]
        assert (messages, writes.lost) == (["The test: 1 wait", "The test: 1 lost"], 1)


class TestWhatIsLeft:
    def test_at_the_end_is_sent_by_the_next_process(self, files, tmp_path, caplog):
        writes, far = queue(Far(*[AWAY] * 10_000), by_itself=False, spool=files), Far()
        for number in range(3):
            writes.put(number)
        writes.close(seconds=0.01)
        assert writes.lost == 0
        assert f"3 are kept in {tmp_path}" in caplog.text
        later = queue(far, by_itself=False, spool=files)
        later.resume()
        assert later.flush(seconds=5)
        assert far.arrived == [0, 1, 2]
        assert list(tmp_path.iterdir()) == []

    def test_is_kept_before_the_end_is_waited_for(self, files):
        seen: list[list[int]] = []
        writes = queue(Far(), by_itself=False, spool=files)
        writes._send = lambda _value: seen.extend(files.load_all())
        writes.put(1)
        writes.close(seconds=5)
        assert seen == [[1]]

    def test_is_sent_though_it_is_more_than_may_wait(self, files):
        files.save(range(10))
        far = Far()
        writes = queue(far, by_itself=False, spool=files, most=3)
        writes.resume()
        assert writes.flush(seconds=5)
        assert far.arrived == list(range(10))

    def test_is_lost_with_one_line_where_it_cannot_be_kept(self, files, tmp_path, caplog):
        (tmp_path / "file").touch()
        nowhere = replace(files, folder=lambda: tmp_path / "file")
        writes = queue(Far(*[AWAY] * 10_000), by_itself=False, spool=nowhere)
        writes.put(1)
        writes.close(seconds=0.001)
        assert writes.lost == 1
        told = [each.getMessage() for each in told_by("The test", caplog)][-1]
        assert told.startswith("The test: 1 lost by now. The process ends. They cannot be kept: ")

    def test_is_told_of_where_it_cannot_be_read(self, files, caplog):
        files.save([1]).write_text("one\n")
        queue(Far(), by_itself=False, spool=files).resume()
        (told,) = told_by("The test", caplog)
        assert told.getMessage().startswith("The test: What was kept cannot be read. ")


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
class TestAFork:
    def test_begins_with_nothing_and_sends_its_own(self):
        far = Far()
        writes = queue(far, by_itself=False)
        writes.put(1)
        reading, writing = os.pipe()
        if os.fork() == 0:  # no assert here: the child must not go on with the tests
            was_empty = not len(writes)
            writes.runs_by_itself = True
            writes.put(2)
            has_arrived = until(lambda: far.arrived == [2])
            os.write(writing, b"good" if was_empty and has_arrived else b"bad!")
            os._exit(0)
        assert os.read(reading, 4) == b"good"
        assert len(writes) == 1


ENDING = """
import atexit, sys
from shop.background import BackgroundWrites

def send(value):
    import time
    time.sleep(0.1)
    print(value, flush=True)

writes = BackgroundWrites(send, name="test")
atexit.register(writes.close, seconds=5)
for number in range(5):
    writes.put(number)
sys.exit(3)
"""


class TestAProcessThatEnds:
    def test_sends_everything_first(self):
        ended = subprocess.run(
            [sys.executable, "-c", ENDING], cwd=PROJECT, capture_output=True, text=True, check=False
        )
        assert ended.stdout.split() == ["0", "1", "2", "3", "4"]
        assert (ended.returncode, ended.stderr) == (3, "")
