"""Health checks for a load balancer."""

from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from dynamo.calls.readiness import unreadiness


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 while the process is alive, without a call to the database."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the tables can be reached and are active, else 503 with the reason."""
    del request
    reason = unreadiness([import_string(name) for name in settings.DYNAMODB_MODELS])
    status = HTTPStatus.OK if reason is None else HTTPStatus.SERVICE_UNAVAILABLE
    return HttpResponse(f"{reason or 'ready'}\n", content_type="text/plain", status=status)
