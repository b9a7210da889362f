"""Health checks for a load balancer."""

from http import HTTPStatus

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from dynamo.calls.readiness import unreadiness

REMEMBERED_SECONDS = 3


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 while the process is alive, without a call to the database."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the tables can be reached and are active, else 503 with the reason.

    The answer is remembered for a few seconds: anybody may ask.
    """
    del request
    reason = cache.get_or_set("readyz", _unreadiness, REMEMBERED_SECONDS)
    status = HTTPStatus.SERVICE_UNAVAILABLE if reason else HTTPStatus.OK
    return HttpResponse(f"{reason or 'ready'}\n", content_type="text/plain", status=status)


def _unreadiness() -> str:
    return unreadiness([import_string(name) for name in settings.DYNAMODB_MODELS]) or ""
