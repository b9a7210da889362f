"""The powers of a browser that pages of the site may use: a header on every answer."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

POWERS = "camera=(), geolocation=(self), microphone=(), payment=(), usb=()"
"""Pickup points ask where the browser is; nothing else is asked for."""


class PowersMiddleware:
    """Sets ``Permissions-Policy`` on every answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault("Permissions-Policy", POWERS)
        return response
