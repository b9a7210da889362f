"""Middleware that turns refusals and faults of the database into answers, and bounds their time."""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from dynapages.calls.pool import seconds_left, time_budget
from dynapages.django.refusals import error_in_format, is_of_api, refusal_of

READING = frozenset({"GET", "HEAD", "OPTIONS"})
time_spent = Signal()
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
        allowed = response["Allow"]
        sentence = _("Only these methods are allowed here: %(allowed)s.") % {"allowed": allowed}
        in_format = error_in_format(request.META, sentence, HTTPStatus.METHOD_NOT_ALLOWED)
        if in_format is None:
            return response
        in_format["Allow"] = allowed
        return in_format

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return refusal_of(request, error)
