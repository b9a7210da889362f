"""A time budget for each request; see `dynamo.calls.budget`."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from dynamo.calls.budget import seconds_left, time_budget
from dynamo.telemetry.requests import note_late

READING = frozenset({"GET", "HEAD", "OPTIONS"})


class BudgetMiddleware:
    """Gives a page PAGE_SECONDS for its calls to the database, a form WRITE_SECONDS."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_page = request.method in READING
        with time_budget(settings.PAGE_SECONDS if is_page else settings.WRITE_SECONDS):
            response = self._get_response(request)
            if seconds_left() <= 0:
                note_late()
            return response
