"""The receiver of docs/webhooks.md takes what is delivered, and nothing else."""

import os
import socket
import ssl
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from dynapages.calls import clock
from shop.webhooks import sending
from shop.webhooks.delivery import headers_of
from shop.webhooks.events import ORDER_MOVED, ORDER_PLACED, Event
from shop.webhooks.owing import owed_events
from shop.work import owe_alone
from tests.support.documented_code import FENCE, follow
from tests.support.ports import spare_port
from tests.support.project import PROJECT
from tests.support.receivers import HOST, ThisMachine
from tests.support.webhooks import hearing_of, remember_no_webhooks
from tests.support.work import finish_what_waits

pytestmark = pytest.mark.usefixtures("tables")
MOST_LINES = 20
SECONDS = 30
"""In which a program starts, even on a busy machine."""


class BehindAProxy(ThisMachine):
    """A network where somebody else speaks TLS for the receiver."""

    def tls(self) -> ssl.SSLContext:
        return _NoTls()  # type: ignore[return-value] # it stands for one


class _NoTls:
    def wrap_socket(self, plain: socket.socket, *, server_hostname: str) -> socket.socket:
        assert server_hostname == HOST
        return plain


@pytest.fixture
def port() -> int:
    return spare_port()


@pytest.fixture
def made(port):
    with hearing_of(f"https://{HOST}:{port}/", ORDER_PLACED) as made:
        yield made


@pytest.fixture
def program(tmp_path, port, made):
    """The documented program, running."""
    follow("webhooks.md", tmp_path, instead={"8765": str(port)})
    environment = {**os.environ, "WEBHOOK_SECRET": made.secret}
    with subprocess.Popen(
        [sys.executable, tmp_path / "receiver.py"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
        yield program
        program.terminate()


def happened() -> Event:
    return Event.at(clock.now(), ORDER_PLACED, {"order_id": "01M8", "status": "PLACED"})


def send(port: int, headers: dict[str, str], body: bytes) -> int:
    request = Request(f"http://127.0.0.1:{port}/", body, headers, method="POST")
    try:
        with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - of this machine
            return int(answer.status)
    except HTTPError as error:
        return error.code


def test_is_short():
    (code,) = [code for _language, file, code in _programs() if file == "receiver.py"]
    assert len([line for line in code.splitlines() if line.strip()]) <= MOST_LINES


def _programs():
    return FENCE.findall((PROJECT / "docs" / "webhooks.md").read_text())


def test_prints_what_is_delivered(program, monkeypatch):
    monkeypatch.setattr(sending, "INTERNET", BehindAProxy(Path("unused")))
    event = happened()
    for owed in owed_events([event]):
        owe_alone(owed)
    finish_what_waits()
    line = program.stdout.readline()
    assert line.startswith(f"{event.id} {{'type': 'order.placed', 'timestamp': ")
    assert "'data': {'order_id': '01M8', 'status': 'PLACED'}" in line
    remember_no_webhooks()


def test_takes_what_is_signed_and_refuses_all_else(program, port, made):
    event = happened()
    now = clock.now()
    headers = headers_of(event, made.secret, now=now)
    assert send(port, headers, event.body) == 204
    other = Event.at(now, ORDER_MOVED, event.data)
    assert send(port, headers, other.body) == 400
    assert send(port, {**headers, "webhook-id": other.id}, event.body) == 400
    assert send(port, {**headers, "webhook-signature": "v1,AAAA"}, event.body) == 400
    an_hour_ago = headers_of(event, made.secret, now=now.fromtimestamp(now.timestamp() - 3_600))
    assert send(port, an_hour_ago, event.body) == 400
