"""The ``next`` parameter: the page that a form redirects to."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def with_next(url: str, page_url: str) -> str:
    """Return a form's URL with the page that it redirects to."""
    return f"{url}?{urlencode({'next': page_url})}"


def back(request: HttpRequest, *, default: str) -> HttpResponse:
    """Redirect to ``next``, or to ``default`` when it is missing or another site's."""
    page_url = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        page_url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return redirect(page_url if is_ours else default)
