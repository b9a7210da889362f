"""A proxy before an engine, which makes the faults and conflicts that no emulator makes.

Each call meets a fault with a given probability, drawn from a seed. Transactions hold the locks of
their items for a while, so that those which meet are cancelled, as on Amazon.
"""

import json
import socket
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Lock, Thread
from time import sleep
from typing import Any, ClassVar, Literal, Self, get_args
from urllib.parse import urlsplit
from zlib import crc32

Fault = Literal[
    "throttled",
    "server error",
    "front end",
    "cancelled",
    "reset before",
    "reset after",
    "stalled",
    "truncated",
    "wrong checksum",
    "damaged",
    "unprocessed",
    "dripping",
]
TRANSACTION, BATCHES = "TransactWriteItems", ("BatchWriteItem", "BatchGetItem")
SINGLE_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
ALWAYS: tuple[Fault, ...] = tuple(
    kind for kind in get_args(Fault) if kind not in {"cancelled", "unprocessed", "dripping"}
)
"""Faults of any operation; `FaultyProxy.kinds` adds those of some."""
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


@dataclass(slots=True)
class Proxy:
    """Forwards calls to the engine at ``upstream``, within the block."""

    handler: ClassVar[type["Forwarding"]]
    upstream: str
    _server: ThreadingHTTPServer = field(init=False)

    def __enter__(self) -> Self:
        handler = type("Handler", (self.handler,), {"proxy": self})
        self._server = ProxyServer(("127.0.0.1", 0), handler)
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def endpoint_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"


@dataclass(slots=True)
class FaultyProxy(Proxy):
    """A proxy whose calls meet faults.

    ``rate`` is the probability of a fault, 0 to 1, and may be changed at any time, as may
    ``kinds``. Transactions take ``lock_seconds`` longer. ``met`` counts the faults by operation.
    A ``damaged`` answer has one of ``bodies``.
    """

    seed: int = 0
    rate: float = 0.0
    kinds: Sequence[Fault] = ()
    lock_seconds: float = 0.0
    stall_seconds: float = 20.0
    bodies: Sequence[bytes] = DAMAGED
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    random: Random = field(init=False)
    _guard: Lock = field(default_factory=Lock)
    _held: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)  # noqa: S311 - repeatable, nothing secret

    def draw(self, operation: str) -> Fault | None:
        """Draw the fault that a call meets."""
        of_some = {TRANSACTION: ("cancelled",), **dict.fromkeys(BATCHES, ("unprocessed",))}
        with self._guard:
            if self.random.random() >= self.rate:
                return None
            kind: Fault = self.random.choice(self.kinds or (*ALWAYS, *of_some.get(operation, ())))
            self.met[kind, operation] += 1
        return kind

    @contextmanager
    def locked(self, items: Sequence[str]) -> Iterator[frozenset[int]]:
        """Lock items; yield the numbers of those that others hold, and lock none if there are."""
        with self._guard:
            conflicts = frozenset(n for n, item in enumerate(items) if item in self._held)
            mine = set() if conflicts else set(items)
            self._held |= mine
        try:
            yield conflicts
        finally:
            with self._guard:
                self._held -= mine


class ProxyServer(ThreadingHTTPServer):
    """Serves each client in a thread of its own."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """Ignore clients that left."""


class Forwarding(BaseHTTPRequestHandler):
    """Sends the calls of a proxy on to its engine, and answers or fails them."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: Proxy
    _engine: HTTPConnection | None = None

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def finish(self) -> None:
        """Close the connection to the engine with that to the client."""
        if self._engine:
            self._engine.close()
        super().finish()

    def read_call(self) -> tuple[str, bytes]:
        """Return the operation and the body of a call."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        return self.headers.get("X-Amz-Target", "").rpartition(".")[2], body

    def send(self, body: bytes, **changed: str) -> tuple[int, bytes]:
        """Send a call to the engine with ``changed`` headers; return its status and body."""
        if self._engine is None:
            self._engine = HTTPConnection(urlsplit(self.proxy.upstream).netloc, timeout=60)
        left = {name.lower() for name in ("Connection", "Content-Length", *changed)}
        kept = {name: value for name, value in self.headers.items() if name.lower() not in left}
        try:
            self._engine.request("POST", "/", body, kept | changed)
            response = self._engine.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException):
            self._engine.close()
            self._engine = None
            self.reset()
            raise

    def fail(self, status: int, code: str, **more: object) -> None:
        """Answer with an error of DynamoDB."""
        error = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": code, **more}
        self.answer(status, json.dumps(error).encode())

    def answer(
        self,
        status: int,
        content: bytes,
        kind: str = "application/x-amz-json-1.0",
        *,
        checksum: int | None = None,
        pause: float = 0.0,
    ) -> None:
        """Answer a call; ``pause`` are seconds between two bytes."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if kind != "text/html":
            self.send_header("x-amz-crc32", str(crc32(content) if checksum is None else checksum))
        self.end_headers()
        for start in range(0, len(content), 1 if pause else len(content) or 1):
            self.wfile.write(content[start : start + 1] if pause else content)
            sleep(pause)

    def reset(self) -> None:
        """Close the connection with a RST, as a crash does."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()


class _Handler(Forwarding):
    proxy: FaultyProxy

    def do_POST(self) -> None:
        operation, body = self.read_call()
        fault = self.proxy.draw(operation)
        if fault in {"reset before", "reset after", "stalled"}:
            if fault == "reset after":
                self._forward(body, operation)
            if fault == "stalled":
                sleep(self.proxy.stall_seconds)
            self.reset()
        elif fault == "throttled":
            self.fail(400, "ThrottlingException")
        elif fault == "server error":
            self.fail(500, "InternalServerError")
        elif fault == "front end":
            self.answer(503, PAGE, "text/html")
        elif fault == "cancelled":
            self._cancel(json.loads(body)["TransactItems"], {0})
        elif fault == "unprocessed":
            self._leave_unprocessed(operation, json.loads(body))
        else:
            self._pass_on(body, operation, fault)

    def _pass_on(self, body: bytes, operation: str, fault: Fault | None) -> None:
        answered = self._forward(body, operation)
        if answered is None:
            return
        status, content = answered
        if fault == "truncated":
            self.answer(status, content[: len(content) // 2], checksum=crc32(content))
        elif fault == "damaged":
            self.answer(status, self.proxy.random.choice(self.proxy.bodies))
        elif fault == "wrong checksum":
            self.answer(status, content, checksum=crc32(content) ^ 1)
        else:
            self.answer(status, content, pause=0.5 if fault == "dripping" else 0.0)

    def _forward(self, body: bytes, operation: str) -> tuple[int, bytes] | None:
        """Send a call on; None where it met a transaction and was answered."""
        items = _items_in(operation, json.loads(body)) if self.proxy.lock_seconds else []
        with self.proxy.locked(items) as conflicts:
            if conflicts and operation == TRANSACTION:
                self._cancel(json.loads(body)["TransactItems"], conflicts)
                return None
            if conflicts:
                self.fail(400, "TransactionConflictException")
                return None
            if operation == TRANSACTION:
                sleep(self.proxy.lock_seconds)
            return self.send(body)

    def _cancel(self, actions: Sequence[Any], conflicts: set[int] | frozenset[int]) -> None:
        reasons = [
            {"Code": "TransactionConflict" if n in conflicts else "None"}
            for n, _ in enumerate(actions)
        ]
        self.fail(400, "TransactionCanceledException", CancellationReasons=reasons)

    def _leave_unprocessed(self, operation: str, asked: Mapping[str, Any]) -> None:
        left = {"UnprocessedItems": asked["RequestItems"]}
        if operation == "BatchGetItem":
            left = {"UnprocessedKeys": asked["RequestItems"], "Responses": {}}
        self.answer(200, json.dumps(left).encode())


FaultyProxy.handler = _Handler


def _items_in(operation: str, asked: Mapping[str, Any]) -> list[str]:
    """Return a name for each item that a call writes or checks."""
    if operation == TRANSACTION:
        actions = [action for each in asked["TransactItems"] for action in each.values()]
    else:
        actions = [asked] if operation in SINGLE_WRITES else []
    return [f"{action['TableName']} {_key_in(action)}" for action in actions]


def _key_in(action: Mapping[str, Any]) -> str:
    key = action.get("Key") or {n: action["Item"][n] for n in ("pk", "sk") if n in action["Item"]}
    return json.dumps(key, sort_keys=True)
