"""What caches may do with pages, and the counts that this process remembers for some seconds.

A shared cache may keep the page of a visitor without a session, a message or a CSRF token;
``Vary: Cookie`` keeps it from all others, whose pages no cache may keep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers

__all__ = [
    "REMEMBERED_SECONDS",
    "SHARED_SECONDS",
    "Waiting",
    "is_personal",
    "public",
    "remember_waiting",
    "remembered_waiting",
]

SHARED_SECONDS = 30
"""How long a shared cache may show a page without asking again."""
View = Callable[..., HttpResponse]


def public(view: View) -> View:
    """Let shared caches keep a page for a short while, unless it is for one visitor alone."""

    @wraps(view)
    def shown(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if not (is_personal(request) or response.cookies):
            patch_cache_control(response, public=True, max_age=0, s_maxage=SHARED_SECONDS)
            patch_vary_headers(response, ("Cookie",))  # one may say the language
        return response

    return shown


def is_personal(request: HttpRequest) -> bool:
    """Return whether the answer may hold what is for this visitor alone."""
    return (
        not request.session.is_empty()
        or "messages" in request.COOKIES
        or request.META.get("CSRF_COOKIE_NEEDS_UPDATE", False)
    )


REMEMBERED_SECONDS = 15


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many items of a list wait for staff, None where that could not be read.

    They were counted at the moment ``at`` (aware) or later; there are more if ``has_more``.
    """

    count: int | None
    at: datetime
    has_more: bool = False


def remember_waiting(name: str, waiting: Waiting) -> None:
    """Remember a count of ``queue`` or ``reports``, for the navigation of every page.

    Whoever counts for a page of its own remembers it, so that both say the same.
    """
    cache.set(f"waiting/{name}", waiting, REMEMBERED_SECONDS)


def remembered_waiting(name: str) -> Waiting | None:
    """Return the count that was remembered last, None without one of the last seconds."""
    waiting: Waiting | None = cache.get(f"waiting/{name}")
    return waiting
