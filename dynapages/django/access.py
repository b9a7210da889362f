"""Who may see a page: visitors, users, staff, and caches.

A shared cache may keep the page of a visitor without a session, a message or a CSRF token;
``Vary: Cookie`` keeps it from all others, whose pages no cache may keep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import TypeVar

from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user_model
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.utils.cache import add_never_cache_headers, patch_cache_control, patch_vary_headers
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from dynapages.django.middleware import is_personal
from dynapages.django.next_page import next_of, with_next
from dynapages.django.refusals import error_in_format
from dynapages.django.security_log import log_event
from dynapages.process import pool

SHARED_SECONDS = 30
"""How long a shared cache may show a page without asking again."""

T = TypeVar("T")
R = TypeVar("R", bound=HttpResponseBase)
View = Callable[..., HttpResponse]
Read = Callable[..., T]


def _no() -> bool:
    return False


def _yes() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Visitor:
    """The user that a session names, by the primary key as text; empty for nobody.

    What is to be shown to this user can be read at once. It may be shown when ``is_confirmed``,
    which reads the user, has returned True: users may have been deleted, or have a new password.
    """

    user_id: str = ""
    is_confirmed: Callable[[], bool] = _no


NOBODY = Visitor()


def visitor_of(request: HttpRequest) -> Visitor:
    """Return the visitor that the session names; nothing is read before it is confirmed.

    A user in an SQL database is read at once: the session has only a number of theirs, and
    connections to such a database belong to a thread.
    """
    # Without SQL the model is not managed, and its key is in the session as it is.
    if get_user_model()._meta.managed:  # noqa: SLF001 - Django documents it
        if not request.user.is_authenticated:
            return NOBODY
        return Visitor(str(request.user.pk), _yes)
    user_id = str(request.session.get(SESSION_KEY, ""))
    if not user_id:
        return NOBODY

    def is_confirmed() -> bool:
        return request.user.is_authenticated

    return Visitor(user_id, is_confirmed)


# What caches may keep


def public(view: View) -> View:
    """Let shared caches keep a page for a short while, unless it is for one visitor alone."""

    @wraps(view)
    def cached_view(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        response = view(request, *args, **kwargs)
        may_not_be_stored = "no-store" in response.get("Cache-Control", "")
        if not (may_not_be_stored or is_personal(request) or response.cookies):
            patch_cache_control(response, public=True, max_age=0, s_maxage=SHARED_SECONDS)
            patch_vary_headers(response, ("Cookie",))  # one may say the language
        return response

    return cached_view


# Who is let in


def signed_in(view: Callable[..., R]) -> Callable[..., R | HttpResponse]:
    """Redirect anonymous visitors to the login page, as a whole page for htmx, and back.

    Programs, which cannot sign in there, get 403.
    """

    @wraps(view)
    def guarded_view(request: HttpRequest, *args: str, **kwargs: str) -> R | HttpResponse:
        if not request.user.is_authenticated:
            return _sign_in_first(request)
        response = view(request, *args, **kwargs)
        add_never_cache_headers(response)
        if request.user.is_staff and request.method == "POST":
            log_event(
                "staff-action",
                user=str(request.user.pk),
                request=request,
                path=request.path,
                status=response.status_code,
            )
        return response

    return guarded_view


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    """Answer an anonymous visitor: by a redirect to the login page, a program by 403.

    A redirect has the attribute ``asks_to_sign_in``, by which a host can keep a form that was sent.
    """
    sentence = _("Sign in to see this: send the cookie of a session.")
    in_format = error_in_format(request.META, sentence, HTTPStatus.FORBIDDEN)
    if in_format is not None:
        return in_format
    url = resolve_url(settings.LOGIN_URL)
    page_url = _page_to_come_back_to(request)
    if page_url:
        url = with_next(url, page_url)
    # htmx would put the login page into the part of the page that it asked for.
    if getattr(request, "htmx", False):
        return HttpResponseClientRedirect(url)
    response = redirect(url)
    response.asks_to_sign_in = True  # type: ignore[attr-defined] # for the host's middleware
    return response


def _page_to_come_back_to(request: HttpRequest) -> str | None:
    """Return the address of this page, or of the one that has the form; None where unknown."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    htmx = getattr(request, "htmx", None)
    if not htmx:
        return next_of(request)
    try:
        current: str | None = htmx.current_url_abs_path
    except ValueError:  # no browser sends such an address
        return None
    return current


def staff_only(view: Callable[..., R]) -> Callable[..., R | HttpResponse]:
    """Require staff like `signed_in`; customers get 404."""

    @wraps(view)
    def guarded_view(request: HttpRequest, *args: str, **kwargs: str) -> R:
        if not request.user.is_staff:
            user = str(request.user.pk)
            log_event("staff-page-refused", user=user, request=request, path=request.path)
            raise Http404
        return view(request, *args, **kwargs)

    return signed_in(guarded_view)


def prefetch(read: Read[T], guard: Callable[[View], View] = signed_in) -> Callable[[View], View]:
    """Have ``read`` called in the round in which the user is loaded, and guard the view.

    ``read(request, visitor, …)`` gets the arguments of the URL, and must not write. The view gets
    what it returns, or what it raised is raised, for those alone whom ``guard`` lets in.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded_view(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
            visitor = visitor_of(request)
            if not visitor.user_id:
                return guard(view)(request)  # which lets nobody in
            language = get_language()
            # Parsed here, as two threads would read one body: a test's client skips CSRF's check.
            request.POST.keys()
            # Both are started before either is waited for: one round instead of two.
            with pool().together() as together:
                confirmation = together.start(visitor.is_confirmed)
                visitor_in_read = Visitor(visitor.user_id, confirmation.result)

                def read_in_language() -> T:
                    # It runs in another thread, whose refusals are in the visitor's language too.
                    with override(language):
                        return read(request, visitor_in_read, *args, **kwargs)

                started = together.start(read_in_language)
                confirmation.result()

                def view_with_result(request: HttpRequest) -> HttpResponse:
                    return view(request, started.result(), *args, **kwargs)

                return guard(view_with_result)(request)

        return guarded_view

    return decorate
