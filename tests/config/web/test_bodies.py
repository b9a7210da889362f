"""A body that is sent in chunks is read whole or refused, never taken for an empty one."""

import json
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from io import BytesIO
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory

from config.web.bodies import MOST_DISCARDED, ChunkedBodies
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


REFUSED = {
    "without a key": (401, 0, False),
    "without a key, with a body": (401, 300_000, False),
    "without a key, with a long body": (401, 1_000_000, False),
    "without a key, with the longest body": (401, MOST_DISCARDED, False),
    "without a key, in chunks": (401, 200_000, True),
    "longer than is read": (413, 500_000, False),
    "longer than is read, in chunks": (413, 1_000_000, True),
    "no form of ours": (403, 300_000, False),
    "to no such address": (404, 300_000, False),
    "by a method that is not allowed": (405, 300_000, False),
}
"""Requests that are refused before their body is read: the status, its bytes, in chunks or not."""
REFUSED_AT = {403: "/basket/add/", 404: f"{ROOT}/none", 405: f"{ROOT}/openapi.json"}


@pytest.mark.slow
class TestAConnection:
    """Of gunicorn, on which a body was refused that nobody read."""

    @pytest.mark.parametrize("name", REFUSED)
    def test_is_kept_for_the_next_request(self, gunicorn, name):
        status, length, is_chunked = REFUSED[name]
        headers = {"Content-Type": JSON}
        if status == 413:
            headers["Authorization"] = f"Bearer {program_of(someone('writer').username).text}"
        body = b"x" * length
        path = REFUSED_AT.get(status, f"{ROOT}/orders")
        with closing(HTTPConnection(LOOPBACK, gunicorn, timeout=30)) as connection:
            connection.connect()
            first = connection.sock
            for _ in range(20):
                sent = iter([body]) if is_chunked else body
                connection.request("POST", path, sent, headers, encode_chunked=is_chunked)
                assert read_from(connection) == status
                connection.request("GET", "/healthz")
                assert read_from(connection) == 200
                assert connection.sock is first

    @pytest.mark.parametrize("length", [MOST_DISCARDED + 1, 10**12])
    def test_says_that_it_ends_where_a_body_is_too_long_to_be_read(self, gunicorn, length):
        head = f"POST {ROOT}/orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
        answer = answers_to(gunicorn, head.encode())
        assert answer.startswith(b"HTTP/1.1 401")
        assert b"\r\nConnection: close\r\n" in answer

    def test_says_that_it_ends_where_chunks_do_not(self, gunicorn):
        chunk = b"%x\r\n%s\r\n" % (MOST, b"x" * MOST)
        chunks = chunk * (MOST_DISCARDED // MOST + 2)
        answer = answers_to(gunicorn, a_post(f"{ROOT}/orders", chunks, last=False))
        assert answer.startswith(b"HTTP/1.1 413")
        assert b"\r\nConnection: close\r\n" in answer


def read_from(connection: HTTPConnection) -> int:
    """Read an answer to its end; return its status."""
    answer = connection.getresponse()
    answer.read()
    return answer.status


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
