"""Bodies of requests that Django does not read: those in chunks, and those of refused requests.

Django reads as many bytes as ``Content-Length`` says, and without it none. So a body in chunks
(``Transfer-Encoding: chunked``) is read whole where the server says that its input ends with it, as
gunicorn does. Else, or where it is longer than a form may be, it is refused
(`config.web.middleware.RefusedBodyMiddleware`).

A request may be answered before its body is read, as without a key. What is left of it stands in
front of the next request on the connection: gunicorn would promise to keep the connection, and
close it. So it is read and discarded, and where it is too long for that, the answer says that the
connection ends.
"""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from io import BytesIO
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.core.handlers.wsgi import LimitedStream

if TYPE_CHECKING:
    from wsgiref.types import InputStream, StartResponse, WSGIApplication, WSGIEnvironment

    Headers = list[tuple[str, str]]
    ErrorInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]
    Write = Callable[[bytes], object]

MOST_DISCARDED = 2 * 1024 * 1024
"""Bytes of a body that are read for nothing, so that its connection can be kept."""
DISCARDED_BY_SERVER = 64 * 1024
"""Bytes of a body, from which on gunicorn does not discard it itself."""
A_PART = 64 * 1024
"""Bytes that are read at a time."""
REFUSED = "dynashop.refused_body"
"""In the environ of WSGI: the status that a body is refused with."""


class UnreadBodies:
    """A WSGI application that discards what is left of a body when its answer begins.

    Of more than MOST_DISCARDED bytes, the answer says that the connection ends. A slow sender holds
    the slot of the request for as long as where the body is read.
    """

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        body = _input_of(environ)
        if body is None:
            return self._application(environ, start_response)
        environ["wsgi.input"] = body

        def start(status: str, headers: "Headers", error: "ErrorInfo | None" = None) -> "Write":
            if _length_of(environ) > MOST_DISCARDED or not _is_discarded(body):
                close_connection(start_response)
            return start_response(status, headers, error)

        return self._application(environ, start)


def is_long(environ: "WSGIEnvironment") -> bool:
    """Return whether the server does not discard a body itself, if nobody reads it."""
    return "HTTP_TRANSFER_ENCODING" in environ or _length_of(environ) >= DISCARDED_BY_SERVER


def close_connection(start_response: "StartResponse") -> None:
    """Have gunicorn say that the connection ends with the answer, and end it.

    It does not take ``Connection`` from an application, and other servers have no such method.
    """
    response = getattr(start_response, "__self__", None)
    force_close: Callable[[], None] | None = getattr(response, "force_close", None)
    if force_close is not None:
        force_close()


def _length_of(environ: "WSGIEnvironment") -> int:
    """Return what ``Content-Length`` says; 0 without it, and where it is no number."""
    try:
        return max(int(environ.get("CONTENT_LENGTH") or 0), 0)
    except ValueError:
        return 0


def _input_of(environ: "WSGIEnvironment") -> "InputStream | None":
    """Return the body of a request as a stream that ends with it; None where it has none."""
    stream: Any = environ["wsgi.input"]
    if "HTTP_TRANSFER_ENCODING" in environ:
        if not environ.get("wsgi.input_terminated"):
            return None
        return cast("InputStream", stream)
    length = _length_of(environ)
    if not length:
        return None
    return cast("InputStream", LimitedStream(stream, length))


def _is_discarded(body: "InputStream") -> bool:
    """Read the rest of a body; return whether that was MOST_DISCARDED bytes at most."""
    left = MOST_DISCARDED
    while left >= 0:
        part = body.read(A_PART)
        if not part:
            return True
        left -= len(part)
    return False


class ChunkedBodies:
    """A WSGI application that passes on a body in chunks as one of a length, or marks it refused.

    At most DATA_UPLOAD_MAX_MEMORY_SIZE bytes of it, and one more, are read and held.
    """

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        if "HTTP_TRANSFER_ENCODING" in environ:
            body = _read_whole(environ)
            environ["wsgi.input"] = BytesIO(body)
            environ["CONTENT_LENGTH"] = str(len(body))
        # Else runserver would take what is left of the body for the next request.
        if environ.get(REFUSED) == HTTPStatus.LENGTH_REQUIRED:
            start_response = _closing(start_response)
        return self._application(environ, start_response)


def _read_whole(environ: "WSGIEnvironment") -> bytes:
    """Read a body in chunks; return nothing for one that is refused, which is noted."""
    # Without this promise a read might wait for bytes that never come.
    if not environ.get("wsgi.input_terminated"):
        environ[REFUSED] = HTTPStatus.LENGTH_REQUIRED
        return b""
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    body: bytes = environ["wsgi.input"].read(most + 1)
    if len(body) > most:
        environ[REFUSED] = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        return b""
    return body


def _closing(start_response: "StartResponse") -> "StartResponse":
    """Begin an answer without its length, so that its end is that of the connection."""

    def start(status: str, headers: "Headers", error: "ErrorInfo | None" = None) -> "Write":
        kept = [(name, value) for name, value in headers if name.lower() != "content-length"]
        return start_response(status, kept, error)

    return start
