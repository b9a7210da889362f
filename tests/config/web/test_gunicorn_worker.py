"""Connections that are kept alive are spread evenly over the processes of gunicorn."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from time import monotonic, sleep

import pytest

from config.web.gunicorn_worker import AWAKE_SECONDS, NOBODY, SLOTS, SharedNumbers
from dynapages.engine.child import LOOPBACK, Child, is_answering
from tests.support.engine_plugin import PATIENCE
from tests.support.ports import spare_port
from tests.support.project import PROJECT

WHO = """
import os
import django

# The settings of deploy/ compile its templates.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

def application(environ, start_response):
    body = b"%d" % os.getpid()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""
ROUNDS, CONNECTIONS, PROCESSES = 5, 8, 2


class TestSharedNumbers:
    def test_have_fewer_where_one_process_has(self):
        numbers = SharedNumbers()
        numbers.set(1, 4)
        numbers.set(2, 3)
        assert numbers.have_fewer_than(4)
        assert not numbers.have_fewer_than(3)

    def test_leave_out_a_process_that_there_is_not(self):
        numbers = SharedNumbers()
        numbers.set(1, 4)
        numbers.set(2, NOBODY)
        assert not numbers.have_fewer_than(4)

    def test_leave_out_a_process_that_hangs(self, monkeypatch):
        numbers = SharedNumbers()
        numbers.set(1, 3)
        later = monotonic() + AWAKE_SECONDS + 2
        monkeypatch.setattr("config.web.gunicorn_worker.time.monotonic", lambda: later)
        assert not numbers.have_fewer_than(4)

    def test_are_kept_of_any_number_of_processes(self):
        numbers = SharedNumbers()
        numbers.set(5 * SLOTS + 1, 3)
        assert numbers.have_fewer_than(4)


@pytest.fixture
def port(tmp_path) -> Iterator[int]:
    """Two processes with the settings of deploy/, whose pages say which of them answers."""
    (tmp_path / "who.py").write_text(WHO)
    port = spare_port()
    command = [
        *(sys.executable, "-m", "gunicorn"),
        *("--config", str(PROJECT / "deploy" / "gunicorn.conf.py")),
        *("--bind", f"{LOOPBACK}:{port}", "--workers", str(PROCESSES)),
        *("--pythonpath", str(tmp_path), "who:application"),
    ]
    with Child(command, env=os.environ):
        until = monotonic() + PATIENCE
        # Both have to be there: the first one would answer for the other.
        while len(processes_of(port)) < PROCESSES and monotonic() < until:
            sleep(0.1)
        yield port


def processes_of(port: int) -> Counter[bytes]:
    """How many connections each process has of some that are opened one by one and kept alive."""
    answered: Counter[bytes] = Counter()
    if not is_answering(port, path="/"):
        return answered
    with ExitStack() as open_ones:
        for _ in range(CONNECTIONS):
            connection = open_ones.enter_context(closing(HTTPConnection(LOOPBACK, port)))
            connection.request("GET", "/")
            answered[connection.getresponse().read()] += 1
    return answered


@pytest.mark.slow
def test_each_process_has_as_many_connections(port):
    for _ in range(ROUNDS):
        sleep(0.2)  # until those of the round before are closed
        assert set(processes_of(port).values()) == {CONNECTIONS // PROCESSES}
