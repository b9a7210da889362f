"""One connection for a process: its client, its pool of threads, and reads and writes by them.

Nothing else of the library imports this module, but for its adapters. Whoever makes clients of
their own passes these to `dynapages.Feed`, `dynapages.lists.read_page` and so on instead.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import TYPE_CHECKING, Unpack

from dynapages.calls.batches import Batches
from dynapages.calls.client import Connection, build_client
from dynapages.calls.pool import Backoff, Pool
from dynapages.errors import DynamoError
from dynapages.lists.queries import QuerySource
from dynapages.lists.reader import (
    Order,
    Page,
    PageRequest,
    PlanOf,
    Reading,
    Segment,
    read_page,
    read_segments,
)
from dynapages.lists.runs import Run
from dynapages.writes.transactions import Action, write_transaction

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

__all__ = ["NotConnected", "client", "connect", "pool", "read"]

Attach = Callable[["DynamoDBClient"], None]
"""Sees each call of a client from then on, by its events."""
PAGE_BACKOFF = Backoff(attempts=3)
"""For pages: a visitor is waiting, so a throttled call is soon an error."""
SLOW_SECONDS = 600.0
"""How long an answer may take that an embedded engine gives when an index is built."""


class NotConnected(DynamoError, RuntimeError):
    """A client was needed before the first `connect`."""


@dataclass(slots=True)
class _Process:
    """What this process has made; clients are made when they are first needed."""

    connection: Connection | None = None
    client: "DynamoDBClient | None" = None
    background: "DynamoDBClient | None" = None
    attached: tuple[Attach, ...] = ()
    pool: Pool | None = None


_lock = Lock()
_process = _Process()


def _forget_clients() -> None:
    """In a forked process: build clients anew, as no two processes may share a connection."""
    _process.client = _process.background = None
    if _process.connection:
        _process.pool = Pool(_process.connection.parallel_calls)


os.register_at_fork(after_in_child=_forget_clients)


def connect(connection: Connection) -> None:
    """Set the process's connection. Its client is built when it is first needed."""
    with _lock:
        # A client that others still have stays usable; only new ones are of this connection.
        _process.connection = connection
        _process.client = _process.background = None
        _process.pool = Pool(connection.parallel_calls)


@contextmanager
def connected(connection: Connection) -> Iterator[None]:
    """Use another connection within the block, and the client from before after it."""
    with _lock:
        before = replace(_process)
    connect(connection)
    try:
        yield
    finally:
        # Set in place: other functions have this very object.
        with _lock:
            for each in fields(_Process):
                setattr(_process, each.name, getattr(before, each.name))


def current_connection() -> Connection:
    """Return the process's connection. Raises NotConnected before `connect`."""
    with _lock:
        return _connection()


def client() -> "DynamoDBClient":
    """Return the process's client. Raises NotConnected before `connect`."""
    with _lock:
        if _process.client is None:
            _process.client = _build(_connection())
        return _process.client


def pool() -> Pool:
    """Return the process's pool for parallel reads. Raises NotConnected before `connect`."""
    with _lock:
        _connection()
        assert _process.pool is not None  # noqa: S101 - connect sets both
        return _process.pool


def background_client() -> "DynamoDBClient":
    """Return the process's client for background work, which has its own connections.

    It does not retry: background work does.
    """
    with _lock:
        if _process.background is None:
            _process.background = _build(replace(_connection(), attempts=1))
        return _process.background


def slow_client() -> "DynamoDBClient":
    """Build a client for slow calls, such as adding an index on an embedded engine.

    It waits ten minutes and does not retry: a second attempt would meet the first one in progress.
    """
    with _lock:
        return _build(replace(_connection(), read_seconds=SLOW_SECONDS, attempts=1))


def on_every_client(attach: Attach) -> None:
    """Attach something to the clients of this process, those that exist and those to come."""
    with _lock:
        _process.attached = (*_process.attached, attach)
        for existing in (_process.client, _process.background):
            if existing is not None:
                attach(existing)


def _connection() -> Connection:
    if _process.connection is None:
        raise NotConnected("Call dynapages.process.connect(…) before the first call to DynamoDB")
    return _process.connection


def _build(connection: Connection) -> "DynamoDBClient":
    """Build a client, with all attached to it that watches calls."""
    built = build_client(connection)
    # Whatever watches calls was attached once, and is for clients of later connections too.
    for attach in _process.attached:
        attach(built)
    return built


# Reads and writes by the process's client


def read(runs: Iterable[Run], request: PageRequest, **how: Unpack[Reading]) -> Page:
    """Read a page by the process's client; see `dynapages.lists.reader.read_page`."""
    return read_page(runs, request, source=QuerySource(client()), pool=pool(), **how)


def read_in_segments(
    segments: Sequence[Segment],
    plan_of: PlanOf,
    request: PageRequest,
    *,
    order: Order = Order.NEWEST_FIRST,
    may_miss_tables: bool = False,
) -> Page:
    """Read a page of a list in segments; see `dynapages.lists.reader.read_segments`.

    With ``may_miss_tables`` a table that does not exist is read as an empty one.
    """
    source = QuerySource(client(), may_miss_tables=may_miss_tables)
    return read_segments(segments, plan_of, request, source=source, pool=pool(), order=order)


def page_batches() -> Batches:
    """Return batch calls for a page, with few retries when throttled."""
    return Batches(client(), pool(), backoff=PAGE_BACKOFF)


def write_actions(actions: Iterable[Action]) -> None:
    """Write actions in one transaction; see `dynapages.writes.transactions.write_transaction`."""
    write_transaction(client(), actions)
