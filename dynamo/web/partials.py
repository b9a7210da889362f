"""Whole pages and the fragments htmx swaps: the same URL, told apart by a header."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def wants_partial(request: HttpRequest) -> bool:
    """Tell whether htmx asks for the list alone; not when it restores history or is boosted."""
    htmx = request.htmx  # type: ignore[attr-defined] # django-htmx adds it
    return bool(htmx) and not htmx.history_restore_request and not htmx.boosted


def render_list(
    request: HttpRequest, page: str, partial: str, context: Mapping[str, Any]
) -> HttpResponse:
    """Render the list's fragment for htmx, else the whole page around it.

    ``Vary: HX-Request`` keeps a cache from giving one for the other.
    """
    template = partial if wants_partial(request) else page
    response = render(request, template, dict(context))
    patch_vary_headers(response, ("HX-Request", "HX-History-Restore-Request", "HX-Boosted"))
    return response
