"""The transport: requests of DynamoDB signed, sent by kept connections, and their answers parsed.

It is botocore's work in a fraction of the processor time: parameters as JSON (`body_of`), a
signature (`Signer`), one POST (`Http`), and the answer in botocore's form (`parsed_answer`). What
is tried again, and when, is the business of `dynapages.calls.client`.

urllib3 makes the connections, keeps them, and verifies certificates; what is written to them and
read from them is in `dynapages.calls.messages`. An HTTP library limits each read of a socket, which
a byte a second would never meet. Here all reads of an answer end by one deadline
(`answer_deadline`). Follows "DynamoDB low-level API" of the Developer Guide, and "Create a signed
AWS API request" of the IAM User Guide.
"""

import hmac
import json
import socket
import ssl
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPException
from io import BytesIO
from math import inf
from time import monotonic
from typing import Any, cast
from urllib.parse import SplitResult, urlsplit
from zlib import crc32

from botocore.awsrequest import AWSResponse, HeadersDict
from botocore.credentials import Credentials
from botocore.exceptions import NoCredentialsError
from botocore.httpsession import ProxyConfiguration
from botocore.model import OperationModel
from botocore.parsers import create_parser
from botocore.utils import get_environ_proxies
from urllib3 import HTTPConnectionPool, PoolManager, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from dynapages.calls import clock
from dynapages.calls.faults import Unreachable
from dynapages.calls.messages import Answer, post_message, read_answer

Parsed = dict[str, Any]
"""An answer in the form of botocore's methods, or the ``response`` of a ClientError."""

LEAST_CONNECT_SECONDS = 0.001
"""A time limit of 0 would mean that a socket does not block."""

answer_deadline: ContextVar[float] = ContextVar("answer_deadline", default=inf)
"""When an answer must be there, connecting included: a moment of `time.monotonic`."""


class Damaged(Unreachable):
    """The answer is not what DynamoDB sent, or not by DynamoDB at all."""

    def __init__(self) -> None:
        super().__init__("The database gave a damaged answer.")


# Sockets that keep to the deadline


class _ReadsByDeadline:
    """Limits each read of a socket to what is left until the deadline."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - a socket's
        limited: Any = self
        left = answer_deadline.get() - monotonic()
        if left <= 0:
            raise TimeoutError
        limited.settimeout(None if left == inf else left)
        read: int = super().recv_into(*args, **kwargs)  # type: ignore[misc] # that of the socket
        return read


class _Socket(_ReadsByDeadline, socket.socket): ...


class _TlsSocket(_ReadsByDeadline, ssl.SSLSocket): ...


class _ConnectsByDeadline:
    """Makes `_Socket` for a connection of urllib3, and connects until the deadline."""

    timeout: Any

    def _new_conn(self) -> socket.socket:
        left = answer_deadline.get() - monotonic()
        self.timeout = min(self.timeout, max(left, LEAST_CONNECT_SECONDS))
        made: socket.socket = super()._new_conn()  # type: ignore[misc] # that of urllib3
        bounded = _Socket(fileno=made.detach())
        bounded.settimeout(self.timeout)
        return bounded


class _Pool(HTTPConnectionPool):
    """urllib3's connections to one server: it makes them, and keeps those that stay open."""

    ConnectionCls: Any = type("_Connection", (_ConnectsByDeadline, HTTPConnection), {})

    def exchange(self, message: bytes, *, seconds: float) -> Answer:
        """Send a message and read its answer, by the deadline; ``seconds`` limit all but reading.

        Raises urllib3's HTTPError, HTTPException and OSError.
        """
        # One that its server has closed meanwhile is not connected.
        connection: Any = self._get_conn()
        try:
            if connection.sock is None:
                self._connect(connection, seconds)
            answer = _answer_to(message, connection.sock, seconds)
            if answer.is_last:
                connection.close()
        except BaseException:  # what is read from it next may be the rest of this answer
            connection.close()
            raise
        finally:
            self._put_conn(connection)
        return answer

    def _connect(self, connection: Any, seconds: float) -> None:  # noqa: ANN401 - of urllib3
        connection.timeout = seconds
        if self.proxy is not None and self.scheme == "https":
            # Within the tunnel that the proxy is asked for, TLS begins.
            self._prepare_proxy(connection)
        else:
            connection.connect()


class _TlsPool(_Pool, HTTPSConnectionPool):
    ConnectionCls: Any = type("_TlsConnection", (_ConnectsByDeadline, HTTPSConnection), {})


def _answer_to(message: bytes, connected: socket.socket, seconds: float) -> Answer:
    """Write a message to a socket, and read the answer from it."""
    left = answer_deadline.get() - monotonic()
    if left <= 0:
        raise TimeoutError
    connected.settimeout(min(seconds, left))
    # A server that refuses a long message may answer, and close the connection, before its end.
    with suppress(BrokenPipeError, ConnectionResetError):
        connected.sendall(message)
    with connected.makefile("rb") as stream:
        return read_answer(stream)


# Sending


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
        self.path: str = parts.path or "/"
        self.host: str = _host_header(parts)
        proxy, proxy_headers = _proxy_for(url)
        options: dict[str, Any] = {"maxsize": size}
        if parts.scheme == "https":
            options["ssl_context"] = _tls_context(ca_bundle)
        manager: PoolManager
        if proxy:
            manager = ProxyManager(proxy, proxy_headers=proxy_headers, **options)
        else:
            manager = PoolManager(**options)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}
        self._pool: Any = manager.connection_from_url(url)
        if proxy and parts.scheme != "https":
            # A proxy of plain HTTP is asked for the whole address, by each request.
            self._target = parts._replace(path=self.path).geturl()
            self._proxy_headers = proxy_headers
        else:
            self._target = self.path
            self._proxy_headers = {}
        self._seconds = seconds

    def post(self, body: bytes, headers: Mapping[str, str]) -> AWSResponse:
        """Post once, until the deadline; the clock learns from the answer. Raises Unreachable.

        Names of headers are in lower case.
        """
        sent = clock.process_clock.local()
        all_headers = {
            "host": self.host,
            "accept-encoding": "identity",
            **headers,
            **self._proxy_headers,
            "content-length": str(len(body)),
        }
        message = post_message(self._target, all_headers, body)
        try:
            answer = self._pool.exchange(message, seconds=self._seconds)
        except (HTTPError, HTTPException, OSError) as error:
            raise Unreachable from error
        clock.learn(answer.headers.get("date", ""), sent=sent)
        return _ReadAnswer(self.url, answer)


class _ReadAnswer(AWSResponse):
    """An answer that was read already, in botocore's form.

    ``lower_headers`` are its headers, with names in lower case. botocore's dict of them is made
    when it is needed, which is seldom: to fill it takes as long as to read the headers.
    """

    def __init__(self, url: str, answer: Answer) -> None:
        self.url = url
        self.status_code = answer.status
        self.lower_headers = answer.headers
        self._content = answer.content

    @cached_property
    def headers(self) -> HeadersDict:  # type: ignore[override] # there it is an attribute
        return HeadersDict(self.lower_headers)

    @cached_property
    def raw(self) -> BytesIO:
        return BytesIO(self._content)


def _lower_headers(answer: AWSResponse) -> dict[str, str]:
    """Return the headers of an answer, which may be a handler's, with names in lower case."""
    if isinstance(answer, _ReadAnswer):
        return answer.lower_headers
    return {name.lower(): value for name, value in answer.headers.items()}


def _host_header(parts: SplitResult) -> str:
    """Return the host that is signed: without a password, and without the scheme's own port."""
    usual_port = ":443" if parts.scheme == "https" else ":80"
    return parts.netloc.rpartition("@")[2].removesuffix(usual_port)


def _proxy_for(url: str) -> tuple[str | None, dict[str, str]]:
    """Return the address of the proxy that the environment names for a URL, and its headers."""
    proxies: Any = ProxyConfiguration(get_environ_proxies(url))
    proxy: str | None = proxies.proxy_url_for(url)
    if not proxy:
        return None, {}
    return proxy, proxies.proxy_headers_for(proxy)


def _tls_context(ca_bundle: str | None) -> ssl.SSLContext:
    """Return a context that verifies certificates, and whose sockets keep to the deadline."""
    context = ssl.create_default_context(cafile=ca_bundle)
    context.sslsocket_class = _TlsSocket
    return context


# Signing


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
        keys = self.credentials.get_frozen_credentials()
        moment = f"{clock.now():%Y%m%dT%H%M%SZ}"
        signed = {**headers, "host": http.host, "x-amz-date": moment}
        if keys.token:
            signed["x-amz-security-token"] = keys.token
        # The canonical request: names in order, each run of white space as one space.
        names = sorted(signed)
        header_lines = "\n".join(f"{name}:{' '.join(signed[name].split())}" for name in names)
        signed_names = ";".join(names)
        body_hash = sha256(body).hexdigest()
        request = f"POST\n{http.path}\n\n{header_lines}\n\n{signed_names}\n{body_hash}"
        scope = f"{moment[:8]}/{self.region}/{self.service}/aws4_request"
        request_hash = sha256(request.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{request_hash}".encode()
        signature = hmac.digest(_signing_key(keys.secret_key or "", scope), text, "sha256").hex()
        signed["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={keys.access_key}/{scope}, "
            f"SignedHeaders={signed_names}, Signature={signature}"
        )
        return signed


# Of one day and one secret there is one key for all calls.
@lru_cache(maxsize=8)
def _signing_key(secret_key: str, scope: str) -> bytes:
    """Return the key of Signature Version 4 for a day, a region and a service."""
    key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


# Encoding and parsing


def body_of(parameters: Mapping[str, Any]) -> bytes:
    """Encode the parameters of a call. Raises TypeError for what is no value of DynamoDB's."""
    return json.dumps(parameters, default=_encoded, separators=(",", ":")).encode()


def _encoded(value: object) -> object:
    """Return what JSON has no form for in the form that DynamoDB takes. Raises TypeError."""
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, datetime):
        return value.timestamp()
    raise TypeError(f"{value!r} is no value that DynamoDB takes")


def json_object_in(answer: AWSResponse) -> Parsed:
    """Return the JSON object that the body of an answer is. Raises Damaged.

    The body of an error may be anything: what is no JSON object is one's ``message``.
    """
    content = answer.content
    checksum = _lower_headers(answer).get("x-amz-crc32")
    if checksum is not None and str(crc32(content)) != checksum:
        raise Damaged
    # Each object is looked at only where a value may be bytes: that takes time, and few have any.
    has_bytes = b'"B"' in content or b'"BS"' in content
    try:
        parsed = json.loads(content, object_hook=decoded if has_bytes else None)
    except ValueError:  # no UTF-8, or no JSON
        parsed = None
    if isinstance(parsed, dict):
        return parsed
    if answer.status_code < HTTPStatus.MULTIPLE_CHOICES:
        raise Damaged
    return {"message": content.decode(errors="replace")}


def decoded(value: Parsed) -> Parsed:
    """Decode an attribute's value of bytes. No other object has a string under these names."""
    if isinstance(value.get("B"), str):
        return {"B": b64decode(value["B"])}
    if isinstance(value.get("BS"), list):
        return {"BS": [b64decode(each) for each in value["BS"]]}
    return value


def parsed_answer(answer: AWSResponse, operation: OperationModel) -> Parsed:
    """Return an answer as botocore does, or what it makes the response of a ClientError.

    An error without a name has its HTTP status as its code. Raises Damaged.
    """
    parsed = json_object_in(answer)
    if answer.status_code >= HTTPStatus.MULTIPLE_CHOICES:
        parsed = _error_response(parsed, answer.status_code, operation)
    elif not _is_about_items(operation):
        # Such answers have moments, which are numbers in JSON: botocore knows which.
        raw = {"headers": {}, "status_code": answer.status_code, "body": answer.content}
        parsed = create_parser("json").parse(raw, cast("Any", operation.output_shape))
    headers = _lower_headers(answer)
    parsed["ResponseMetadata"] = {
        "RequestId": headers.get("x-amzn-requestid", ""),
        "HTTPStatusCode": answer.status_code,
        "HTTPHeaders": headers,
    }
    return parsed


def _is_about_items(operation: OperationModel) -> bool:
    """Return whether an operation reads or writes items: only those consume capacity."""
    shape = operation.input_shape
    return shape is not None and "ReturnConsumedCapacity" in shape.members


def _error_response(parsed: Parsed, status: int, operation: OperationModel) -> Parsed:
    """Build the response of a ClientError, with the members that an error of its name has."""
    # The name stands behind a namespace: com.amazonaws.dynamodb.v20120810#ThrottlingException
    code = parsed.get("__type", str(status)).partition(":")[0].rpartition("#")[2]
    message = parsed.get("message", parsed.get("Message", ""))
    response: Parsed = {"Error": {"Message": message, "Code": code}}
    shape: Any = operation.service_model.shape_for_error_code(code)
    if shape is not None:
        for name in shape.members:
            if name in parsed:
                response[name] = parsed[name]
    return response
