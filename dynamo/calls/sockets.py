"""Sockets that stop reading at the deadline of a call.

The time limit of an HTTP library is for each read of its socket: an answer that drips, a byte a
second, never meets it. These sockets lower it to what is left of the call before each read.
"""

import socket
import ssl
from contextvars import ContextVar
from math import inf
from time import monotonic
from typing import Any

from botocore.awsrequest import (
    AWSHTTPConnection,
    AWSHTTPConnectionPool,
    AWSHTTPSConnection,
    AWSHTTPSConnectionPool,
)

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
