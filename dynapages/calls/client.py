"""Clients of DynamoDB: metered, with time limits short enough for a page; and their attempts.

A client is botocore's, with its methods, paginators, exceptions and events, but its calls are made
here: JSON, signed, by a kept connection of urllib3, in half to a third of the processor time. An
answer must be whole. What passes is repeated while there is time: no answer, a damaged one, HTTP
500 and above, and throttling, but for `RETRIED_BY_CALLER`. An attempt takes half of what is left of
the request's budget at most, so that another has time, and reads until then: an HTTP library limits
each read, which a byte a second would never meet. Follows "DynamoDB low-level API" and "Error
handling with DynamoDB" of the Developer Guide, and "Create a signed AWS API request" of the IAM
User Guide.
"""

import hmac
import json
import logging
import socket
import ssl
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache, partial
from hashlib import sha256
from http import HTTPStatus
from io import BytesIO
from math import inf
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from zlib import crc32

import botocore.session
from botocore import xform_name
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from botocore.hooks import first_non_none_response
from botocore.httpsession import ProxyConfiguration
from botocore.model import OperationModel
from botocore.parsers import create_parser
from botocore.utils import get_environ_proxies
from urllib3 import HTTPConnectionPool, HTTPResponse, PoolManager, ProxyManager, Retry, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from dynapages.calls import clock, meter
from dynapages.calls.faults import Throttled, Unavailable, Unreachable, fault_in
from dynapages.calls.pool import Backoff, OutOfTime, seconds_left
from dynapages.errors import DynamoError

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

FAILURES = 8
PAUSE = 0.5
LEAST = 0.2
"""Seconds that a call gets although it is more than half of what is left."""
BACKOFF = Backoff(first=0.05, longest=1.0)
RETRIED_BY_CALLER = frozenset({"BatchGetItem", "BatchWriteItem", "TransactWriteItems"})
"""Calls that `dynapages.calls.batches` and `dynapages.writes` repeat when throttled."""

logger = logging.getLogger(__name__)

Parsed = dict[str, Any]


class Damaged(Unreachable):
    """The answer is not what DynamoDB sent, or not by DynamoDB at all."""

    def __init__(self) -> None:
        super().__init__("The database gave a damaged answer.")


@dataclass(frozen=True, slots=True)
class Connection:
    """Where DynamoDB is, and the time limits of calls in seconds.

    Without ``endpoint_url`` it is Amazon DynamoDB in ``region``; without keys the credentials are
    those of botocore's usual chain. ``attempts`` includes the first. ``parallel_calls`` is for the
    process; ``single_call_threads`` make single calls besides. Where it is ``by_botocore``, that
    builds, signs and parses each call, in twice to three times the processor time.
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


_until: ContextVar[float] = ContextVar("call_until", default=inf)  # connecting included


class Http:
    """Posts signed requests to one endpoint, by the proxy that the environment names.

    A server's certificate is verified with those of the platform, or with those in the file
    ``ca_bundle``. ``seconds`` limit connecting; ``size`` is how many connections are kept.
    """

    def __init__(
        self, url: str, *, seconds: float, size: int, ca_bundle: str | None = None
    ) -> None:
        self.url = url
        parts = urlsplit(url)
        is_tls = parts.scheme == "https"
        self.path = parts.path or "/"
        self.host = parts.netloc.rpartition("@")[2].removesuffix(":443" if is_tls else ":80")
        options: dict[str, Any] = {"maxsize": size}
        if is_tls:
            options["ssl_context"] = ssl.create_default_context(cafile=ca_bundle)
            options["ssl_context"].sslsocket_class = _TlsSocket
        proxies: Any = ProxyConfiguration(get_environ_proxies(url))
        proxy = proxies.proxy_url_for(url)
        headers = proxies.proxy_headers_for(proxy) if proxy else {}
        make: Any = partial(ProxyManager, proxy, proxy_headers=headers) if proxy else PoolManager
        manager = make(**options)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}
        self._pool = manager.connection_from_url(url)
        # A proxy of plain HTTP is asked for the whole address, by each request.
        is_asked = proxy and not is_tls
        self._headers = headers if is_asked else {}
        self._target = parts._replace(path=self.path).geturl() if is_asked else self.path
        self._options: dict[str, Any] = {
            "retries": Retry(total=False, redirect=False),
            "timeout": Timeout(connect=seconds),
            "assert_same_host": False,
            "preload_content": False,
        }

    def post(self, body: bytes, headers: Mapping[str, str]) -> AWSResponse:
        """Post once, until the deadline; the clock learns from the answer. Raises Unreachable."""
        sent = clock.process_clock.local()
        try:
            raw = self._pool.urlopen(
                "POST", self._target, body, {**headers, **self._headers}, **self._options
            )
            answer = AWSResponse(self.url, raw.status, cast("Any", raw.headers), raw)
            answer.content  # noqa: B018 - read now, by the deadline
        except HTTPError as error:
            raise Unreachable from error
        clock.learn(answer.headers.get("date", ""), sent=sent)
        return answer


class _Reads:
    """Limits each read to what is left until the deadline."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - a socket's
        limited: Any = self
        left = _until.get() - monotonic()
        if left <= 0:
            raise TimeoutError
        limited.settimeout(None if left == inf else left)
        read: int = super().recv_into(*args, **kwargs)  # type: ignore[misc] # that of the socket
        return read


class _Socket(_Reads, socket.socket): ...


class _TlsSocket(_Reads, ssl.SSLSocket): ...


class _Connects:
    """Makes `_Socket`, and connects until the deadline."""

    timeout: Any

    def _new_conn(self) -> socket.socket:
        self.timeout = min(self.timeout, max(_until.get() - monotonic(), 0.001))
        made: socket.socket = super()._new_conn()  # type: ignore[misc] # that of urllib3
        bounded = _Socket(fileno=made.detach())
        bounded.settimeout(self.timeout)
        return bounded


class _Pool(HTTPConnectionPool):
    ConnectionCls: Any = type("_Connection", (_Connects, HTTPConnection), {})


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls: Any = type("_TlsConnection", (_Connects, HTTPSConnection), {})


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs requests by Signature Version 4, with credentials as they are then.

    The moment of a signature is DynamoDB's: a machine's wrong clock costs one refused call.
    """

    region: str
    credentials: Credentials | None
    service: str = "dynamodb"

    def sign(self, http: Http, body: bytes, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers of a POST, with lower-case names, signed. Raises botocore's errors."""
        if self.credentials is None:
            raise NoCredentialsError
        keys, moment = self.credentials.get_frozen_credentials(), f"{clock.now():%Y%m%dT%H%M%SZ}"
        signed = {**headers, "host": http.host, "x-amz-date": moment}
        if keys.token:
            signed["x-amz-security-token"] = keys.token
        names = ";".join(sorted(signed))
        lines = "\n".join(f"{name}:{' '.join(signed[name].split())}" for name in sorted(signed))
        request = f"POST\n{http.path}\n\n{lines}\n\n{names}\n{sha256(body).hexdigest()}"
        scope = f"{moment[:8]}/{self.region}/{self.service}/aws4_request"
        of_request = sha256(request.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{of_request}".encode()
        signature = hmac.digest(_signing_key(keys.secret_key or "", scope), text, "sha256").hex()
        signed["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={keys.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}"
        )
        return signed


@lru_cache(maxsize=8)
def _signing_key(secret_key: str, scope: str) -> bytes:
    key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def body_of(parameters: Mapping[str, Any]) -> bytes:
    """Encode the parameters of a call. Raises TypeError for what is no value of DynamoDB's."""
    return json.dumps(parameters, default=_encoded, separators=(",", ":")).encode()


def _encoded(value: object) -> object:
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, datetime):
        return value.timestamp()
    raise TypeError(f"{value!r} is no value that DynamoDB takes")


def object_in(answer: AWSResponse) -> Parsed:
    """Return the JSON object that the body of an answer is. Raises Damaged.

    What is no JSON object but tells of an error is one with that text as its message.
    """
    content = answer.content
    checksum = answer.headers.get("x-amz-crc32")
    if checksum is not None and str(crc32(content)) != checksum:
        raise Damaged
    has_bytes = b'"B"' in content or b'"BS"' in content
    try:
        found = json.loads(content, object_hook=_decoded if has_bytes else None)
    except ValueError:  # no UTF-8, or no JSON
        found = None
    if isinstance(found, dict):
        return found
    if answer.status_code < HTTPStatus.MULTIPLE_CHOICES:
        raise Damaged
    return {"message": content.decode(errors="replace")}


def _decoded(value: Parsed) -> Parsed:
    """Decode an attribute's value of bytes. No other object has a string under these names."""
    if isinstance(value.get("B"), str):
        return {"B": b64decode(value["B"])}
    if isinstance(value.get("BS"), list):
        return {"BS": [b64decode(each) for each in value["BS"]]}
    return value


def parsed(answer: AWSResponse, operation: OperationModel) -> Parsed:
    """Return an answer as botocore does, or what it makes the response of a ClientError.

    An error without a name has its HTTP status as its code. Raises Damaged.
    """
    found, asked = object_in(answer), operation.input_shape
    if answer.status_code >= HTTPStatus.MULTIPLE_CHOICES:
        code = found.get("__type", str(answer.status_code)).partition(":")[0].rpartition("#")[2]
        text = found.get("message", found.get("Message", ""))
        shape: Any = operation.service_model.shape_for_error_code(code)
        known = {name: found[name] for name in (shape.members if shape else ()) if name in found}
        found = {"Error": {"Message": text, "Code": code}, **known}
    elif asked is None or "ReturnConsumedCapacity" not in asked.members:
        # What is not about items has moments, which are numbers in JSON.
        raw = {"headers": {}, "status_code": answer.status_code, "body": answer.content}
        found = create_parser("json").parse(raw, cast("Any", operation.output_shape))
    headers = {name.lower(): value for name, value in answer.headers.items()}
    found["ResponseMetadata"] = {
        "RequestId": headers.get("x-amzn-requestid", ""),
        "HTTPStatusCode": answer.status_code,
        "HTTPHeaders": headers,
    }
    return found


def fault_of(found: Parsed) -> Unavailable | None:
    """Return the fault that an answer tells of; an unnamed error that is no other is `Damaged`.

    None for a success, and for a mistake in the request.
    """
    if "Error" not in found:
        return None
    fault = fault_in(ClientError(cast("Any", found), ""))
    return fault or (Damaged() if found["Error"]["Code"].isdigit() else None)


class Caller:
    """The first base class of this module's clients, which makes all of their calls.

    Handlers are told of a call by botocore's events; each attempt is a ``before-send`` and a
    ``response-received``. ``plain`` is a client of botocore that makes the attempts instead.
    """

    connection: Connection
    breaker: Breaker
    http: Http
    signer: Signer
    plain: Any = None

    def _make_api_call(self, operation_name: str, api_params: Mapping[str, Any]) -> Parsed:
        return _Call(self, operation_name, api_params).make()

    def post(self, request: Any, **_: object) -> AWSResponse:  # noqa: ANN401 - botocore's
        """Post what ``plain`` is about to send."""
        headers = {k: v.decode() if isinstance(v, bytes) else v for k, v in request.headers.items()}
        answer = self.http.post(request.body, headers)
        _answer.set(answer)
        found = object_in(answer)
        if answer.status_code < HTTPStatus.MULTIPLE_CHOICES:
            return answer
        # Of an error, botocore takes any JSON for an object.
        raw = HTTPResponse(BytesIO(body_of(found)), preload_content=False)
        return AWSResponse(answer.url, answer.status_code, cast("Any", answer.headers), raw)


_answer: ContextVar[AWSResponse] = ContextVar("answer")


class _Call:
    """One call of a client, whose handlers may change its parameters, or answer it."""

    def __init__(self, client: Any, name: str, parameters: Mapping[str, Any]) -> None:  # noqa: ANN401 - a `Caller`
        self.client = client
        self.operation = client.meta.service_model.operation_model(name)
        self.context: dict[str, Any] = {}
        for event in ("provide-client-params", "before-parameter-build"):
            parameters = self.tell(event, params=parameters) or parameters
        self.parameters, self.body = parameters, body_of(parameters)
        service = self.operation.service_model.metadata
        self.headers = {
            "content-type": f"application/x-amz-json-{service['jsonVersion']}",
            "user-agent": f"dynapages Botocore/{botocore.__version__}",
            "x-amz-target": f"{service['targetPrefix']}.{name}",
        }

    def tell(self, event: str, **about: object) -> Any:  # noqa: ANN401 - what a handler returns
        service = self.operation.service_model.service_id.hyphenize()
        name = f"{event}.{service}.{self.operation.name}"
        about |= {"model": self.operation, "context": self.context}
        return first_non_none_response(self.client.meta.events.emit(name, **about))

    def make(self) -> Parsed:
        """Return what was answered. Raises ClientError, Unavailable and BotoCoreError."""
        request = {"body": self.body, "headers": self.headers}
        try:
            answer, found = self.tell("before-call", params=request) or self.repeat()
        except Exception as error:
            self.tell("after-call-error", exception=error)
            raise
        self.tell("after-call", http_response=answer, parsed=found)
        if "Error" in found:
            kind = self.client.exceptions.from_code(found["Error"]["Code"])
            raise kind(found, self.operation.name)
        return cast("Parsed", found)

    def repeat(self) -> tuple[AWSResponse, Parsed]:
        number = 0
        while True:
            number += 1
            self.begin()
            answered, failure = None, None
            try:
                answered = self.by_botocore() if self.client.plain else self.directly()
                fault = fault_of(answered[1])
            except (DynamoError, BotoCoreError) as error:
                failure, fault = error, fault_in(error)
            found = answered and answered[1]
            self.tell("response-received", parsed_response=found, exception=failure)
            self.client.breaker.note(answered=not isinstance(fault, Unreachable))
            pause = BACKOFF.pause(number)
            may_repeat = number < self.client.connection.attempts and pause < seconds_left()
            is_left = self.operation.name in RETRIED_BY_CALLER
            passing = Unreachable if is_left else Unreachable | Throttled
            if may_repeat and isinstance(fault, passing):
                sleep(pause)
            elif answered is None or isinstance(fault, Damaged):
                raise cast("Exception", failure or fault)
            else:
                answered[1]["ResponseMetadata"]["RetryAttempts"] = number - 1
                return answered

    def begin(self) -> None:
        """Set the deadline of an attempt. Raises OutOfTime, and Unreachable by the breaker."""
        left = seconds_left()
        if left <= 0:
            raise OutOfTime
        self.client.breaker.enter()
        seconds = min(self.client.connection.read_seconds, max(left / 2, min(left, LEAST)))
        _until.set(monotonic() + seconds)

    def directly(self) -> tuple[AWSResponse, Parsed]:
        http = self.client.http
        headers: Any = self.client.signer.sign(http, self.body, self.headers)
        # A handler may answer in the database's place, as moto does within a process.
        sent = AWSPreparedRequest("POST", http.url, headers, self.body, stream_output=False)
        answer = self.tell("before-send", request=sent) or http.post(self.body, headers)
        return answer, parsed(answer, self.operation)

    def by_botocore(self) -> tuple[AWSResponse, Parsed]:
        self.tell("before-send", request=None)
        try:
            found = getattr(self.client.plain, xform_name(self.operation.name))(**self.parameters)
        except ClientError as error:
            found = error.response
        return _answer.get(), found


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
    insert: Any = lambda base_classes, **_: base_classes.insert(0, Caller)  # noqa: E731 - a handler
    session.register("creating-client-class", insert)
    client: Any = session.create_client(**arguments)
    session.unregister("creating-client-class", insert)
    access, secret = connection.access_key, connection.secret_key
    keys = Credentials(access, secret) if access and secret else session.get_credentials()
    client.signer = Signer(client.meta.region_name, keys)
    client.connection, client.breaker = connection, Breaker()
    client.http = Http(
        client.meta.endpoint_url,
        seconds=connection.connect_seconds,
        size=connection.parallel_calls + connection.single_call_threads,
        ca_bundle=session.get_config_variable("ca_bundle"),
    )
    if connection.by_botocore:
        client.plain = session.create_client(**arguments)
        client.plain.meta.events.register("before-send", client.post)
    return client


@cache
def _descriptions() -> object:
    # botocore's descriptions of services are large files, the same for all clients.
    return botocore.session.get_session().get_component("data_loader")
