"""A proxy before an engine: it passes calls on, and a subclass may answer them otherwise.

It listens on this machine, and serves each client in a thread of its own. A client cannot tell
it from the engine, but that it is slower.
"""

import json
import socket
import struct
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Self
from urllib.parse import urlsplit
from zlib import crc32

from dynapages.engine.child import LOOPBACK, EngineError

JSON, HTML = "application/x-amz-json-1.0", "text/html"
TARGET = "X-Amz-Target"
SINGLE_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
HEADERS_OF_ONE_CONNECTION = frozenset({"connection", "content-length"})
"""Headers that are not passed on."""
ENGINE_SECONDS = 60.0
"""How long an engine may take for an answer."""
SHUTDOWN_SECONDS = 0.02
"""How often the server looks whether it shall end: a test starts many of them."""


class EngineAway(EngineError):
    """The engine did not answer, or not to the end: a write may be carried out or not."""

    def __init__(self, url: str) -> None:
        super().__init__(f"The engine at {url} did not answer.")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client receives.

    ``checksum`` is sent in place of the right one. ``byte_seconds`` pass after each byte. With
    ``is_cut`` the connection is reset after half of the body. ``server`` is the header Server,
    which tells one engine from another.
    """

    status: int
    body: bytes
    content_type: str = JSON
    checksum: int | None = None
    byte_seconds: float = 0.0
    is_cut: bool = False
    server: str = ""

    def decoded(self) -> dict[str, Any]:
        """Return the body as it was before it was JSON. Raises ValueError where it is none."""
        decoded: dict[str, Any] = json.loads(self.body)
        return decoded

    @property
    def is_refusal(self) -> bool:
        """Whether the engine refused the call, and so changed nothing."""
        return 400 <= self.status < 500  # noqa: PLR2004 - HTTP's


def refusal(status: int, code: str, message: str = "", **more: object) -> Answer:
    """Build the answer by which DynamoDB refuses a call; ``more`` are further members."""
    error = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message or code}
    return Answer(status, json.dumps(error | more).encode())


def item_name(table: str, key: Mapping[str, Any]) -> str:
    """Return a name for an item, by its table and its key."""
    return f"{table} {json.dumps(key, sort_keys=True)}"


def _without(headers: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Return the headers but those of some names, which are in lower case."""
    return {name: value for name, value in headers.items() if name.lower() not in names}


class EngineConnection:
    """A connection to the engine at ``url``, for one thread; it is opened when it is needed."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._http: HTTPConnection | None = None

    def post(self, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send a call and return its answer. Raises EngineAway."""
        if self._http is None:
            self._http = HTTPConnection(urlsplit(self.url).netloc, timeout=ENGINE_SECONDS)
        try:
            self._http.request("POST", "/", body, dict(headers))
            response = self._http.getresponse()
            server = response.headers.get("Server", "")
            return Answer(response.status, response.read(), server=server)
        except (OSError, HTTPException) as error:
            # What is left of the answer would be taken for that to the next call.
            self.close()
            raise EngineAway(self.url) from error

    def ask(self, operation: str, request: Mapping[str, Any], headers: Mapping[str, str]) -> Answer:
        """Make a call of one's own, with the headers of a client. Raises EngineAway."""
        own_headers = _without(headers, {TARGET.lower()})
        own_headers[TARGET] = f"DynamoDB_20120810.{operation}"
        return self.post(json.dumps(request).encode(), own_headers)

    def close(self) -> None:
        """Close it; the next call opens it again."""
        if self._http:
            self._http.close()
        self._http = None


class Connections:
    """The connections of one thread to engines, by their URLs."""

    def __init__(self) -> None:
        self._by_url: dict[str, EngineConnection] = {}

    def to(self, url: str) -> EngineConnection:
        """Return the connection to an engine."""
        if url not in self._by_url:
            self._by_url[url] = EngineConnection(url)
        return self._by_url[url]

    def close(self) -> None:
        """Close them all."""
        for connection in self._by_url.values():
            connection.close()


@dataclass
class Call:
    """A call of a client to the engine at the URL ``upstream``.

    ``operation`` is one of DynamoDB's, such as PutItem.
    """

    operation: str
    body: bytes
    headers: Mapping[str, str]
    upstream: str
    connections: Connections

    @cached_property
    def request(self) -> dict[str, Any]:
        """The parameters."""
        request: dict[str, Any] = json.loads(self.body)
        return request

    def tables(self) -> set[str]:
        """Return the names of the tables that it is about."""
        if "RequestItems" in self.request:
            return set(self.request["RequestItems"])
        return {each["TableName"] for each in self.actions() if "TableName" in each}

    def actions(self) -> list[Mapping[str, Any]]:
        """Return the actions of a transaction; of another call, its own parameters."""
        if "TransactItems" not in self.request:
            return [self.request]
        actions: list[Mapping[str, Any]] = []
        for each in self.request["TransactItems"]:
            actions.extend(each.values())
        return actions

    def writes(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the table and the key of each item that it writes; of a put, the whole item."""
        if self.operation == "BatchWriteItem":
            return self._writes_of_batch()
        written: list[Mapping[str, Any]] = []
        if self.operation == "TransactWriteItems":
            for each in self.request["TransactItems"]:
                if "ConditionCheck" not in each:
                    written.extend(each.values())
        elif self.operation in SINGLE_WRITES:
            written.append(self.request)
        return [(each["TableName"], each.get("Item") or each["Key"]) for each in written]

    def _writes_of_batch(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the table and the key, or the whole item, of each write of a batch."""
        writes: list[tuple[str, Mapping[str, Any]]] = []
        for table, requests in self.request["RequestItems"].items():
            for each in requests:
                for request in each.values():
                    writes.append((table, request.get("Item") or request["Key"]))
        return writes

    def send(self, *, to: str = "") -> Answer:
        """Pass the call on, maybe to another engine; return its answer. Raises EngineAway."""
        return self.connections.to(to or self.upstream).post(self.body, self.headers)

    def ask(self, operation: str, request: Mapping[str, Any], *, to: str = "") -> Answer:
        """Make another call in the name of the client; return its answer. Raises EngineAway."""
        return self.connections.to(to or self.upstream).ask(operation, request, self.headers)


@dataclass(slots=True)
class Proxy:
    """Passes calls on to the engine at the URL ``upstream``, within a ``with`` block.

    Without ``has_checksums`` answers have no checksum. ``date`` is the header of that name in place
    of the true one; "" for none. ``is_over`` is set at the end of the block. An error of the
    proxy's own resets the client's connection, and is raised at the end of the block.
    """

    upstream: str
    has_checksums: bool = field(default=True, kw_only=True)
    date: str | None = field(default=None, kw_only=True)
    _server: "_Server | None" = field(init=False, default=None)
    is_over: Event = field(init=False, default_factory=Event)

    def answer(self, call: Call) -> Answer | None:
        """Return what a call is answered; None resets the connection, as EngineAway does."""
        return call.send()

    @property
    def endpoint_url(self) -> str:
        """The URL for DynamoDB clients. Raises ValueError outside of the ``with`` block."""
        if self._server is None:
            raise ValueError("the proxy is not running")
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self.is_over.clear()
        # Port 0: a free one, which `endpoint_url` says.
        self._server = _Server((LOOPBACK, 0), type("Handler", (_Handler,), {"proxy": self}))
        Thread(target=self._server.serve_forever, args=[SHUTDOWN_SECONDS], daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.is_over.set()
        server, self._server = self._server, None
        if server:
            server.shutdown()
            server.server_close()
        # An error of the block itself comes first: it is nearer to the cause.
        if server and server.errors and kind is None:
            raise server.errors[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type["_Handler"]) -> None:
        super().__init__(address, handler)
        self.errors: list[BaseException] = []

    def handle_error(self, *_: object) -> None:
        """Keep what went wrong, but for clients that left."""
        error = sys.exception()
        if error and not isinstance(error, OSError):
            self.errors.append(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: Proxy

    def setup(self) -> None:
        super().setup()
        self.connections = Connections()

    def finish(self) -> None:
        """Close the connections to engines with that to the client."""
        self.connections.close()
        super().finish()

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        """Answer a call of a client, or reset its connection."""
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:  # the client has died meanwhile
            self.close_connection = True
            return
        operation = self.headers.get(TARGET, "").rpartition(".")[2]
        headers = _without(dict(self.headers.items()), HEADERS_OF_ONE_CONNECTION)
        answer = None
        try:
            # A client may still hold a connection to a proxy whose block is over.
            if not self.proxy.is_over.is_set():
                call = Call(operation, body, headers, self.proxy.upstream, self.connections)
                answer = self.proxy.answer(call)
        except EngineAway:
            pass
        finally:
            if answer is None:
                self._reset()
        if answer is not None:
            self._write(answer)

    def _write(self, answer: Answer) -> None:
        """Send an answer to the client, as it is to arrive."""
        self.send_response_only(answer.status)
        date = self.date_time_string() if self.proxy.date is None else self.proxy.date
        self.send_header("Date", date)
        if answer.server:
            self.send_header("Server", answer.server)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        if answer.content_type != HTML and self.proxy.has_checksums:
            checksum = crc32(answer.body) if answer.checksum is None else answer.checksum
            self.send_header("x-amz-crc32", str(checksum))
        self.end_headers()
        if answer.is_cut:
            # The header has promised the whole length.
            self.wfile.write(answer.body[: len(answer.body) // 2])
            self._reset()
            return
        if not answer.byte_seconds:
            self.wfile.write(answer.body)
            return
        for byte in answer.body:
            self.wfile.write(bytes([byte]))
            self.proxy.is_over.wait(answer.byte_seconds)

    def _reset(self) -> None:
        """Close the connection with a RST, as a crash does."""
        # To linger for no seconds makes close() send a RST instead of a FIN.
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()
