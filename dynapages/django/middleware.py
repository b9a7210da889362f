"""Middleware: refusals and faults of the database as answers, their time, and what caches keep."""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _

from dynapages.calls.pool import seconds_left, time_budget
from dynapages.django.refusals import error_in_format, is_of_api, refusal_of

READING = frozenset({"GET", "HEAD", "OPTIONS"})
time_spent: Signal = Signal()
"""Sent with ``request`` when its time budget is spent."""


class BudgetMiddleware:
    """Gives a page PAGE_SECONDS for its calls to the database, a form WRITE_SECONDS."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_page = request.method in READING
        with time_budget(settings.PAGE_SECONDS if is_page else settings.WRITE_SECONDS):
            response = self._get_response(request)
            if seconds_left() <= 0:
                time_spent.send(BudgetMiddleware, request=request)
            return response


class RefusalMiddleware:
    """Answers a `Refusal` with its status, and a fault of the database with 503.

    To a 405, which has no words, it adds a sentence for programs. The API answers HEAD as GET: its
    body is left out by the server, as that of a page.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method == "HEAD" and is_of_api(request.META):
            request.method = "GET"
        response = self._get_response(request)
        # Django's own answer to a wrong method has no body.
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        allowed = _allowed_by(response, is_program=is_of_api(request.META))
        sentence = _("Only these methods are allowed here: %(allowed)s.") % {"allowed": allowed}
        in_format = error_in_format(request.META, sentence, HTTPStatus.METHOD_NOT_ALLOWED)
        if in_format is None:
            return response
        in_format["Allow"] = allowed
        return in_format

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return refusal_of(request, error)


def _allowed_by(response: HttpResponse, *, is_program: bool) -> str:
    """Return the methods that a 405 allows, in their order; with HEAD where the API has GET."""
    methods = set(response["Allow"].split(", "))
    if is_program and "GET" in methods:
        methods.add("HEAD")
    return ", ".join(sorted(methods))


# What caches may keep


def is_personal(request: HttpRequest) -> bool:
    """Return whether the answer may hold what is for this visitor alone."""
    return (
        not request.session.is_empty()
        or "messages" in request.COOKIES
        or request.META.get("CSRF_COOKIE_NEEDS_UPDATE", False)
    )


class PersonalMiddleware(MiddlewareMixin):
    """Keeps all answers to a visitor with a session from all caches, refusals included.

    What is immutable is the same for everybody, such as drawings.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        is_immutable = "immutable" in response.get("Cache-Control", "")
        if not is_immutable and is_personal(request):
            patch_cache_control(response, private=True, no_store=True)
        return response
