"""Load shedding: requests that are more than a process can serve are refused at once, by 503.

A queue would only make all of them late. So at most MAX_CONCURRENT_REQUESTS requests run at a time.
Twice as many pages wait, for `PAGE_WAITS` at most, and twice as many forms, for `FORM_WAITS`; each
further request is answered before Django sees it: a page by one that was rendered before, a form of
ours with its fields. Forms take
half of the slots at most: where writes alone hang, pages are still answered. Health checks, static
files and drawings do not wait. Around all of this, `WithoutBodies` answers HEAD.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from http import HTTPStatus
from threading import BoundedSemaphore
from time import monotonic
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.module_loading import import_string
from django.utils.translation import get_language_from_request, gettext_lazy, override

from config.telemetry.requests import RequestRecord, observed
from config.web.answers import fields_to_send_again
from config.web.middleware import is_watched
from dynapages.django.middleware import READING
from dynapages.django.refusals import NOTICE_TEMPLATE, error_in_format, into_notice

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


PAGE_WAITS, FORM_WAITS = 1.0, 2.0
"""Seconds that a request waits for a slot."""
WAITING_BY_RUNNING = 2
"""How many pages wait at most for each slot, and how many forms."""
RETRY_AFTER = 2
TOO_MANY = gettext_lazy("Too many people are in the shop at the moment.")
ONLY_HEADERS = (
    "SecurityMiddleware",
    "CSPMiddleware",
    "ContentSecurityPolicyMiddleware",
    "XFrameOptionsMiddleware",
)
"""Endings of the middleware that sets headers which do not depend on the page."""


class Slots:
    """``most`` slots, two or more, of which forms take half at the most."""

    def __init__(self, most: int) -> None:
        self._all = BoundedSemaphore(most)
        self._of_forms = BoundedSemaphore(most // 2)
        self._room_for_pages = BoundedSemaphore(most * WAITING_BY_RUNNING)
        self._room_for_forms = BoundedSemaphore(most * WAITING_BY_RUNNING)

    def take(self, *, is_form: bool = False) -> bool:
        """Take a slot, waiting for one if there is room; return whether there was one."""
        needed = (self._of_forms, self._all) if is_form else (self._all,)
        if _acquire(needed, seconds=0.0):
            return True
        room = self._room_for_forms if is_form else self._room_for_pages
        if not room.acquire(blocking=False):
            return False
        try:
            return _acquire(needed, seconds=FORM_WAITS if is_form else PAGE_WAITS)
        finally:
            room.release()

    def release(self, *, is_form: bool = False) -> None:
        """Release a slot that was taken."""
        self._all.release()
        if is_form:
            self._of_forms.release()


def _acquire(semaphores: Sequence[BoundedSemaphore], *, seconds: float) -> bool:
    """Acquire all semaphores within a time, or none; return whether it was all."""
    until = monotonic() + seconds
    for number, semaphore in enumerate(semaphores):
        if not semaphore.acquire(timeout=max(until - monotonic(), 0.0)):
            for acquired in semaphores[:number]:
                acquired.release()
            return False
    return True


class Shedding:
    """A WSGI application that passes requests on, and answers those with 503 that are too many."""

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application
        self._slots = Slots(settings.MAX_CONCURRENT_REQUESTS)

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        if not is_watched(environ["PATH_INFO"]):
            return self._application(environ, start_response)
        is_form = environ["REQUEST_METHOD"] not in READING
        if not self._slots.take(is_form=is_form):
            record = RequestRecord(
                environ["REQUEST_METHOD"],
                scheme=environ["wsgi.url_scheme"],
                status=HTTPStatus.SERVICE_UNAVAILABLE.value,
                is_shed=True,
            )
            with observed(record) as told:
                response = _refusal(WSGIRequest(environ))
                told()
            start_response("503 Service Unavailable", list(response.items()))
            return [response.content]
        try:
            return self._application(environ, start_response)
        finally:
            self._slots.release(is_form=is_form)


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


def _refusal(request: WSGIRequest) -> HttpResponse:
    is_partial = "HX-Request" in request.headers
    language = get_language_from_request(request)
    with override(language):
        response = error_in_format(request.META, TOO_MANY, HTTPStatus.SERVICE_UNAVAILABLE)
    if response is not None:
        is_partial = False
    elif is_partial or not (form := fields_to_send_again(request)):
        response = HttpResponse(_page(language, is_partial=is_partial))
    else:
        response = HttpResponse(_rendered(language, is_unread=True, sent=form))
    headers = {
        "Content-Length": str(len(response.content)),
        "Cache-Control": "no-store",
        "Retry-After": str(RETRY_AFTER),
    }
    for name, value in headers.items():
        response[name] = value
    if is_partial:
        into_notice(response)
    for name in settings.MIDDLEWARE:
        if name.endswith(ONLY_HEADERS):
            import_string(name)(lambda _: response).process_response(request, response)
    return response


@cache
def _page(language: str, *, is_partial: bool) -> bytes:
    return _rendered(language, NOTICE_TEMPLATE if is_partial else "503.html")


def _rendered(language: str, template: str = "503.html", **context: object) -> bytes:
    context |= {
        "message": TOO_MANY,
        "retry_after": RETRY_AFTER,
        "is_away": True,
        "status": HTTPStatus.SERVICE_UNAVAILABLE.value,
    }
    with override(language):
        return render_to_string(template, context).encode()
