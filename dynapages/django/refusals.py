"""Refusals: a status and a sentence instead of the page that was asked for, and the CSRF failure.

A browser gets a page, htmx a fragment for the page's notice, so that the list on screen stays. A
program that asks for JSON gets ``{"error": sentence}``, a reader of feeds the sentence alone.
"""

import logging
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from math import ceil
from typing import Any, NoReturn
from urllib.parse import urlsplit

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import defaults
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dynapages.calls.faults import FAILURES, Unauthorized, Unavailable, fault_in
from dynapages.django.formats import Format, format_asked
from dynapages.django.requests import note_fault
from dynapages.errors import DynamoError

FORM = "application/x-www-form-urlencoded"
TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - its name
SECRET = re.compile("password|code|secret", re.IGNORECASE)
"""Names of fields that no page shows what was typed into."""
FROM_ELSEWHERE = frozenset({"cross-site", "same-site"})


def fields_to_send_again(request: HttpRequest) -> dict[str, Any]:
    """Return what ``503.html`` needs to show a form of ours; nothing for any other request.

    A form that the site would not take, such as one that is too long, is read no further.
    """
    if request.method != "POST" or request.content_type != FORM:
        return {}
    try:
        if not is_from_our_page(request):
            return {}
        sent = dict(request.POST.lists())
        if TOKEN not in sent:  # the choice of a language, which leads back to the page before
            sent.setdefault("next", [urlsplit(request.headers.get("Referer", "")).path])
    except (BadRequest, SuspiciousOperation, UnreadablePostError, ValueError):
        return {}  # a ValueError is of a header that is no address, or no length
    secrets = {name for name in sent if SECRET.search(name)}
    shown = [(name, value) for name in sent if name not in secrets for value in sent[name]]
    return {"fields": shown, "has_secrets": bool(secrets)}


def is_from_our_page(request: HttpRequest) -> bool:
    """Return whether the browser says so; without a word from it, the answer is no.

    Raises DisallowedHost where the site was asked by another name than its own.
    """
    if request.headers.get("Sec-Fetch-Site") in FROM_ELSEWHERE:
        return False
    sender = request.headers.get("Origin") or request.headers.get("Referer", "")
    try:
        scheme, host = urlsplit(sender)[:2]
    except ValueError:
        return False
    return (scheme, host) == (request.scheme, request.get_host())


class NoUploads(FileUploadHandler):
    """Answers 400 to a form with a file in it (``FILE_UPLOAD_HANDLERS``)."""

    def new_file(self, *args: object, **kwargs: object) -> NoReturn:
        """Raise MultiPartParserError."""
        del args, kwargs
        raise MultiPartParserError("No form takes files.")


logger = logging.getLogger(__name__)

NOTICE = "#notice"
"""The element, on every page, that htmx puts refusals into."""


class Refusal(DynamoError):
    """The request is not allowed; the text says what is.

    ``first_url`` is where the visitor can go on; ``retry_after`` is in seconds.
    """

    status = HTTPStatus.BAD_REQUEST

    def __init__(
        self, message: str, *, first_url: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.first_url = first_url
        self.retry_after = None if retry_after is None else ceil(retry_after)


class TooManyRequests(Refusal):
    """A rate limit is exceeded; the text says for how long (see `dynapages.writes`)."""

    status = HTTPStatus.TOO_MANY_REQUESTS


def refuse(
    request: HttpRequest,
    status: HTTPStatus,
    *,
    retry_after: int | None = None,
    template: str = "",
    **context: object,
) -> HttpResponse:
    """Render ``template`` or ``<status>.html``, or for htmx ``_error.html`` for the page's notice.

    A program that asks for JSON or a feed gets the ``message`` of the context alone.
    ``retry_after``, in seconds, is sent as a header as well. A page reads who is signed in: when
    the database is away, the answer is 503 instead.
    """
    context |= {"status": status.value, "retry_after": retry_after}
    try:
        response = _render(request, status, template or f"{status.value}.html", context)
    except FAILURES as error:
        fault = fault_in(error)
        if fault is None or status is HTTPStatus.SERVICE_UNAVAILABLE:
            raise
        return unavailable(request, fault)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def unavailable(request: HttpRequest, fault: Unavailable) -> HttpResponse:
    """Answer 503, with a ``Retry-After`` header; log what only operators can mend.

    A form of ours comes back with its fields, to be sent again.
    """
    note_fault(fault)
    if isinstance(fault, Unauthorized):
        logger.error("%s", fault.detail)
    return refuse(
        request,
        HTTPStatus.SERVICE_UNAVAILABLE,
        retry_after=fault.retry_after,
        message=_(str(fault)),
        **fields_to_send_again(request),
    )


def _render(
    request: HttpRequest, status: HTTPStatus, page: str, context: dict[str, object]
) -> HttpResponse:
    message = context.get("message") or _("There is nothing here.")
    in_format = error_in_format(request.META, message, status)
    if in_format is not None:
        return in_format
    partial = bool(getattr(request, "htmx", False))
    response = render(request, "_error.html" if partial else page, context, status=status)
    if partial:
        response["HX-Retarget"] = NOTICE
        response["HX-Reswap"] = "innerHTML"
        response["HX-Push-Url"] = "false"
    patch_vary_headers(response, ("HX-Request",))
    return response


def error_in_format(
    environ: Mapping[str, Any], message: object, status: HTTPStatus
) -> HttpResponse | None:
    """Build the answer of a sentence to who asks for JSON or a feed; None where a page is due.

    ``environ`` is that of WSGI, or a request's ``META``.
    """
    form = format_asked(environ)
    if form == Format.JSON:
        params = {"ensure_ascii": False}
        return JsonResponse({"error": str(message)}, status=status, json_dumps_params=params)
    if form == Format.ATOM:
        return HttpResponse(f"{message}\n", "text/plain; charset=utf-8", status)
    return None


class RefusalMiddleware:
    """Answers a `Refusal` with its status, and a fault of the database with 503.

    To a 405, which has no words, it adds a sentence for programs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        allowed = response["Allow"]
        sentence = _("Only these methods are allowed here: %(allowed)s.") % {"allowed": allowed}
        in_format = error_in_format(request.META, sentence, HTTPStatus.METHOD_NOT_ALLOWED)
        if in_format is None:
            return response
        in_format["Allow"] = allowed
        return in_format

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, Refusal):
            return refuse(
                request,
                error.status,
                retry_after=error.retry_after,
                message=str(error),
                first_url=error.first_url,
            )
        fault = fault_in(error)
        return None if fault is None else unavailable(request, fault)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a malformed request that reached no view (``handler400``)."""
    del exception
    return refuse(
        request, HTTPStatus.BAD_REQUEST, message=_("The request is malformed."), first_url=None
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 with the sentence of the Http404, if it has one (``handler404``)."""
    message = exception.args[0] if exception.args else None
    return refuse(
        request,
        HTTPStatus.NOT_FOUND,
        message=message if isinstance(message, str | Promise) else None,
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 (``handler500``), by a page that needs nothing which may be broken."""
    broken = _("Something broke on our side. The error has been logged.")
    in_format = error_in_format(request.META, broken, HTTPStatus.INTERNAL_SERVER_ERROR)
    return in_format or defaults.server_error(request)


STALE = gettext_lazy(
    "This page is from before you last signed in, or cookies are blocked: reload it."
)

View = Callable[..., HttpResponse]
Again = Callable[..., HttpResponse | None]


def redisplay_on_csrf_failure(again: Again) -> Callable[[View], View]:
    """Mark a view whose form is answered by ``again``, with the view's arguments.

    ``again`` must not write. When it returns None, the usual page for status 403 is shown.
    """

    def mark(view: View) -> View:
        view.again = again  # type: ignore[attr-defined] # for csrf_failure, below
        return view

    return mark


@require_safe
@never_cache
def form_token(request: HttpRequest) -> HttpResponse:
    """Answer the CSRF token for a form of a page that has none."""
    return HttpResponse(get_token(request), content_type="text/plain")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 (``CSRF_FAILURE_VIEW``).

    The answer has the form as it was sent if its view is marked and a page of ours has sent it.
    """
    del reason
    match = request.resolver_match if is_from_our_page(request) else None
    again: Again | None = getattr(match.func, "again", None) if match else None
    response = again(request, *match.args, **match.kwargs) if match and again else None
    if response is not None:
        return response
    return refuse(request, HTTPStatus.FORBIDDEN, template="403_csrf.html", message=STALE)


PERMISSIONS_POLICY = "camera=(), geolocation=(self), microphone=(), payment=(), usb=()"
"""Pickup points ask where the browser is; nothing else is asked for."""


class PermissionsPolicyMiddleware:
    """Sets ``Permissions-Policy`` on every answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        return response
