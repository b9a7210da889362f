"""A meter for each request, so that a page can show its cost."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from dynamo.calls.meter import metered


class MeterMiddleware:
    """Counts what a request reads and writes; see `dynamo.calls.meter.current_meter`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with metered():
            return self._get_response(request)
