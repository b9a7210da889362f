"""Whole addresses, for letters, search engines and feeds: with the site in front of the path."""

from django.conf import settings
from django.http import HttpRequest


def site_of(request: HttpRequest) -> str:
    """Return SITE_URL; without it, as on a developer's machine, what the request was sent to."""
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"
