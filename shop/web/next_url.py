"""Where a form leads back to, as the page it stands on says by ``next`` in the form's address."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def with_next(url: str, page_url: str) -> str:
    """Give the address of a form that leads back to a page of this site."""
    return f"{url}?{urlencode({'next': page_url})}"


def back(request: HttpRequest, *, default: str) -> HttpResponse:
    """Lead back; to ``default`` when no page, or one of another site, was named."""
    page_url = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        page_url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return redirect(page_url if is_ours else default)
