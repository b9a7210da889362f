"""What caches may do with pages, and the counts that this process remembers for some seconds.

A shared cache may keep the page of a visitor without a session, a message or a CSRF token;
``Vary: Cookie`` keeps it from all others, whose pages no cache may keep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, wraps
from hashlib import blake2b
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.translation import get_language

from dynapages.django.formats import format_asked
from dynapages.django.paging import wants_partial

SHARED_SECONDS = 30
"""How long a shared cache may show a page without asking again."""
MADE_BY = ("dynapages", "shop", "comments")
"""The packages whose code decides what pages say."""
View = Callable[..., HttpResponse]


def public(view: View) -> View:
    """Let shared caches keep a page for a short while, unless it is for one visitor alone."""

    @wraps(view)
    def shown(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if not (_is_personal(request) or response.cookies):
            patch_cache_control(response, public=True, max_age=0, s_maxage=SHARED_SECONDS)
            patch_vary_headers(response, ("Cookie",))  # one may say the language
        return response

    return shown


class PersonalMiddleware:
    """Keeps all answers to a visitor with a session from all caches, refusals included."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if _is_personal(request):
            patch_cache_control(response, private=True, no_store=True)
        return response


def unless_known(
    request: HttpRequest, data: object, render: Callable[[], HttpResponse]
) -> HttpResponse:
    """Answer 304 if the visitor has the page of the same ``data``, else render it with an ETag.

    ``data`` must have a ``repr`` that differs where its page does. A personal page has no ETag.
    """
    if _is_personal(request):
        return render()
    form = format_asked(request.META) or wants_partial(request)
    basis = f"{_release_digest()} {get_language()} {form} {data!r}"
    etag = f'W/"{blake2b(basis.encode(), digest_size=12).hexdigest()}"'
    known = get_conditional_response(request, etag=etag)
    response = known or render()
    response["ETag"] = etag
    return response


def _is_personal(request: HttpRequest) -> bool:
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


@lru_cache(maxsize=1)
def _release_digest() -> str:
    """Return a digest of all that makes pages: a new release's are not those of before."""
    base = Path(settings.BASE_DIR)
    templates = (base / "templates").rglob("*.html")
    modules = (path for package in MADE_BY for path in (base / package).rglob("*.py"))
    sentences = (base / "config" / "locale").rglob("*.mo")
    sources = [path.read_bytes() for path in sorted((*templates, *modules, *sentences))]
    return blake2b(b"".join(sources), digest_size=8).hexdigest()
