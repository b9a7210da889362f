"""The parameter ``next``, of a form or its URL: the page that it redirects to."""

from urllib.parse import unquote, urlencode, urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

LONGEST = 2_000
"""Characters of an address that is redirected to."""


def with_next(url: str, page_url: str) -> str:
    """Return a form's URL with the page that it redirects to."""
    return f"{url}?{urlencode({'next': page_url})}"


def next_of(request: HttpRequest) -> str:
    """Return the ``next`` of a request, which may be another site's; empty without one."""
    return request.GET.get("next") or request.POST.get("next", "")


def name_of_page(page_url: str) -> str:
    """Return the name of the page of this site at a URL, empty if there is none."""
    try:
        return resolve(unquote(urlsplit(page_url).path)).url_name or ""
    except (Resolver404, ValueError):  # ValueError: no URL at all
        return ""


def back(request: HttpRequest, *, default: str) -> HttpResponse:
    """Redirect to ``next``, or to ``default`` when it is missing or no path of this site."""
    return HttpResponseRedirect(path_of_next(request, default=default))


def path_of_next(request: HttpRequest, *, default: str) -> str:
    """Return ``next``, or ``default`` when it is missing or no path of this site."""
    page_url = next_of(request)
    # Browsers take more than two slashes for the beginning of a host: Django knows what.
    is_here = url_has_allowed_host_and_scheme(page_url, allowed_hosts=None)
    return page_url if is_here and page_url[:1] == "/" and len(page_url) <= LONGEST else default
