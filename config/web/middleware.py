"""The middleware of the whole site: the record of a request, headers and fragments of answers."""

from collections.abc import Callable, Iterator
from contextvars import Context, copy_context
from http import HTTPStatus
from typing import cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import resolve_url
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _

from config.navigation import Navigation
from config.telemetry.requests import OnSent, RequestRecord, is_watched, observed, view_of
from config.web.answers import SIGNED_OUT, form_kept
from config.web.bodies import REFUSED
from dynapages.calls import metered
from dynapages.django.jinja import render_jinja
from dynapages.django.paging import grouped, wants_partial
from dynapages.django.refusals import refuse
from shop.accounts.sessions import READ_STAFF
from shop.webhooks.known import read_meanwhile

PERMISSIONS_POLICY = "camera=(), geolocation=(self), microphone=(), payment=(), usb=()"
"""Pages of pickup points use where the browser is; no page needs anything else."""
TRACE_HEADERS = ("traceparent", "tracestate")
WRITING_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
"""Of requests that may change something."""


class RequestMiddleware:
    """Meters what a request reads and writes, and records it when its answer was sent."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_watched(request.path_info):
            return self._get_response(request)
        with metered() as meter:
            record = RequestRecord(
                request.method or "",
                scheme=request.scheme or "http",
                trace_headers=_trace_headers(request),
                meter=meter,
            )
            with observed(record) as on_sent:
                response = self._get_response(request)
                record.view = view_of(request)
                if request.resolver_match:
                    record.route = f"/{request.resolver_match.route}"
                record.status = response.status_code
                # What a stream reads belongs to its request, too.
                if isinstance(response, StreamingHttpResponse):
                    _call_when_sent(response, on_sent)
                else:
                    on_sent()
        return response


class KeptFormMiddleware:
    """Keeps what was typed into a form behind the sign-in whose session ended meanwhile."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if getattr(response, "asks_to_sign_in", False):
            kept = form_kept(request, SIGNED_OUT, sign_in_url=resolve_url(settings.LOGIN_URL))
            return kept or response
        return response


class _Parts:
    """The parts of an answer, made in the context of its request; closed when they were sent."""

    def __init__(self, parts: Iterator[bytes], context: Context, on_sent: OnSent) -> None:
        self._parts = parts
        self._context = context
        self._on_sent = on_sent

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return self._context.run(next, self._parts)

    def close(self) -> None:
        self._context.run(self._on_sent)


def _call_when_sent(response: StreamingHttpResponse, on_sent: OnSent) -> None:
    """Have a function called when a streaming response was sent, in the context of now."""
    parts = cast("Iterator[bytes]", response.streaming_content)  # none of ours are asynchronous
    response.streaming_content = _Parts(parts, copy_context(), on_sent)


def _trace_headers(request: HttpRequest) -> dict[str, str]:
    """Return the headers of a trace that was begun before us.

    A visitor could have all of their requests recorded, or write into somebody else's trace: they
    are a proxy's word alone.
    """
    if not settings.TRUSTED_PROXIES:
        return {}
    return {name: request.headers[name] for name in TRACE_HEADERS if name in request.headers}


class RefusedBodyMiddleware:
    """Answers a request whose body was refused (`config.web.bodies`), with a sentence."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        status = request.META.get(REFUSED)
        if status is None:
            return self._get_response(request)
        if status == HTTPStatus.LENGTH_REQUIRED:
            sentence = _("Send the body with its length, in the header Content-Length.")
        else:
            most = grouped(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
            sentence = _("A body in chunks has at most %(most)s bytes.") % {"most": most}
        return refuse(request, status, message=sentence)


class PermissionsPolicyMiddleware(MiddlewareMixin):
    """Sets ``Permissions-Policy`` on every answer."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        del request
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        return response


class KnownWebhooksMiddleware:
    """Has the webhooks read, where it is time to, while a request that may write is answered.

    So the change itself need not wait for them: it makes no round more. Without this middleware the
    first change in half a minute reads them by itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in WRITING_METHODS:
            return self._get_response(request)
        with read_meanwhile():
            return self._get_response(request)


# What fragments bring along


class NavigationMiddleware:
    """Has htmx swap the counts of the navigation with every fragment, so that both agree.

    What a member of staff changed is counted anew: a round more, unless the page counts it itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            return response
        is_staff = request.META.get(READ_STAFF, False)
        if is_staff and request.method == "POST":
            Navigation(request).note_change()
        if _is_fragment(request, response) and not request.session.is_empty():
            context = {"is_staff": is_staff, "navigation": Navigation(request)}
            response.content += render_jinja("_nav_counts.jinja", context).encode()
        return response


def _is_fragment(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether a response is HTML that htmx swaps into the page that it is on."""
    # A label alone, as plain text, is swapped into an element that has no room for more.
    is_html = response.get("Content-Type", "").startswith("text/html")
    if not is_html or response.streaming:
        return False
    return wants_partial(request) and bool(response.content)
