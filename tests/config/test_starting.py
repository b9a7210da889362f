"""The start of a server: not at a wrong time."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from django.test import RequestFactory

from config.wsgi import application, start_errors
from dynapages.calls import clock
from dynapages.calls.clock import Clock
from tests.support.comments.outage import connected
from tests.support.config.environments import run_python
from tests.support.ports import spare_port

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


def started_on(monkeypatch: pytest.MonkeyPatch, *, behind: float) -> list[str]:
    """What keeps a server from serving whose clock is behind."""
    monkeypatch.setattr(clock, "process_clock", Clock(local=lambda: time.time() - behind))
    return [f"{error.id}: {error.msg}" for error in start_errors()]


class TestAServer:
    @pytest.mark.parametrize("behind", [50, -50])
    def test_starts_with_a_clock_that_is_off_by_less_than_a_minute(self, monkeypatch, behind):
        assert started_on(monkeypatch, behind=behind) == []

    @pytest.mark.parametrize(
        ("behind", "which"), [(300, "behind DynamoDB's."), (-300, "ahead of DynamoDB's.")]
    )
    def test_does_not_start_with_one_that_is_off_by_more(self, monkeypatch, behind, which):
        (error,) = started_on(monkeypatch, behind=behind)
        assert error.startswith("config.clock: This machine's clock is ")
        assert error.endswith(which)

    def test_starts_where_nothing_is_known(self, monkeypatch):
        with connected(f"http://127.0.0.1:{spare_port()}"):
            assert started_on(monkeypatch, behind=300) == []


class _InAnotherTime(BaseHTTPRequestHandler):
    """An engine five minutes ahead, which says no to everything."""

    def do_POST(self) -> None:
        self.send_response_only(400)
        self.send_header("Date", formatdate(time.time() + 300, usegmt=True))
        body = b'{"__type": "ResourceNotFoundException"}'
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def engine_in_another_time() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _InAnotherTime) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_server_process_ends_with_one_line(tmp_path):
    with engine_in_another_time() as url:
        given = {"DYNAMODB_ENDPOINT_URL": url, "VAR_DIR": str(tmp_path)}
        ended = run_python("-c", "import config.wsgi", **os.environ | given)
    assert ended.returncode == 4
    (line,) = ended.stderr.splitlines()
    assert line.startswith("config.clock: This machine's clock is ")


def test_a_server_process_passes_no_body_on_that_nobody_asked_for():
    said = []
    asked = RequestFactory(headers={"Host": "localhost"}).head("/healthz").environ
    assert b"".join(application(asked, lambda status, _: said.append(status))) == b""
    assert said == ["200 OK"]
