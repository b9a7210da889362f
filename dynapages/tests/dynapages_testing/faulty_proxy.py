"""A proxy before an engine, which makes the faults that no emulator makes."""

import socket
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep
from typing import Self
from urllib.parse import urlsplit
from zlib import crc32

DAMAGED = (
    b"",
    b"[]",
    b"null",
    b"5",
    b'{"Item": {"pk": {"S": "a"}}',
    b'{"Item": {"pk": {"S": "\xe4"}}}',
)
"""Bodies that are no JSON object, or not UTF-8: with the status and checksum of a good answer."""
PAGE = b"<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>"
REFUSALS = {
    "throttled": (400, "ThrottlingException"),
    "server error": (500, "InternalServerError"),
    "expired token": (400, "ExpiredTokenException"),
}


@dataclass(slots=True)
class FaultyProxy:
    """Forwards calls to the engine at ``upstream``, within the block; while it ``fails``, badly.

    ``kinds`` are the faults that calls meet, one after the other; ``met`` counts them. A
    ``damaged`` answer has one of ``bodies``. Without ``has_checksums`` no answer has a checksum.
    Answers tell the ``date``, where there is one.
    """

    upstream: str
    kinds: Sequence[str] = ()
    fails: bool = True
    stall_seconds: float = 20.0
    bodies: Sequence[bytes] = DAMAGED
    has_checksums: bool = True
    date: str | None = None
    met: Counter[str] = field(default_factory=Counter)
    _server: ThreadingHTTPServer = field(init=False)

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"proxy": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def endpoint_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def next_fault(self) -> str | None:
        if not self.fails:
            return None
        kind = self.kinds[self.met.total() % len(self.kinds)]
        self.met[kind] += 1
        return kind


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """Ignore clients that left."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: FaultyProxy

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.proxy.next_fault()
        if fault in REFUSALS:
            status, code = REFUSALS[fault]
            self._answer(
                status, b'{"__type": "com.amazonaws.dynamodb.v20120810#%s"}' % code.encode()
            )
        elif fault == "front end":
            self._answer(503, PAGE, "text/html")
        elif fault == "reset before":
            self._reset()
        elif fault == "stalled":
            sleep(self.proxy.stall_seconds)
            self._reset()
        else:
            self._spoil(fault, *self._forward(body))

    def _spoil(self, fault: str | None, status: int, content: bytes) -> None:
        if fault == "reset after":
            self._reset()
        elif fault == "truncated":
            self._answer(status, content[: len(content) // 2], checksum=crc32(content))
        elif fault == "damaged":
            body = self.proxy.bodies[self.proxy.met.total() % len(self.proxy.bodies)]
            self._answer(status, body)
        elif fault == "wrong checksum":
            self._answer(status, content, checksum=crc32(content) ^ 1)
        else:
            self._answer(status, content, pause=0.5 if fault == "dripping" else 0.0)

    def _forward(self, body: bytes) -> tuple[int, bytes]:
        engine = HTTPConnection(urlsplit(self.proxy.upstream).netloc, timeout=60)
        kept = {name: value for name, value in self.headers.items() if name != "Connection"}
        try:
            engine.request("POST", "/", body, kept)
            response = engine.getresponse()
            return response.status, response.read()
        finally:
            engine.close()

    def _answer(
        self,
        status: int,
        content: bytes,
        kind: str = "application/x-amz-json-1.0",
        *,
        checksum: int | None = None,
        pause: float = 0.0,
    ) -> None:
        self.send_response_only(status)
        date = self.date_time_string() if self.proxy.date is None else self.proxy.date
        self.send_header("Date", date)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if kind != "text/html" and self.proxy.has_checksums:
            self.send_header("x-amz-crc32", str(crc32(content) if checksum is None else checksum))
        self.end_headers()
        for start in range(0, len(content), 1 if pause else len(content) or 1):
            self.wfile.write(content[start : start + 1] if pause else content)
            sleep(pause)

    def _reset(self) -> None:
        """Close the connection with a RST, as a crash does."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()
