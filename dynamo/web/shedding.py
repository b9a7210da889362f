"""Load shedding: a bounded number of requests is worked on, a bounded number waits, briefly.

Where more arrive than the process can serve, a queue only makes all of them late. So at most
PAGES_AT_ONCE requests run at a time, twice as many wait, for `MOST_SECONDS` at most, and each
further one is answered with 503 at once, by a page that was rendered before, and before Django sees
it. Health checks and static files do not wait: a process that is busy is not to be killed.

Around all of this, `WithoutBodies` answers HEAD.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.template.loader import render_to_string
from django.utils.translation import get_language_from_request, gettext_lazy, override

from dynamo.telemetry.requests import RequestRecord, observed
from dynamo.web.formats import Format, format_asked
from dynamo.web.refusals import NOTICE
from dynamo.web.watching import is_watched

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

MOST_SECONDS = 0.5
WAITING_BY_RUNNING = 2
RETRY_AFTER = 2
TOO_MANY = gettext_lazy("Too many people are in the shop at the moment.")


@dataclass(slots=True)
class Slots:
    """``most`` slots, for which `WAITING_BY_RUNNING` times as many threads wait at most."""

    most: int
    _slots: BoundedSemaphore = field(init=False)
    _waiting: int = 0
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._slots = BoundedSemaphore(self.most)

    def take(self) -> bool:
        """Take a slot, waiting for one up to `MOST_SECONDS`; return whether there was one."""
        if self._slots.acquire(blocking=False):
            return True
        with self._lock:
            if self._waiting >= self.most * WAITING_BY_RUNNING:
                return False
            self._waiting += 1
        try:
            return self._slots.acquire(timeout=MOST_SECONDS)
        finally:
            with self._lock:
                self._waiting -= 1

    def release(self) -> None:
        """Release a slot that was taken."""
        self._slots.release()


class Shedding:
    """A WSGI application that passes requests on, and answers those with 503 that are too many."""

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application
        self._slots = Slots(settings.PAGES_AT_ONCE)

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        if not is_watched(environ["PATH_INFO"]):
            return self._application(environ, start_response)
        if not self._slots.take():
            record = RequestRecord(
                environ["REQUEST_METHOD"],
                scheme=environ["wsgi.url_scheme"],
                status=HTTPStatus.SERVICE_UNAVAILABLE.value,
                is_shed=True,
            )
            with observed(record) as told:
                page = _refuse(environ, start_response)
                told()
            return page
        try:
            return self._application(environ, start_response)
        finally:
            self._slots.release()


class WithoutBodies:
    """A WSGI application that answers HEAD with the headers of GET and no body (RFC 9110, 9.3.2).

    Servers drop a body that is passed to them, and warn of it.
    """

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        answer = self._application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return answer
        close: Callable[[], None] | None = getattr(answer, "close", None)
        if close is not None:  # as a server does at the end; nothing more is read of a stream
            close()
        return []


def _refuse(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    is_partial = "HTTP_HX_REQUEST" in environ
    is_json = format_asked(environ) == Format.JSON
    language = get_language_from_request(WSGIRequest(environ))
    page = _as_json(language) if is_json else _page(language, is_partial=is_partial)
    headers = {
        "Content-Type": "application/json" if is_json else "text/html; charset=utf-8",
        "Content-Length": str(len(page)),
        "Cache-Control": "no-store",
        "Retry-After": str(RETRY_AFTER),
    }
    if is_partial:
        headers |= {"HX-Retarget": NOTICE, "HX-Reswap": "innerHTML", "HX-Push-Url": "false"}
    start_response("503 Service Unavailable", list(headers.items()))
    return [page]


@cache
def _as_json(language: str) -> bytes:
    with override(language):
        return json.dumps({"error": str(TOO_MANY)}).encode()


@cache
def _page(language: str, *, is_partial: bool) -> bytes:
    context = {
        "message": TOO_MANY,
        "retry_after": RETRY_AFTER,
        "is_away": True,
        "status": HTTPStatus.SERVICE_UNAVAILABLE.value,
    }
    with override(language):
        return render_to_string("_error.html" if is_partial else "503.html", context).encode()
