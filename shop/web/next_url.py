"""The parameter ``next``, of a form or its URL: the page that it redirects to."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def with_next(url: str, page_url: str) -> str:
    """Return a form's URL with the page that it redirects to."""
    return f"{url}?{urlencode({'next': page_url})}"


def next_of(request: HttpRequest) -> str:
    """Return the ``next`` of a request, which may be another site's; empty without one."""
    return request.GET.get("next") or request.POST.get("next", "")


def back(request: HttpRequest, *, default: str) -> HttpResponse:
    """Redirect to ``next``, or to ``default`` when it is missing or another site's."""
    page_url = next_of(request)
    is_ours = url_has_allowed_host_and_scheme(
        page_url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return redirect(page_url if is_ours else default)
