"""Load shedding: requests that are more than a process can serve are refused at once, by 503.

A queue would only make all of them late. So at most MAX_CONCURRENT_REQUESTS requests run at a time.
Twice as many pages wait, for `PAGE_WAITS` at most, and twice as many forms, for `FORM_WAITS`; each
further request is answered before Django sees it: a page by one that was rendered before, a form of
ours with its fields. Forms have half of the slots at most: where writes alone hang, pages are still
answered. Health checks, static files and drawings do not wait. `WithoutBodies`, around all of this,
answers HEAD.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from http import HTTPStatus
from threading import BoundedSemaphore
from time import monotonic
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.module_loading import import_string
from django.utils.translation import get_language_from_request, gettext_lazy, override

from config.telemetry.requests import RequestRecord, is_watched, observed
from config.web.answers import fields_to_send_again
from config.web.bodies import close_connection, is_long
from dynapages.django.middleware import READING
from dynapages.django.refusals import NOTICE_TEMPLATE, error_in_format, into_notice

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


PAGE_WAITS = 1.0
FORM_WAITS = 2.0
"""Seconds that a request waits for a slot."""
WAITING_BY_RUNNING = 2
"""How many pages wait at most for each slot, and how many forms."""
RETRY_AFTER = 2
"""Seconds, in the header of that name."""
PAGE_TEMPLATE = "503.html"
TOO_MANY = gettext_lazy("Too many people are in the shop at the moment.")
HEADER_MIDDLEWARE = (
    "SecurityMiddleware",
    "CSPMiddleware",
    "ContentSecurityPolicyMiddleware",
    "XFrameOptionsMiddleware",
)
"""Endings of the middleware that sets headers which do not depend on the page."""
CORS_MIDDLEWARE = "CorsMiddleware"
"""The ending of that which answers preflights, and lets other sites read the API's answers."""


class Slots:
    """``most`` slots for requests, two or more, of which forms have half at the most."""

    def __init__(self, most: int) -> None:
        self._all = BoundedSemaphore(most)
        self._of_forms = BoundedSemaphore(most // 2)
        self._room_for_pages = BoundedSemaphore(most * WAITING_BY_RUNNING)
        self._room_for_forms = BoundedSemaphore(most * WAITING_BY_RUNNING)

    def acquire(self, *, is_form: bool) -> bool:
        """Acquire a slot, waiting for one if there is room to; return whether it was acquired."""
        if is_form:
            needed = [self._of_forms, self._all]
            room, seconds = self._room_for_forms, FORM_WAITS
        else:
            needed = [self._all]
            room, seconds = self._room_for_pages, PAGE_WAITS
        if _acquire_all(needed, seconds=0.0):
            return True
        # Who may not even wait is refused at once.
        if not room.acquire(blocking=False):
            return False
        try:
            return _acquire_all(needed, seconds=seconds)
        finally:
            room.release()

    def release(self, *, is_form: bool) -> None:
        """Release a slot that was acquired."""
        self._all.release()
        if is_form:
            self._of_forms.release()


def _acquire_all(semaphores: Sequence[BoundedSemaphore], *, seconds: float) -> bool:
    """Acquire all semaphores within a time, or none; return whether it was all."""
    deadline = monotonic() + seconds
    acquired: list[BoundedSemaphore] = []
    for semaphore in semaphores:
        if not semaphore.acquire(timeout=max(deadline - monotonic(), 0.0)):
            for held in acquired:
                held.release()
            return False
        acquired.append(semaphore)
    return True


class Shedding:
    """A WSGI application that passes requests on, and answers 503 to those that are too many."""

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application
        self._slots = Slots(settings.MAX_CONCURRENT_REQUESTS)

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        if not is_watched(environ["PATH_INFO"]):
            return self._application(environ, start_response)
        is_form = environ["REQUEST_METHOD"] not in READING
        if not self._slots.acquire(is_form=is_form):
            record = RequestRecord(
                environ["REQUEST_METHOD"],
                scheme=environ["wsgi.url_scheme"],
                is_shed=True,
            )
            with observed(record) as on_sent:
                response = _refusal(WSGIRequest(environ))
                record.status = response.status_code
                on_sent()
            # To read it would keep a thread that the next refusal needs.
            if is_long(environ):
                close_connection(start_response)
            status = f"{response.status_code} {response.reason_phrase}"
            start_response(status, list(response.items()))
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
    """Build the answer to a request that is one too many, with all headers of the site."""
    language = get_language_from_request(request)
    with override(language):
        response = error_in_format(request.META, TOO_MANY, HTTPStatus.SERVICE_UNAVAILABLE)
    if response is None and "HX-Request" in request.headers:
        response = HttpResponse(_rendered_once(NOTICE_TEMPLATE, language))
        into_notice(response)
    elif response is None:
        response = HttpResponse(_page(request, language))
    response.status_code = HTTPStatus.SERVICE_UNAVAILABLE.value
    response["Content-Length"] = str(len(response.content))
    response["Cache-Control"] = "no-store"
    response["Retry-After"] = str(RETRY_AFTER)
    return _with_cors(request, _with_headers(request, response))


def _with_headers(request: WSGIRequest, response: HttpResponse) -> HttpResponse:
    """Return a response with the headers that middleware sets, which has not seen the request."""

    def get_response(_request: HttpRequest) -> HttpResponse:
        return response

    for name in settings.MIDDLEWARE:
        if name.endswith(HEADER_MIDDLEWARE):
            import_string(name)(get_response).process_response(request, response)
    return response


def _with_cors(request: WSGIRequest, response: HttpResponse) -> HttpResponse:
    """Return a response that scripts of the sites in API_ORIGINS may read.

    A preflight is answered as ever, by 200: it is no work, and a browser shows its script neither
    the status nor Retry-After of a preflight that failed.
    """

    def get_response(_request: HttpRequest) -> HttpResponse:
        return response

    for name in settings.MIDDLEWARE:
        if name.endswith(CORS_MIDDLEWARE):
            answered: HttpResponse = import_string(name)(get_response)(request)
            return answered
    return response


def _page(request: WSGIRequest, language: str) -> bytes:
    """Return the page of a refusal; with the fields of a form of ours, to be sent again."""
    form = fields_to_send_again(request)
    if not form:
        return _rendered_once(PAGE_TEMPLATE, language)
    return _rendered(PAGE_TEMPLATE, language, is_unread=True, sent=form)


@cache
def _rendered_once(template: str, language: str) -> bytes:
    return _rendered(template, language)


def _rendered(template: str, language: str, **context: object) -> bytes:
    context |= {
        "message": TOO_MANY,
        "retry_after": RETRY_AFTER,
        "is_away": True,
        "status": HTTPStatus.SERVICE_UNAVAILABLE.value,
    }
    with override(language):
        return render_to_string(template, context).encode()
