"""The DynamoDB client: one for the process, metered, with time limits short enough for a page.

PynamoDB would build a client for each model, without a lock and with a time limit of 30 seconds:
`DynamoModel` uses this one.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, cast

import botocore
import botocore.session
from botocore.config import Config
from pynamodb.connection import TableConnection
from pynamodb.models import Model

from dynapages.calls import attempts, clock, meter
from dynapages.calls.pool import Pool
from dynapages.items import ItemParserFactory

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


USER_AGENT = f"Botocore/{botocore.__version__}"
"""The User-Agent of all calls.

botocore's own is built twice for each call, which takes a tenth of the call's processor time.
"""


class StreamsApi(Protocol):
    """The calls of botocore's client ``dynamodbstreams`` that `dynapages.streams.walk` uses."""

    def describe_stream(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - botocore's
    def get_shard_iterator(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - same
    def get_records(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - same


@dataclass(frozen=True, slots=True)
class Connection:
    """Where DynamoDB is, and the time limits of calls in seconds.

    Without ``endpoint_url`` it is Amazon DynamoDB in ``region``; without keys the credentials are
    those of botocore's usual chain. ``attempts`` includes the first one. ``parallel_calls`` is for
    the whole process; ``single_call_threads`` are the threads that make single calls besides.
    """

    region: str
    endpoint_url: str | None = None
    access_key: str | None = None
    secret_key: str | None = None
    connect_seconds: float = 1.0
    read_seconds: float = 3.0
    attempts: int = 3
    parallel_calls: int = 16
    single_call_threads: int = 4


Attach = Callable[["DynamoDBClient"], None]
"""Sees each call of a client from then on, by its events."""


class NotConnected(RuntimeError):
    """A client was needed before the first `connect`."""


@dataclass(slots=True)
class _Process:
    connection: Connection | None = None
    client: "DynamoDBClient | None" = None
    background: "DynamoDBClient | None" = None
    attached: "tuple[Attach, ...]" = ()
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
            _process.client = build_client(_connection())
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
            _process.background = build_client(replace(_connection(), attempts=1))
        return _process.background


def on_every_client(attach: Attach) -> None:
    """Attach something to the clients of this process, those that exist and those to come."""
    with _lock:
        _process.attached += (attach,)
        for each in (_process.client, _process.background):
            if each is not None:
                attach(each)


def slow_client() -> "DynamoDBClient":
    """Build a client for slow calls, such as adding an index on an embedded engine.

    It waits ten minutes and does not retry: a second attempt would meet the first one in progress.
    """
    with _lock:
        patient = replace(_connection(), read_seconds=600.0, attempts=1)
    return build_client(patient)


def build_client(connection: Connection) -> "DynamoDBClient":
    """Build a metered client that is not shared."""
    dynamodb = cast("DynamoDBClient", _create("dynamodb", connection))
    meter.attach(dynamodb)
    clock.attach(dynamodb)
    for attach in _process.attached:
        attach(dynamodb)
    return dynamodb


def build_streams_client() -> StreamsApi:
    """Build a client of DynamoDB Streams, which is not metered."""
    with _lock:
        patient = replace(_connection(), read_seconds=10.0)
    return cast("StreamsApi", _create("dynamodbstreams", patient))


def _create(service: str, connection: Connection) -> object:
    # No validation of parameters: the service reports what is wrong, and the sequence numbers of
    # embedded engines are shorter than botocore accepts.
    session = botocore.session.get_session()
    session.register_component("data_loader", _descriptions())
    session.register_component("response_parser_factory", ItemParserFactory())
    client: object = session.create_client(
        service,
        region_name=connection.region,
        endpoint_url=connection.endpoint_url,
        aws_access_key_id=connection.access_key,
        aws_secret_access_key=connection.secret_key,
        config=Config(
            connect_timeout=connection.connect_seconds,
            read_timeout=connection.read_seconds,
            retries={"mode": "standard"},  # replaced, see `attempts`
            max_pool_connections=connection.parallel_calls + connection.single_call_threads,
            parameter_validation=False,
            user_agent=USER_AGENT,
        ),
    )
    attempts.attach(client, connection)
    return client


@cache
def _descriptions() -> object:
    # botocore's descriptions of services are large files, the same for all clients.
    return botocore.session.get_session().get_component("data_loader")


def _connection() -> Connection:
    if _process.connection is None:
        sentence = "Call dynapages.calls.client.connect(…) before the first call to DynamoDB"
        raise NotConnected(sentence)
    return _process.connection


class DynamoModel(Model):
    """A PynamoDB model whose calls use `dynapages.calls.client.client`."""

    @classmethod
    def _get_connection(cls) -> TableConnection:
        connection = super()._get_connection()
        private: Any = connection.connection
        private._client = client()  # noqa: SLF001 - PynamoDB takes no client from outside
        return connection
