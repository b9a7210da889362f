"""HTTP to the endpoint of DynamoDB: kept connections of urllib3, and answers by a deadline.

An HTTP library limits each read of a socket: a byte a second would never meet that. Here a whole
attempt has a deadline, connecting included.
"""

import socket
import ssl
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from http import HTTPStatus
from math import inf
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

from botocore.utils import get_environ_proxies
from urllib3 import HTTPConnectionPool, PoolManager, ProxyManager, Retry, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPSConnectionPool
from urllib3.exceptions import HTTPError
from urllib3.util import make_headers

from dynapages.calls import clock
from dynapages.calls.faults import Unreachable

_ONCE = Retry(total=False, redirect=False)
_until: ContextVar[float] = ContextVar("call_until", default=inf)


def set_deadline(seconds: float) -> None:
    """Set the seconds that the next request of this context may take, connecting included."""
    _until.set(monotonic() + seconds)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer; the names of its headers are in lower case."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_success(self) -> bool:
        return self.status_code < HTTPStatus.MULTIPLE_CHOICES


class Http:
    """Posts to one endpoint, by a proxy where the environment names one (``HTTPS_PROXY``).

    A server's certificate is verified with those of the platform, or with those in the file
    ``ca_bundle``. ``seconds`` limit connecting; ``size`` is how many connections are kept.
    """

    def __init__(
        self, endpoint_url: str, *, seconds: float, size: int, ca_bundle: str | None = None
    ) -> None:
        self.url = endpoint_url
        url = urlsplit(endpoint_url)
        options: dict[str, Any] = {"maxsize": size}
        if url.scheme == "https":
            options["ssl_context"] = ssl.create_default_context(cafile=ca_bundle)
            options["ssl_context"].sslsocket_class = _TlsSocket
        manager, self._headers = _manager(endpoint_url, **options)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}
        self._pool = manager.connection_from_url(endpoint_url)
        self._timeout = Timeout(connect=seconds, read=None)
        # A proxy of plain HTTP is told the whole address.
        is_told = isinstance(manager, ProxyManager) and url.scheme == "http"
        path = url.path or "/"
        self._target = url._replace(path=path).geturl() if is_told else path

    def post(self, body: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        """Post once, until the deadline; the clock learns from the answer. Raises Unreachable."""
        sent = clock.process_clock.local()
        try:
            response = self._pool.urlopen(
                "POST",
                self._target,
                body,
                {**headers, **self._headers},
                retries=_ONCE,
                assert_same_host=False,  # a proxy is asked for the address of another
                timeout=self._timeout,
                decode_content=False,
            )
        except HTTPError as error:
            raise Unreachable from error
        told = {name.lower(): value for name, value in response.headers.items()}
        clock.learn(told.get("date", ""), sent=sent)
        return HttpAnswer(response.status, told, response.data)


def _manager(endpoint_url: str, **options: Any) -> tuple[PoolManager, Mapping[str, str]]:  # noqa: ANN401 - urllib3's
    """Return a manager of connections, and the headers that a proxy of plain HTTP needs."""
    url = urlsplit(endpoint_url)
    proxy: str | None = get_environ_proxies(endpoint_url).get(url.scheme)
    if proxy is None:
        return PoolManager(**options), {}
    address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    account = unquote(address.netloc.rpartition("@")[0])
    headers = make_headers(proxy_basic_auth=account) if account else {}
    manager = ProxyManager(address.geturl(), proxy_headers=headers, **options)
    return manager, headers if url.scheme == "http" else {}


class _Reads:
    """Lowers the time limit of each read to what is left."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - a socket's
        limited: Any = self
        left = _until.get() - monotonic()
        if left <= 0:
            raise TimeoutError
        limited.settimeout(None if left == inf else left)
        read: int = super().recv_into(*args, **kwargs)  # type: ignore[misc] # that of the socket
        return read


class _Socket(_Reads, socket.socket):
    pass


class _TlsSocket(_Reads, ssl.SSLSocket):
    pass


class _Connects:
    """Makes `_Socket`, and connects until the deadline."""

    timeout: Any

    def _new_conn(self) -> socket.socket:
        left = max(_until.get() - monotonic(), 0.001)
        self.timeout = min(self.timeout, left)
        made: socket.socket = super()._new_conn()  # type: ignore[misc] # that of urllib3
        limit = made.gettimeout()
        bounded = _Socket(fileno=made.detach())
        bounded.settimeout(limit)
        return bounded


class _Connection(_Connects, HTTPConnection):
    pass


class _TlsConnection(_Connects, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection
