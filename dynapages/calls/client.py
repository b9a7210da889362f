"""Clients of DynamoDB: metered, with time limits short enough for a page; and their attempts.

A client is botocore's, with its methods, paginators, exceptions and events, but its calls are made
here: by urllib3, in a third of botocore's processor time, or by botocore where `Connection` says so.
Each attempt has a deadline; an answer must be whole; what passes is repeated, while a request has
time: no answer, a damaged one, HTTP 500 and above, and throttling, but for `RETRIED_BY_CALLER`. A
call takes half of what is left of the request's budget at most, so that another attempt has time.
Follows "Error handling with DynamoDB" of the Developer Guide.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, partial
from io import BytesIO
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Protocol, cast

import botocore.session
from botocore import xform_name
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError, ClientError
from botocore.hooks import first_non_none_response
from botocore.model import OperationModel

from dynapages.calls import meter
from dynapages.calls.faults import Throttled, Unavailable, Unreachable, fault_in
from dynapages.calls.http import Http, HttpAnswer, set_deadline
from dynapages.calls.pool import Backoff, OutOfTime, seconds_left
from dynapages.calls.wire import (
    Damaged,
    Parsed,
    Signer,
    body_of,
    fault_of,
    headers_of,
    parsed,
    require_object,
)
from dynapages.errors import DynamoError

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
RETRIED_BY_CALLER = frozenset({"BatchGetItem", "BatchWriteItem", "TransactWriteItems"})
"""Calls that `dynapages.calls.batches` and `dynapages.writes` repeat when throttled."""

Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Attempts:
    """The attempts of one client's calls, each by ``send``, which is given their time limit."""

    read_seconds: float
    most: int
    breaker: Breaker = field(default_factory=Breaker)

    def begin(self) -> None:
        """Set the deadline of an attempt. Raises OutOfTime, and Unreachable by the breaker."""
        left = seconds_left()
        if left <= 0:
            raise OutOfTime
        self.breaker.enter()
        set_deadline(min(self.read_seconds, max(left / 2, min(left, LEAST))))

    def pause_after(self, number: int, fault: Unavailable | None, operation: str) -> float | None:
        """Note what an attempt met; return the pause before the next, None where there is none."""
        self.breaker.note(answered=not isinstance(fault, Unreachable))
        if fault is None or number >= self.most:
            return None
        is_passing = isinstance(fault, Throttled) and operation not in RETRIED_BY_CALLER
        pause = BACKOFF.pause(number)
        if (is_passing or isinstance(fault, Unreachable)) and pause < seconds_left():
            return pause
        return None


Tell = Callable[..., Any]
"""Tells a client's handlers of an event of a call, and returns what they did."""
Answered = tuple[Any, Parsed]
"""An HTTP answer, and what was parsed of it; an error has an ``Error``, as in a ClientError."""


class _Transport(Protocol):
    def send(self, operation: OperationModel, request: "_Request", tell: Tell) -> Answered: ...


@dataclass(frozen=True, slots=True)
class _Request:
    parameters: Parameters
    body: bytes
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Direct:
    """Sends requests that `dynapages.calls.wire` builds and signs."""

    http: Http
    signer: Signer

    def send(self, operation: OperationModel, request: _Request, tell: Tell) -> Answered:
        headers = self.signer.sign(request.body, request.headers)
        prepared = AWSPreparedRequest(
            "POST", self.http.url, cast("Any", headers), request.body, stream_output=False
        )
        # A handler may answer in the database's place, as moto does within a process.
        stub = first_non_none_response(tell("before-send", request=prepared))
        if stub is None:
            answer = self.http.post(request.body, headers)
        else:
            answer = HttpAnswer(stub.status_code, stub.headers, stub.content)
        return answer, parsed(answer, operation)


class _ByBotocore:
    """Sends requests that botocore builds and signs, and has it parse the answers."""

    def __init__(self, http: Http, client: Any) -> None:  # noqa: ANN401 - of either service
        self._http = http
        self._client = client
        self._answer: ContextVar[HttpAnswer] = ContextVar("answer")
        client.meta.events.register("before-send", self._post)

    def send(self, operation: OperationModel, request: _Request, tell: Tell) -> Answered:
        tell("before-send", request=None)
        try:
            found = getattr(self._client, xform_name(operation.name))(**request.parameters)
        except ClientError as error:
            found = error.response
        return self._answer.get(), found

    def _post(self, request: Any, **_: object) -> AWSResponse:  # noqa: ANN401 - botocore's
        headers = {name: _text(value) for name, value in request.headers.items()}
        answer = self._http.post(request.body, headers)
        self._answer.set(answer)
        found = require_object(answer)
        # Of an error, botocore takes any JSON for an object.
        content = answer.content if answer.is_success else body_of(found)
        told: Any = answer.headers
        return AWSResponse(request.url, answer.status_code, told, _Body(content))


class _Body(BytesIO):
    def stream(self, **_: object) -> Iterator[bytes]:
        yield self.read()


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


@dataclass(frozen=True, slots=True)
class _Calls:
    """Makes the calls of a client, and tells its handlers of them by botocore's events."""

    client: Any
    transport: _Transport
    attempts: _Attempts

    def make(self, name: str, parameters: Parameters) -> Parsed:
        """Make a call. Raises ClientError, Unavailable and botocore's other errors."""
        operation = self.client.meta.service_model.operation_model(name)
        context: dict[str, Any] = {}
        tell = partial(self._tell, operation=operation, context=context)
        for event in ("provide-client-params", "before-parameter-build"):
            changed = first_non_none_response(tell(event, params=parameters))
            parameters = parameters if changed is None else changed
        request = _Request(parameters, body_of(parameters), headers_of(operation))
        raw = {"headers": request.headers, "body": request.body, "context": context}
        answered = first_non_none_response(tell("before-call", params=raw))
        if answered is None:
            try:
                answered = self._repeat(operation, request, tell)
            except Exception as error:
                tell("after-call-error", exception=error)
                raise
        found: Parsed
        http, found = answered
        tell("after-call", http_response=http, parsed=found)
        if "Error" in found:
            raise self.client.exceptions.from_code(found["Error"]["Code"])(found, name)
        return found

    def _repeat(self, operation: OperationModel, request: _Request, tell: Tell) -> Answered:
        failure: Exception | None
        number, answered = 0, None
        while True:
            number += 1
            self.attempts.begin()
            try:
                answered = self.transport.send(operation, request, tell)
            except (DynamoError, BotoCoreError) as error:
                answered, failure, fault = None, error, fault_in(error)
            else:
                fault = fault_of(answered[1])
                failure = fault if isinstance(fault, Damaged) else None
            found = answered[1] if answered else None
            tell("response-received", parsed_response=found, exception=failure)
            pause = self.attempts.pause_after(number, fault, operation.name)
            if pause is not None:
                sleep(pause)
            elif answered is None or failure is not None:
                raise failure or AssertionError
            else:
                answered[1]["ResponseMetadata"]["RetryAttempts"] = number - 1
                return answered

    def _tell(self, event: str, *, operation: OperationModel, **about: object) -> Any:  # noqa: ANN401
        service = operation.service_model.service_id.hyphenize()
        name = f"{event}.{service}.{operation.name}"
        return self.client.meta.events.emit(name, model=operation, **about)


class Caller:
    """The first base class of this module's clients: all of their calls are made by `_Calls`."""

    calls: _Calls

    def _make_api_call(self, operation_name: str, api_params: Parameters) -> Parsed:
        return self.calls.make(operation_name, api_params)


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
    the whole process; ``single_call_threads`` are the threads that make single calls besides. With
    ``by_botocore`` botocore builds, signs and parses each call, in three times the processor time.
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
    by_botocore: bool = False


def build_client(connection: Connection) -> "DynamoDBClient":
    """Build a metered client that is not shared."""
    dynamodb = cast("DynamoDBClient", _create("dynamodb", connection))
    meter.attach(dynamodb)
    return dynamodb


def build_streams_client(connection: Connection) -> StreamsApi:
    """Build a client of DynamoDB Streams, which is not metered, and waits ten seconds."""
    patient = replace(connection, read_seconds=10.0)
    return cast("StreamsApi", _create("dynamodbstreams", patient))


def _create(service: str, connection: Connection) -> object:
    session = botocore.session.get_session()
    session.register_component("data_loader", _descriptions())
    arguments: dict[str, Any] = {
        "service_name": service,
        "region_name": connection.region,
        "endpoint_url": connection.endpoint_url,
        "aws_access_key_id": connection.access_key,
        "aws_secret_access_key": connection.secret_key,
        # No validation of parameters: the service reports what is wrong, and the sequence numbers
        # of embedded engines are shorter than botocore accepts. No retries: `_Calls` repeats.
        "config": Config(
            read_timeout=connection.read_seconds,
            parameter_validation=False,
            retries={"total_max_attempts": 1, "mode": "legacy"},
        ),
    }
    plain: Any = session.create_client(**arguments) if connection.by_botocore else None
    session.register("creating-client-class", _insert_caller)
    client: Any = session.create_client(**arguments)
    session.unregister("creating-client-class", _insert_caller)
    meta = client.meta
    http = Http(
        meta.endpoint_url,
        seconds=connection.connect_seconds,
        size=connection.parallel_calls + connection.single_call_threads,
        ca_bundle=session.get_config_variable("ca_bundle"),
    )
    transport: _Transport
    if plain is not None:
        transport = _ByBotocore(http, plain)
    else:
        access, secret = connection.access_key, connection.secret_key
        keys = Credentials(access, secret) if access and secret else session.get_credentials()
        signer = Signer(meta.endpoint_url, region=meta.region_name, credentials=keys)
        transport = _Direct(http, signer)
    attempts = _Attempts(connection.read_seconds, connection.attempts)
    client.calls = _Calls(client, transport, attempts)
    return cast("object", client)


def _insert_caller(**about: Any) -> None:  # noqa: ANN401 - botocore's
    about["base_classes"].insert(0, Caller)


@cache
def _descriptions() -> object:
    # botocore's descriptions of services are large files, the same for all clients.
    return botocore.session.get_session().get_component("data_loader")
