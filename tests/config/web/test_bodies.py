"""A body that is sent in chunks is read whole or refused, never taken for an empty one."""

import json
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory

from config.web.bodies import ChunkedBodies
from dynapages.engine.child import LOOPBACK, Child, is_answering
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import PROBLEM, ROOT, program_of
from tests.support.ports import spare_port
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")
SAID = json.dumps({"rating": 4, "title": "Bright", "text": "It lights the desk."}).encode()
JSON = "application/json"
A_CHUNK = 7
MOST = 256 * 1024
"""Bytes of a form."""
ENOUGH = 120.0
"""Seconds for a server to start."""


class TestABodyInChunks:
    """As a server passes it on: decoded, and without its length."""

    @pytest.fixture
    def send(self):
        site = ChunkedBodies(WSGIHandler())

        def send(
            path: str,
            body: bytes,
            *,
            kind: str = JSON,
            ends: bool = True,
            **named: str,
        ) -> tuple[int, dict[str, str], bytes]:
            environ = RequestFactory(headers=named).post(path, b"x", kind).environ
            del environ["CONTENT_LENGTH"]
            environ |= {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": BytesIO(body)}
            environ["wsgi.input_terminated"] = ends
            answered: dict[str, Any] = {}

            def start(status: str, headers: list[tuple[str, str]], *_: object) -> None:
                answered.update(status=int(status[:3]), headers=dict(headers))

            content = b"".join(site(environ, start))
            return answered["status"], answered["headers"], content

        return send

    def test_is_read_by_the_api(self, send):
        key = program_of(someone("writer").username).text
        url = f"{ROOT}/products/{made_product()}/comments"
        status, _, content = send(url, SAID, Authorization=f"Bearer {key}")
        assert (status, json.loads(content)["title"]) == (201, "Bright")

    def test_is_read_by_pages(self, send):
        form = urlencode({"language": "de", "next": "/categories/"}).encode()
        kind = "application/x-www-form-urlencoded"
        status, headers, _ = send("/language/", form, kind=kind)
        assert (status, headers["Location"]) == (302, "/categories/")

    @pytest.mark.parametrize(("length", "status"), [(MOST, 401), (MOST + 1, 413)])
    def test_is_read_up_to_the_length_of_a_form(self, send, length, status):
        answer = send(f"{ROOT}/orders", b"x" * length)
        assert answer[0] == status

    def test_that_is_too_long_is_refused_in_a_sentence(self, send):
        status, headers, content = send(f"{ROOT}/orders", b"x" * (MOST + 1))
        assert (status, headers["Content-Type"]) == (413, PROBLEM)
        said = json.loads(content)
        assert (said["code"], said["detail"]) == (
            "too-large",
            "A body in chunks has at most 262,144 bytes.",
        )

    @pytest.mark.parametrize("path", [f"{ROOT}/orders", "/basket/add/"])
    def test_that_no_server_ends_is_refused(self, send, path):
        status, headers, content = send(path, SAID, ends=False)
        assert status == 411
        assert b"Send the body with its length, in the header Content-Length." in content
        assert headers["Content-Type"].startswith(PROBLEM if path.startswith(ROOT) else "text/html")


# Real servers


def in_chunks(body: bytes) -> bytes:
    """A body as it is sent in chunks."""
    parts = [body[start : start + A_CHUNK] for start in range(0, len(body), A_CHUNK)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])


def answers_to(port: int, *requests: bytes) -> bytes:
    """All that a server sends on one connection until it closes that."""
    with closing(socket.create_connection((LOOPBACK, port), timeout=30)) as connection:
        connection.sendall(b"".join(requests))
        received = b""
        while part := connection.recv(65_536):
            received += part
    return received


def a_post(path: str, body: bytes, *more: str, last: bool = True) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked", *more]
    if last:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode() + body


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., int]]:
    """Starts a server with the site, and returns its port."""
    children = []

    def serve(*command: str, port: int) -> int:
        child = Child([sys.executable, *command], env={**os.environ, "WEB_CONCURRENCY": "1"})
        children.append(child)
        until = monotonic() + ENOUGH
        while not is_answering(port, path="/healthz") and monotonic() < until:
            sleep(0.1)
        return port

    yield serve
    for child in children:
        child.stop()


@pytest.fixture(scope="module")
def gunicorn(tables, serve):
    """The server of deploy/, as it is started there."""
    port = spare_port()
    config = str(PROJECT / "deploy" / "gunicorn.conf.py")
    return serve("-m", "gunicorn", "--config", config, "--bind", f"{LOOPBACK}:{port}", port=port)


@pytest.mark.slow
class TestGunicorn:
    @pytest.fixture
    def sender(self):
        key = program_of(someone("writer").username).text
        path = f"{ROOT}/products/{made_product()}/comments"
        return path, f"Authorization: Bearer {key}", "Content-Type: application/json"

    def test_passes_a_body_in_chunks_on(self, gunicorn, sender):
        path, *headers = sender
        answer = answers_to(gunicorn, a_post(path, in_chunks(SAID), *headers))
        assert answer.startswith(b"HTTP/1.1 201")
        assert b'"title":"Bright"' in answer

    def test_goes_on_behind_a_body_that_is_too_long(self, gunicorn, sender):
        path, *headers = sender
        too_long = a_post(path, in_chunks(b"x" * (MOST + 9)), *headers, last=False)
        answer = answers_to(gunicorn, too_long, a_post(path, in_chunks(SAID), *headers))
        assert answer.startswith(b"HTTP/1.1 413")
        assert answer.count(b"HTTP/1.1 ") == 2
        assert b"HTTP/1.1 201" in answer

    def test_refuses_chunks_that_are_none(self, gunicorn, sender):
        path, *headers = sender
        answer = answers_to(gunicorn, a_post(path, b"zz\r\nnothing\r\n0\r\n\r\n", *headers))
        assert answer.startswith(b"HTTP/1.1 400")


@pytest.mark.slow
class TestRunserver:
    def test_asks_for_the_length_and_reads_no_request_out_of_the_body(self, tables, serve):
        port = spare_port()
        serve("manage.py", "runserver", "--noreload", f"{LOOPBACK}:{port}", port=port)
        hidden = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        for body in (in_chunks(SAID), hidden):
            answer = answers_to(port, a_post(f"{ROOT}/orders", body, last=False))
            assert answer.startswith(b"HTTP/1.1 411")
            assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "length-required"
