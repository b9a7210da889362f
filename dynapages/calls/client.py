"""Clients of DynamoDB: their attempts, their time limits, and the breaker between them.

`build_client` makes a client of botocore, with its methods, paginators, exceptions and events, and
metered. Its calls are attempts made here. What passes is repeated while there is time: no answer,
a damaged one, HTTP 500 and above, and throttling, but for `RETRIED_BY_CALLER`. An attempt takes
half of what is left of the request's budget at most, so that another has time. When `FAILURES`
attempts in a row had no answer, a `Breaker` lets one through every half second.

By default botocore builds, signs and parses each attempt. A `Connection` may ask for the library's
own transport instead (see `dynapages.calls.transport`), which takes a quarter to a third of the
processor time. While an instrumentor is active botocore makes the calls of that one too (see
`dynapages.calls.instrumentors`). Follows "Error handling with DynamoDB" of the Developer Guide.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from io import BytesIO
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.client import BaseClient
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError, ClientError
from botocore.hooks import first_non_none_response
from botocore.model import OperationModel
from urllib3 import HTTPResponse

from dynapages.calls import instrumentors, meter
from dynapages.calls.faults import (
    CANCELLED_AS_THROTTLED,
    Throttled,
    Unavailable,
    Unreachable,
    fault_in,
    patience_ended,
)
from dynapages.calls.patience import ANSWER_SECONDS, Patience, current_patience
from dynapages.calls.pool import Backoff, OutOfTime, seconds_left
from dynapages.calls.transport import (
    Damaged,
    Http,
    Parsed,
    Signer,
    answer_deadline,
    body_of,
    json_object_in,
    parsed_answer,
)
from dynapages.errors import DynamoError

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

FAILURES = 8
"""Attempts without an answer, one after another, until the breaker opens."""
PAUSE = 0.5
"""Seconds between two attempts that an open breaker lets through."""
LEAST_SECONDS = 0.2
"""Seconds that an attempt gets although it is more than half of what is left."""
BACKOFF = Backoff(first=0.05, longest=1.0)
CONDITION_FAILED = "ConditionalCheckFailedException"
"""The error of a condition that does not hold: the database answered as it should."""
RETRIED_BY_CALLER = frozenset({"BatchGetItem", "BatchWriteItem", "TransactWriteItems"})
"""Calls that `dynapages.calls.batches` and `dynapages.writes` repeat when throttled."""

logger: logging.Logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Connection:
    """Where DynamoDB is, and the time limits of calls in seconds.

    Without ``endpoint_url`` it is Amazon DynamoDB in ``region``; without keys the credentials are
    those of botocore's usual chain. ``attempts`` includes the first. ``parallel_calls`` is for the
    process; ``single_call_threads`` make single calls besides.

    botocore builds, signs and parses each call, or with ``library_transport`` this library does, in
    a quarter to a third of the processor time: see `dynapages.calls.transport`. While an
    instrumentor is active that sees botocore's calls alone, botocore makes them.
    """

    region: str
    endpoint_url: str | None = None
    access_key: str | None = None
    secret_key: str | None = field(default=None, repr=False)
    connect_seconds: float = 1.0
    read_seconds: float = 3.0
    attempts: int = 3
    parallel_calls: int = 16
    single_call_threads: int = 4
    library_transport: bool = False


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


def fault_of(parsed: Parsed) -> Unavailable | None:
    """Return the fault that an answer reports; an unnamed error that is no other is `Damaged`.

    None for a success, and for a mistake in the request.
    """
    if "Error" not in parsed or parsed["Error"]["Code"] == CONDITION_FAILED:
        return None
    fault = fault_in(ClientError(cast("Any", parsed), ""))
    if fault is None and parsed["Error"]["Code"].isdigit():
        return Damaged()
    return fault


def is_cancelled_as_throttled(parsed: Parsed | None) -> bool:
    """Return whether an answer cancels a transaction that was more than the capacity allows."""
    reasons = (parsed or {}).get("CancellationReasons", ())
    return any(reason.get("Code") in CANCELLED_AS_THROTTLED for reason in reasons)


class Caller(BaseClient):
    """The first base class of this module's clients, which makes all of their calls.

    Handlers learn of a call by botocore's events; each attempt is a ``before-send`` and a
    ``response-received``.
    """

    connection: Connection
    breaker: Breaker
    http: Http
    signer: Signer

    def _make_api_call(self, operation_name: str, api_params: Mapping[str, Any]) -> Parsed:
        if self.connection.library_transport and not instrumentors.are_active():
            return _Call(self, operation_name, api_params).make()
        # Where an instrumentor has replaced it, this makes a span of the whole call.
        answered = super()._make_api_call(operation_name, api_params)  # type: ignore[misc] # its types leave it out
        return cast("Parsed", answered)

    def _make_request(
        self,
        operation_model: OperationModel,
        request_dict: dict[str, Any],
        request_context: dict[str, Any],
    ) -> tuple[AWSResponse, Parsed]:
        """Send the call that botocore has built, which may take several attempts."""
        client: Any = self

        def send() -> tuple[AWSResponse, Parsed]:
            answer: tuple[AWSResponse, Parsed]
            answer = client._endpoint.make_request(operation_model, request_dict)  # noqa: SLF001 - botocore's own of this client
            return answer

        try:
            return _Attempts(self, operation_model.name, send).make()
        except Exception as error:
            service_id = operation_model.service_model.service_id.hyphenize()
            event = f"after-call-error.{service_id}.{operation_model.name}"
            self.meta.events.emit(event, exception=error, context=request_context)
            raise


@dataclass(frozen=True, slots=True)
class _HttpSession:
    """Sends the requests that botocore has built by `Http`, so that deadlines hold."""

    http: Http

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """Return the answer to a request, whose contents are checked. Raises Unreachable."""
        headers = {}
        built_headers: Any = request.headers
        for name, value in built_headers.items():
            headers[name.lower()] = value.decode() if isinstance(value, bytes) else value
        answer = self.http.post(cast("bytes", request.body), headers)
        parsed = json_object_in(answer)
        if answer.status_code < HTTPStatus.MULTIPLE_CHOICES:
            return answer
        # Of an error, botocore takes any JSON for an object.
        raw = HTTPResponse(BytesIO(body_of(parsed)), preload_content=False)
        return AWSResponse(answer.url, answer.status_code, cast("Any", answer.headers), raw)

    def close(self) -> None:
        """Close nothing: connections end with their client."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What one attempt of a call came to: an answer in botocore's form, or a failure.

    An answer may be an error. ``fault`` is what either means, if it means to come back later.
    """

    answer: AWSResponse | None
    parsed: Parsed | None
    failure: Exception | None
    fault: Unavailable | None

    def result(self, *, retries: int) -> tuple[AWSResponse, Parsed]:
        """Return the answer and what it holds, or raise why there is none."""
        if self.answer is None or self.parsed is None:
            raise cast("Exception", self.failure)
        if isinstance(self.fault, Damaged):
            raise self.fault
        self.parsed["ResponseMetadata"]["RetryAttempts"] = retries
        return self.answer, self.parsed


@dataclass(frozen=True, slots=True)
class _Attempts:
    """The attempts of one call of an operation by a client; ``send`` makes one of them."""

    client: Caller
    operation: str
    send: Callable[[], tuple[AWSResponse, Parsed]]

    def make(self) -> tuple[AWSResponse, Parsed]:
        """Make attempts until one is final; return its answer. Raises why there is none."""
        patience = current_patience.get()
        if patience is not None:
            return self.make_patiently(patience)
        number = 0
        while True:
            number += 1
            self.set_deadline(self.client.connection.read_seconds)
            self.client.breaker.enter()
            attempt = self.attempt()
            pause = BACKOFF.pause(number)
            has_another = number < self.client.connection.attempts and pause < seconds_left()
            if not has_another or not self.is_passing(attempt.fault):
                return attempt.result(retries=number - 1)
            sleep(pause)

    def make_patiently(self, patience: Patience) -> tuple[AWSResponse, Parsed]:
        """Make attempts like `make`, for as long as a batch job waits, and without a breaker."""
        number, retries = 0, 0
        ends_at = patience.ends_at()
        most_seconds = max(ANSWER_SECONDS, self.client.connection.read_seconds)
        while True:
            number += 1
            with patience.one_call(seconds_left()):
                self.set_deadline(most_seconds)
                began = patience.clock()
                attempt = self.attempt()
            self.note(attempt, patience, seconds=patience.clock() - began)
            pause = BACKOFF.pause(number)
            is_waited_for = self.is_waited_for(attempt.fault, number, patience)
            if not is_waited_for or pause >= seconds_left():
                return attempt.result(retries=retries)
            if patience.clock() + pause >= ends_at:
                raise patience_ended(attempt.fault, patience.seconds) from attempt.failure
            # A throttled attempt was not carried out: whoever repeats the call may rely on that.
            if not isinstance(attempt.fault, Throttled):
                retries += 1
            sleep(pause)

    def is_waited_for(self, fault: Unavailable | None, number: int, patience: Patience) -> bool:
        """Return whether a batch job repeats an attempt of that number, which met a fault."""
        if not self.is_passing(fault):
            return False
        if isinstance(fault, Throttled):
            return True
        attempts = self.client.connection.attempts
        if attempts == 1:  # a second attempt would meet the first one in progress
            return False
        # What has never answered is not there, as where an address is wrong.
        return patience.has_answered or number < attempts

    @staticmethod
    def note(attempt: _Attempt, patience: Patience, *, seconds: float) -> None:
        """Note for a batch job what an attempt came to."""
        if isinstance(attempt.fault, Throttled) or is_cancelled_as_throttled(attempt.parsed):
            patience.note_throttled()
        elif isinstance(attempt.fault, Unreachable):
            patience.note_no_answer()
        else:
            patience.note_answer(seconds)

    def set_deadline(self, most_seconds: float) -> None:
        """Set when the answer to the next attempt must be there. Raises OutOfTime."""
        left = seconds_left()
        if left <= 0:
            raise OutOfTime
        share = max(left / 2, min(left, LEAST_SECONDS))
        answer_deadline.set(monotonic() + min(most_seconds, share))

    def attempt(self) -> _Attempt:
        """Make the call once, and note for the client's breaker what came."""
        answer, parsed, failure = None, None, None
        try:
            answer, parsed = self.send()
            fault = fault_of(parsed)
        except (DynamoError, BotoCoreError) as error:
            failure, fault = error, fault_in(error)
        self.client.breaker.note(answered=not isinstance(fault, Unreachable))
        return _Attempt(answer, parsed, failure, fault)

    def is_passing(self, fault: Unavailable | None) -> bool:
        """Return whether to try again after a fault."""
        if isinstance(fault, Throttled):
            return self.operation not in RETRIED_BY_CALLER
        return isinstance(fault, Unreachable)


class _Call:
    """One call of a client, whose handlers may change its parameters, or answer it."""

    def __init__(self, client: Any, name: str, parameters: Mapping[str, Any]) -> None:  # noqa: ANN401 - a `Caller`
        self.client = client
        self.operation = client.meta.service_model.operation_model(name)
        self.context: dict[str, Any] = {}
        service_id = self.operation.service_model.service_id.hyphenize()
        self.event_suffix = f".{service_id}.{name}"
        for event in ("provide-client-params", "before-parameter-build"):
            parameters = self.emit(event, params=parameters) or parameters
        self.parameters, self.body = parameters, body_of(parameters)
        service = self.operation.service_model.metadata
        self.headers = {
            "content-type": f"application/x-amz-json-{service['jsonVersion']}",
            "user-agent": f"dynapages Botocore/{botocore.__version__}",
            "x-amz-target": f"{service['targetPrefix']}.{name}",
        }

    def emit(self, event: str, **arguments: object) -> Any:  # noqa: ANN401 - what a handler returns
        """Emit one of botocore's events about this call; return the first answer of a handler."""
        responses = self.client.meta.events.emit(
            event + self.event_suffix, model=self.operation, context=self.context, **arguments
        )
        return first_non_none_response(responses)

    def make(self) -> Parsed:
        """Return what was answered. Raises ClientError, Unavailable and BotoCoreError."""
        request = {"body": self.body, "headers": self.headers}
        try:
            answered = self.emit("before-call", params=request)
            if answered is None:
                answered = _Attempts(self.client, self.operation.name, self.send).make()
            answer, parsed = answered
        except Exception as error:
            self.emit("after-call-error", exception=error)
            raise
        self.emit("after-call", http_response=answer, parsed=parsed)
        if "Error" in parsed:
            kind = self.client.exceptions.from_code(parsed["Error"]["Code"])
            raise kind(parsed, self.operation.name)
        return cast("Parsed", parsed)

    def send(self) -> tuple[AWSResponse, Parsed]:
        """Make the call once; return the answer and its contents. Raises why there is none."""
        try:
            answer, parsed = self.post()
        except (DynamoError, BotoCoreError) as error:
            self.emit("response-received", parsed_response=None, exception=error)
            raise
        self.emit("response-received", parsed_response=parsed, exception=None)
        return answer, parsed

    def post(self) -> tuple[AWSResponse, Parsed]:
        """Sign and send the call; return the answer and its contents."""
        http = self.client.http
        headers: Any = self.client.signer.sign(http, self.body, self.headers)
        # A handler may answer in the database's place, as moto does within a process.
        request = AWSPreparedRequest("POST", http.url, headers, self.body, stream_output=False)
        answer = self.emit("before-send", request=request) or http.post(self.body, headers)
        return answer, parsed_answer(answer, self.operation)


# Building clients


def build_client(connection: Connection) -> "DynamoDBClient":
    """Build a metered client that is not shared."""
    dynamodb: DynamoDBClient = build_client_of("dynamodb", connection)
    meter.attach(dynamodb)
    return dynamodb


def build_client_of(service: str, connection: Connection) -> Any:  # noqa: ANN401 - of any service
    """Build a client of a service that is spoken to as DynamoDB is, which is not metered."""
    session = botocore.session.get_session()
    session.register_component("data_loader", _descriptions())
    arguments: dict[str, Any] = {
        "service_name": service,
        "region_name": connection.region,
        "endpoint_url": connection.endpoint_url,
        "aws_access_key_id": connection.access_key,
        "aws_secret_access_key": connection.secret_key,
        # No validation of parameters: the service reports what is wrong, and the sequence numbers
        # of embedded engines are shorter than botocore accepts. No retries: `Caller` repeats.
        "config": Config(
            parameter_validation=False, retries={"total_max_attempts": 1, "mode": "standard"}
        ),
    }
    session.register("creating-client-class", _insert_caller)
    client: Any = session.create_client(**arguments)
    session.unregister("creating-client-class", _insert_caller)
    credentials: Credentials | None
    if connection.access_key and connection.secret_key:
        credentials = Credentials(connection.access_key, connection.secret_key)
    else:
        # The usual chain may ask the network, so only where it is needed.
        credentials = session.get_credentials()
    client.signer = Signer(client.meta.region_name, credentials)
    client.connection = connection
    client.breaker = Breaker()
    client.http = Http(
        client.meta.endpoint_url,
        seconds=connection.connect_seconds,
        size=connection.parallel_calls + connection.single_call_threads,
        ca_bundle=session.get_config_variable("ca_bundle"),
    )
    client._endpoint.http_session = _HttpSession(client.http)  # noqa: SLF001 - botocore has no argument for it
    return client


def _insert_caller(**event: Any) -> None:  # noqa: ANN401 - botocore's
    """Make `Caller` the first base class of a client that is built: a handler of botocore's."""
    event["base_classes"].insert(0, Caller)


@cache
def _descriptions() -> object:
    # botocore's descriptions of services are large files, the same for all clients.
    return botocore.session.get_session().get_component("data_loader")
