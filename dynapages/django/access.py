"""Who may see a page: visitors, users, staff, caches; and the way back from forms.

A shared cache may keep the page of a visitor without a session, a message or a CSRF token;
``Vary: Cookie`` keeps it from all others, whose pages no cache may keep.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial, wraps
from http import HTTPStatus
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user_model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.utils.cache import add_never_cache_headers, patch_cache_control, patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from dynapages.django.refusals import error_in_format
from dynapages.process import pool

if TYPE_CHECKING:  # it is a model, and this is imported before apps are ready
    from django.contrib.auth.base_user import AbstractBaseUser

__all__ = [
    "NOBODY",
    "SHARED_SECONDS",
    "Caller",
    "Scope",
    "Visitor",
    "back",
    "client_network",
    "is_personal",
    "log_event",
    "path_of_next",
    "prefetch",
    "public",
    "signed_in",
    "staff_only",
    "visitor_of",
    "with_next",
]

LONGEST = 2_000
"""Characters of an address that is redirected to."""


def with_next(url: str, page_url: str) -> str:
    """Return a form's URL with the page that it redirects to."""
    return f"{url}?{urlencode({'next': page_url})}"


def _next_of(request: HttpRequest) -> str:
    """Return the ``next`` of a request, which may be another site's; empty without one."""
    return request.GET.get("next") or request.POST.get("next", "")


def back(request: HttpRequest, *, default: str) -> HttpResponse:
    """Redirect to ``next``, or to ``default`` when it is missing or no path of this site."""
    return HttpResponseRedirect(path_of_next(request, default=default))


def path_of_next(request: HttpRequest, *, default: str) -> str:
    """Return ``next``, or ``default`` when it is missing or no path of this site."""
    page_url = _next_of(request)
    # Browsers take more than two slashes for the beginning of a host: Django knows what.
    is_here = url_has_allowed_host_and_scheme(page_url, allowed_hosts=None)
    return page_url if is_here and page_url[:1] == "/" and len(page_url) <= LONGEST else default


@dataclass(frozen=True, slots=True)
class Visitor:
    """The user that a session names, by the primary key as text; empty for nobody.

    What is to be shown to this user can be read at once. It may be shown when ``is_confirmed``,
    which reads the user, has returned True: users may have been deleted, or have a new password.
    """

    user_id: str = ""
    is_confirmed: Callable[[], bool] = bool


NOBODY = Visitor()


class Scope(StrEnum):
    """What a key of an API may be used for; each scope includes those before it."""

    READ = "read"
    WRITE = "write"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class Caller:
    """A key of an API, the id of its user (empty for nobody), and its scope; nobody's has none.

    An authenticator that has loaded the ``user`` may give it, so that it is not read again.
    """

    id: str
    user_id: str
    scope: Scope | None
    user: "AbstractBaseUser | None" = field(default=None, kw_only=True, repr=False, compare=False)

    def allows(self, scope: Scope) -> bool:
        """Return whether the key may be used for what needs a scope."""
        scopes = [*Scope]
        return self.scope is not None and scopes.index(self.scope) >= scopes.index(scope)


HOME_NETWORK_BITS = 64
"""The part of an IPv6 address that one connection has; the rest can vary."""


def client_network(request: HttpRequest) -> str:
    """Return the client's IPv4 address or IPv6 network (/64), which count as one client.

    ``X-Forwarded-For`` is trusted only as far as TRUSTED_PROXIES proxies (a setting) added to
    its end; the rest may be forged.
    """
    return _network(_forwarded(request) or request.META.get("REMOTE_ADDR", ""))


def _forwarded(request: HttpRequest) -> str | None:
    proxies = settings.TRUSTED_PROXIES
    if not proxies:
        return None
    chain = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    return chain[-proxies] if len(chain) >= proxies else None


def _network(address: str) -> str:
    try:
        parsed = ip_address(_without_port(address))
    except ValueError:
        return "unknown"
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed), HOME_NETWORK_BITS), strict=False))


def _without_port(address: str) -> str:
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address


logger = logging.getLogger("security")


def log_event(
    event: str, *, user: str = "", request: HttpRequest | None = None, **details: str | int
) -> None:
    """Log an event, such as ``sign-in``, of a user, by the network address of a request.

    ``user`` is a key, such as the primary one, and no e-mail address. ``details`` must hold no
    password, no token, and no text that somebody wrote.
    """
    line: dict[str, str | int] = {"event": event, "user": user}
    if request is not None:
        line["network"] = client_network(request)
    line |= details
    logger.info("%s", json.dumps(line), extra={"fields": line})


T = TypeVar("T")
R = TypeVar("R", bound=HttpResponseBase)
View = Callable[..., HttpResponse]
Read = Callable[..., T]


def visitor_of(request: HttpRequest) -> Visitor:
    """Return the visitor that the session names; nothing is read before it is confirmed.

    A user in an SQL database is read at once: the session has only a number of theirs, and
    connections to such a database belong to a thread.
    """
    if get_user_model()._meta.managed:  # noqa: SLF001 - Django documents it
        user_id = str(request.user.pk) if request.user.is_authenticated else ""
        return Visitor(user_id, lambda: bool(user_id))
    user_id = str(request.session.get(SESSION_KEY, ""))
    return Visitor(user_id, lambda: bool(user_id) and request.user.is_authenticated)


SHARED_SECONDS = 30
"""How long a shared cache may show a page without asking again."""


def public(view: View) -> View:
    """Let shared caches keep a page for a short while, unless it is for one visitor alone."""

    @wraps(view)
    def shown(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        response = view(request, *args, **kwargs)
        is_kept_by_none = "no-store" in response.get("Cache-Control", "")
        if not (is_kept_by_none or is_personal(request) or response.cookies):
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


def signed_in(view: Callable[..., R]) -> Callable[..., R | HttpResponse]:
    """Redirect anonymous visitors to the login page, as a whole page for htmx, and back.

    Programs, which cannot sign in there, get 403.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: str, **kwargs: str) -> R | HttpResponse:
        if request.user.is_authenticated:
            response = view(request, *args, **kwargs)
            add_never_cache_headers(response)
            if request.user.is_staff and request.method == "POST":
                user, status = str(request.user.pk), response.status_code
                path = request.path
                log_event("staff-action", user=user, request=request, path=path, status=status)
            return response
        sentence = _("Sign in to see this: send the cookie of a session.")
        in_format = error_in_format(request.META, sentence, HTTPStatus.FORBIDDEN)
        if in_format is not None:
            return in_format
        here = _page(request)
        login_url = resolve_url(settings.LOGIN_URL)
        url = with_next(login_url, here) if here else login_url
        if getattr(request, "htmx", False):
            return HttpResponseClientRedirect(url)
        return redirect(url)

    return guarded


def staff_only(view: Callable[..., R]) -> Callable[..., R | HttpResponse]:
    """Require staff like `signed_in`; customers get 404."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: str, **kwargs: str) -> R:
        if not request.user.is_staff:
            user = str(request.user.pk)
            log_event("staff-page-refused", user=user, request=request, path=request.path)
            raise Http404
        return view(request, *args, **kwargs)

    return signed_in(guarded)


def prefetch(read: Read[T], guard: Callable[[View], View] = signed_in) -> Callable[[View], View]:
    """Have ``read`` called in the round in which the user is loaded, and guard the view.

    ``read(request, visitor, …)`` gets the arguments of the URL, and must not write. The view gets
    what it returns, or what it raised is raised, for those alone whom ``guard`` lets in.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
            visitor = visitor_of(request)
            if not visitor.user_id:
                return guard(view)(request)  # which lets nobody in
            with pool().together() as together:
                is_user = together.start(visitor.is_confirmed)
                known = Visitor(visitor.user_id, is_user.result)
                reads = partial(read, request, known, *args, **kwargs)
                found = together.start(partial(_in_language, get_language(), reads))
                is_user.result()
                return guard(lambda request: view(request, found.result(), *args, **kwargs))(
                    request
                )

        return guarded

    return decorate


def _in_language(language: str | None, read: Callable[[], T]) -> T:
    """Call ``read`` in another thread, whose refusals are in the visitor's language too."""
    with override(language):
        return read()


def _page(request: HttpRequest) -> str | None:
    """Return the page to come back to: this one, or that of the form."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    htmx = getattr(request, "htmx", None)
    if htmx:
        try:
            current: str | None = htmx.current_url_abs_path
        except ValueError:  # no browser sends such an address
            return None
        return current
    return _next_of(request)
