"""The page that a form leads back to, as its address names it by ``next``."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

LONGEST_ADDRESS = 2_000
"""Characters of an address that is redirected to."""


def with_next(url: str, page_url: str) -> str:
    """Return a form's URL with the page that it redirects to."""
    return f"{url}?{urlencode({'next': page_url})}"


def next_of(request: HttpRequest) -> str:
    """Return the ``next`` of a request, which may be another site's; empty without one."""
    return request.GET.get("next") or request.POST.get("next", "")


def back(request: HttpRequest, *, default: str) -> HttpResponse:
    """Redirect to ``next``, or to ``default`` when it is missing or no path of this site."""
    return HttpResponseRedirect(path_of_next(request, default=default))


def path_of_next(request: HttpRequest, *, default: str) -> str:
    """Return ``next``, or ``default`` when it is missing or no path of this site."""
    page_url = next_of(request)
    if not page_url.startswith("/") or len(page_url) > LONGEST_ADDRESS:
        return default
    # Browsers take more than two slashes for the beginning of a host: Django knows what.
    if not url_has_allowed_host_and_scheme(page_url, allowed_hosts=None):
        return default
    return page_url
