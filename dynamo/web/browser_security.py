"""What protects a browser: answers to forms without their token, and the Permissions-Policy."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dynamo.web.refusals import is_from_our_page, refuse

STALE = gettext_lazy(
    "This page is from before you last signed in, or cookies are blocked: reload it."
)

View = Callable[..., HttpResponse]
Again = Callable[..., HttpResponse | None]


def redisplay_on_csrf_failure(again: Again) -> Callable[[View], View]:
    """Mark a view whose form is answered by ``again``, with the view's arguments.

    ``again`` must not write. When it returns None, the usual page for status 403 is shown.
    """

    def mark(view: View) -> View:
        view.again = again  # type: ignore[attr-defined] # for csrf_failure, below
        return view

    return mark


@require_safe
@never_cache
def form_token(request: HttpRequest) -> HttpResponse:
    """Answer the CSRF token for a form of a page that has none."""
    return HttpResponse(get_token(request), content_type="text/plain")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 (``CSRF_FAILURE_VIEW``).

    The answer has the form as it was sent if its view is marked and a page of ours has sent it.
    """
    del reason
    match = request.resolver_match if is_from_our_page(request) else None
    again: Again | None = getattr(match.func, "again", None) if match else None
    response = again(request, *match.args, **match.kwargs) if match and again else None
    if response is not None:
        return response
    return refuse(request, HTTPStatus.FORBIDDEN, template="403_csrf.html", message=STALE)


PERMISSIONS_POLICY = "camera=(), geolocation=(self), microphone=(), payment=(), usb=()"
"""Pickup points ask where the browser is; nothing else is asked for."""


class PermissionsPolicyMiddleware:
    """Sets ``Permissions-Policy`` on every answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        return response
