"""Whole pages and the fragments that htmx swaps, at the same URL, chosen by a header."""

from collections.abc import Mapping
from typing import Any

from django.contrib.messages import WARNING, get_messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event


def wants_partial(request: HttpRequest) -> bool:
    """Return whether htmx asks for the list only; not when boosted or restoring history."""
    htmx = request.htmx  # type: ignore[attr-defined] # django-htmx adds it
    return bool(htmx) and not htmx.history_restore_request and not htmx.boosted


def render_list(
    request: HttpRequest, page: str, partial: str, context: Mapping[str, Any]
) -> HttpResponse:
    """Render the list's fragment for htmx, else the whole page around it.

    A fragment has no place for Django's messages: they are sent as the event ``said``, for a script
    to show. ``Vary`` keeps a cache from confusing page and fragment.
    """
    is_partial = wants_partial(request)
    response = render(request, partial if is_partial else page, dict(context))
    if is_partial and (told := list(get_messages(request))):
        is_warning = any(message.level >= WARNING for message in told)
        notify(response, *map(str, told), is_warning=is_warning)
    patch_vary_headers(response, ("HX-Request", "HX-History-Restore-Request", "HX-Boosted"))
    return response


def redirect_page(request: HttpRequest, url: str) -> HttpResponse:
    """Redirect to a whole page; htmx would swap in the target of a plain redirect."""
    return HttpResponseClientRedirect(url) if wants_partial(request) else redirect(url)


def notify(response: HttpResponse, *sentences: str, is_warning: bool = False) -> HttpResponse:
    """Add sentences for a script to show in the page's notice; return the response."""
    said = {"sentences": sentences, "isWarning": is_warning}
    return trigger_client_event(response, "said", said, after="settle")
