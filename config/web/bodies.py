"""Bodies that are sent in chunks (``Transfer-Encoding: chunked``), and so without their length.

Django reads as many bytes as ``Content-Length`` says, and without it none. So such a body is read
whole where the server says that its input ends with it, as gunicorn does. Else, or where it is
longer than a form may be, it is refused (`config.web.middleware.RefusedBodyMiddleware`).
"""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from io import BytesIO
from types import TracebackType
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    Headers = list[tuple[str, str]]
    ErrorInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]
    Write = Callable[[bytes], object]

REFUSED = "dynashop.refused_body"
"""In the environ of WSGI: the status that a body is refused with."""


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
