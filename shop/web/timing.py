"""What a page cost, in a header for the developer tools of staff.

Follows Server Timing of the W3C.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from dynamo.calls.meter import current_meter

READ_STAFF = "dynashop.read_staff"
"""In ``request.META`` once the user was read: whether it is one of the staff."""


class StaffTimingMiddleware:
    """Adds ``Server-Timing`` to answers for which a member of staff was read; reads nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        meter = current_meter()
        if meter and request.META.get(READ_STAFF, False):
            cost = (
                f"{meter.requests()} calls, {meter.rounds} rounds, {meter.capacity_units():g} units"
            )
            response["Server-Timing"] = f'dynamodb;desc="{cost}", page;dur={meter.milliseconds:.1f}'
        return response
