"""Clients of DynamoDB: metered, with time limits short enough for a page; and their attempts.

That is how long an attempt of a call may take, if its answer is whole, if it is repeated. Two
botocore hooks replace botocore's own retries, which know of no time budget, pause for up to
20 seconds, and take a damaged answer as it is when it is the last. Repeated are no answer, a
damaged one, HTTP 500 and above, and throttling, but for `RETRIED_BY_CALLER`. A call takes half of
what is left of the request's budget at most, so that another attempt has time; its sockets stop
reading then, where an HTTP library limits each read: a byte a second would never meet that.
Follows "Error handling with DynamoDB" of the Developer Guide.
"""

import logging
import socket
import ssl
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from http import HTTPStatus
from math import inf
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, cast
from zlib import crc32

import botocore
import botocore.session
from botocore.awsrequest import (
    AWSHTTPConnection,
    AWSHTTPConnectionPool,
    AWSHTTPSConnection,
    AWSHTTPSConnectionPool,
)
from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.model import OperationModel

from dynapages.calls import clock, meter
from dynapages.calls.faults import Throttled, Unavailable, Unreachable, fault_in
from dynapages.calls.pool import Backoff, OutOfTime, seconds_left
from dynapages.errors import DynamoError
from dynapages.items import ItemParserFactory

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

FAILURES = 8
PAUSE = 0.5

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Breaker:
    """Counts the failures in a row of one client; ``clock`` returns seconds."""

    clock: Callable[[], float] = monotonic
    _failures: int = 0
    _next_try: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def enter(self) -> None:
        """Let a call through. Raises Unreachable where it should not be made."""
        with self._lock:
            if self._failures < FAILURES:
                return
            now = self.clock()
            if now < self._next_try:
                raise Unreachable
            self._next_try = now + PAUSE

    def note(self, *, answered: bool) -> None:
        """Note whether the database answered a call, be it with an error."""
        with self._lock:
            was_open = self._failures >= FAILURES
            self._failures = 0 if answered else self._failures + 1
            is_open = self._failures >= FAILURES
            if is_open:
                self._next_try = self.clock() + PAUSE
        if was_open != is_open:
            logger.warning("DynamoDB %s.", "does not answer" if is_open else "answers again")


LEAST = 0.2
"""Seconds that a call gets although it is more than half of what is left."""
BACKOFF = Backoff(first=0.05, longest=1.0)
CHECKSUM = "x-amz-crc32"
RETRIED_BY_CALLER = frozenset({"BatchGetItem", "BatchWriteItem", "TransactWriteItems"})
"""Calls that `dynapages.calls.batches` and `dynapages.writes` repeat when throttled."""

Answer = tuple[Any, Mapping[str, Any]]
"""botocore's HTTP response, and what was parsed of it."""


class Damaged(Unreachable):
    """The answer is not what DynamoDB sent, or not by DynamoDB at all."""

    def __init__(self) -> None:
        super().__init__("The database gave a damaged answer.")


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts of one client's calls; see `_attach_attempts`."""

    read_seconds: float
    most: int
    breaker: Breaker = field(default_factory=Breaker)

    def before_send(self, **_: object) -> None:
        """Set the time limits of an attempt. Raises OutOfTime, and Unreachable by the breaker."""
        left = seconds_left()
        if left <= 0:
            raise OutOfTime
        self.breaker.enter()
        seconds = min(self.read_seconds, max(left / 2, min(left, LEAST)))
        set_deadline(seconds)

    def needs_retry(
        self,
        attempts: int,
        operation: OperationModel,
        response: Answer | None,
        caught_exception: Exception | None,
        **_: object,
    ) -> float | None:
        """Return the pause before the next attempt, None where there is none. Raises Damaged."""
        if isinstance(caught_exception, DynamoError):  # raised by `before_send`
            return None
        fault = fault_in(caught_exception) if caught_exception else _fault_of(response)
        self.breaker.note(answered=not isinstance(fault, Unreachable))
        pause = BACKOFF.pause(attempts)
        can_repeat = attempts < self.most and pause < seconds_left()
        if can_repeat and _is_passing(fault, operation.name):
            return pause
        if isinstance(fault, Damaged):
            raise fault
        return None


def _attach_attempts(client: Any, connection: "Connection") -> None:  # noqa: ANN401 - of either service
    """Limit and repeat every later call of a client of DynamoDB or its Streams."""
    attempts = Attempts(connection.read_seconds, connection.attempts)
    events, service = client.meta.events, client.meta.service_model.service_id.hyphenize()
    events.unregister(f"needs-retry.{service}", unique_id=f"retry-config-{service}")  # botocore's
    events.register(f"before-send.{service}.*", attempts.before_send)
    events.register(f"needs-retry.{service}.*", attempts.needs_retry)
    bound_reads(client._endpoint.http_session)  # noqa: SLF001 - its only way in


def _is_passing(fault: Unavailable | None, operation: str) -> bool:
    if isinstance(fault, Throttled):
        return operation not in RETRIED_BY_CALLER
    return isinstance(fault, Unreachable)


def _fault_of(answer: Answer | None) -> Unavailable | None:
    if answer is None:
        return None
    http, parsed = answer
    expected: str | None = http.headers.get(CHECKSUM)
    if expected is not None and str(crc32(http.content)) != expected:
        return Damaged()
    if "Error" not in parsed:
        return None
    # By `dynapages.items` that is no JSON object, and an error without a name has its status.
    fault = fault_in(ClientError(cast("Any", parsed), ""))
    is_nameless: bool = parsed["Error"]["Code"].isdigit()
    is_success = http.status_code < HTTPStatus.MULTIPLE_CHOICES
    return Damaged() if is_success or (is_nameless and not fault) else fault


_until: ContextVar[float] = ContextVar("call_until", default=inf)


def set_deadline(seconds: float) -> None:
    """Set the seconds that the next call of this context may take, connecting included."""
    _until.set(monotonic() + seconds)


def bound_reads(http_session: Any) -> None:  # noqa: ANN401 - botocore's URLLib3Session
    """Have all later connections of a botocore HTTP session read until their deadlines."""
    # A test on a socket holds that these are what botocore uses.
    pools = http_session._pool_classes_by_scheme  # noqa: SLF001 - not a parameter of the session
    pools.update(http=_Pool, https=_TlsPool)
    parameters = http_session._manager.connection_pool_kw  # noqa: SLF001 - nor is this
    parameters["ssl_context"].sslsocket_class = _TlsSocket


class _Reads:
    """Lowers the time limit of each read to what is left."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - a socket's
        limited: Any = self
        left = _until.get() - monotonic()
        if left <= 0:
            raise TimeoutError
        limit = limited.gettimeout()
        if limit is None or left < limit:
            limited.settimeout(left)
        read: int = super().recv_into(*args, **kwargs)  # type: ignore[misc] # that of the socket
        return read


class _Socket(_Reads, socket.socket):
    pass


class _TlsSocket(_Reads, ssl.SSLSocket):
    pass


class _Connects:
    """Makes `_Socket`, and connects until the deadline."""

    timeout: float | None

    def _new_conn(self) -> socket.socket:
        left = max(_until.get() - monotonic(), 0.001)
        self.timeout = left if self.timeout is None else min(self.timeout, left)
        made: socket.socket = super()._new_conn()  # type: ignore[misc] # that of urllib3
        limit = made.gettimeout()
        bounded = _Socket(fileno=made.detach())
        bounded.settimeout(limit)
        return bounded


class _Connection(_Connects, AWSHTTPConnection):  # type: ignore[misc] # botocore is untyped
    pass


class _TlsConnection(_Connects, AWSHTTPSConnection):  # type: ignore[misc] # botocore is untyped
    pass


class _Pool(AWSHTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(AWSHTTPSConnectionPool):
    ConnectionCls = _TlsConnection


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


def build_client(connection: Connection) -> "DynamoDBClient":
    """Build a metered client that is not shared."""
    dynamodb = cast("DynamoDBClient", _create("dynamodb", connection))
    meter.attach(dynamodb)
    clock.attach(dynamodb)
    return dynamodb


def build_streams_client(connection: Connection) -> StreamsApi:
    """Build a client of DynamoDB Streams, which is not metered, and waits ten seconds."""
    patient = replace(connection, read_seconds=10.0)
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
            retries={"mode": "standard"},  # replaced, see `Attempts`
            max_pool_connections=connection.parallel_calls + connection.single_call_threads,
            parameter_validation=False,
            user_agent=USER_AGENT,
        ),
    )
    _attach_attempts(client, connection)
    return client


@cache
def _descriptions() -> object:
    # botocore's descriptions of services are large files, the same for all clients.
    return botocore.session.get_session().get_component("data_loader")
