"""Answers of the whole site: pages of errors, and the headers that every answer has."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views import defaults

from dynapages.django.caching import is_personal
from dynapages.django.refusals import error_in_format, refuse

PERMISSIONS_POLICY = "camera=(), geolocation=(self), microphone=(), payment=(), usb=()"
"""Pickup points ask where the browser is; nothing else is asked for."""
GetResponse = Callable[[HttpRequest], HttpResponse]


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a malformed request that reached no view (``handler400``)."""
    del exception
    return refuse(
        request, HTTPStatus.BAD_REQUEST, message=_("The request is malformed."), first_url=None
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 with the sentence of the Http404, if it has one (``handler404``)."""
    message = exception.args[0] if exception.args else None
    return refuse(
        request,
        HTTPStatus.NOT_FOUND,
        message=message if isinstance(message, str | Promise) else None,
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 (``handler500``), by a page that needs nothing which may be broken."""
    broken = _("Something broke on our side. The error has been logged.")
    in_format = error_in_format(request.META, broken, HTTPStatus.INTERNAL_SERVER_ERROR)
    return in_format or defaults.server_error(request)


class PermissionsPolicyMiddleware:
    """Sets ``Permissions-Policy`` on every answer."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        return response


class PersonalMiddleware:
    """Keeps all answers to a visitor with a session from all caches, refusals included."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if is_personal(request):
            patch_cache_control(response, private=True, no_store=True)
        return response
