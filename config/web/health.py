"""Health checks for a load balancer: whether the process is alive, and whether it can serve."""

from http import HTTPStatus

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dynapages.django.tables import declared_models
from dynapages.process import client
from dynapages.tables import unreadiness

READY_SECONDS = 3
"""How long the answer of `readyz` is remembered."""


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 while the process is alive, without a call to the database."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the tables can be reached, are active and as declared, else 503 and why.

    The answer is remembered for a few seconds: anybody may ask.
    """
    del request
    reason = cache.get_or_set("readyz", _why_not_ready, READY_SECONDS)
    status = HTTPStatus.SERVICE_UNAVAILABLE if reason else HTTPStatus.OK
    return HttpResponse(f"{reason or 'ready'}\n", content_type="text/plain", status=status)


def _why_not_ready() -> str:
    """Return why the tables cannot serve pages; empty when they can."""
    return unreadiness(client(), declared_models()) or ""
