"""Refusals: a status and a sentence instead of the page that was asked for.

A browser gets a page, htmx a fragment for the page's notice, so that the list on screen stays. A
program that calls the API, whose addresses begin with the setting ``API_PATH``, gets a problem
(RFC 9457), a reader of feeds the sentence alone.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from typing import Any

from django.conf import settings
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from dynapages.calls.faults import FAILURES, Unauthorized, Unavailable, fault_in
from dynapages.django.advice import advice_on, sentence_with_advice
from dynapages.django.formats import ATOM, requested_format
from dynapages.django.problems import (
    BAD_REQUEST,
    SCOPE_NEEDED,
    TOO_MANY_REQUESTS,
    ProblemType,
    problem,
    problem_type_of,
)
from dynapages.errors import DynamoError

logger: logging.Logger = logging.getLogger(__name__)
NOTICE = "#notice"
"""The element, on every page, that htmx puts refusals into."""
NOTICE_TEMPLATE = "dynapages/notice.html"
PAGE_TEMPLATE = "dynapages/refusal.html"
database_failed: Signal = Signal()
"""Sent with ``fault`` (`dynapages.calls.faults.Unavailable`) that a request is answered 503 for."""


class Refusal(DynamoError):
    """The request is not allowed; the text says what is.

    ``first_url`` is where the visitor can go on; ``retry_after`` is in seconds. A subclass has
    another ``problem_type``, which says the status as well.
    """

    problem_type: ProblemType = BAD_REQUEST

    def __init__(
        self, message: str, *, first_url: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.first_url = first_url
        self.retry_after: int | None = None if retry_after is None else ceil(retry_after)

    @property
    def status(self) -> HTTPStatus:
        """The status of the answer."""
        return self.problem_type.status


class TooManyRequests(Refusal):
    """A rate limit is exceeded; the text says for how long (see `dynapages.writes`)."""

    problem_type = TOO_MANY_REQUESTS


class ScopeNeeded(Refusal):
    """The key of a program is valid, but its scope does not allow what was asked for."""

    problem_type = SCOPE_NEEDED


# Answers to refused requests


def refuse(
    request: HttpRequest,
    status: HTTPStatus,
    *,
    retry_after: int | None = None,
    template: str = "",
    problem_type: ProblemType | None = None,
    **context: object,
) -> HttpResponse:
    """Render ``template`` or ``<status>.html``, or ``dynapages/refusal.html`` where it is missing.

    htmx gets ``dynapages/notice.html`` for the page's notice, the API and a reader of feeds the
    ``message`` of the context, and the API the ``problem_type``, or that of the status.
    ``retry_after``, in seconds, is sent as a header as well. A page reads who is signed in: when
    the database is away, the answer is 503 instead.
    """
    context |= {"status": status.value, "retry_after": retry_after}
    try:
        template = template or f"{status.value}.html"
        response = _render(request, status, template, context, problem_type=problem_type)
    except FAILURES as error:
        fault = fault_in(error)
        if fault is None or status is HTTPStatus.SERVICE_UNAVAILABLE:
            raise
        return unavailable(request, fault)
    # The page says it in words, the header to programs.
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def refusal_of(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """Return the answer to a Refusal or a fault of the database; None for any other error."""
    if isinstance(error, Refusal):
        return refuse(
            request,
            error.status,
            retry_after=error.retry_after,
            problem_type=error.problem_type,
            message=str(error),
            first_url=error.first_url,
        )
    fault = fault_in(error)
    if fault is None:
        return None
    return unavailable(request, fault)


def unavailable(request: HttpRequest, fault: Unavailable) -> HttpResponse:
    """Answer 503, with a ``Retry-After`` header; log what only operators can put right."""
    database_failed.send(type(fault), fault=fault)
    if isinstance(fault, Unauthorized):
        logger.error("%s", sentence_with_advice(fault))
    message = _(str(fault))
    advice = advice_on(fault)
    # The log has that on credentials.
    if advice and not isinstance(fault, Unauthorized):
        message = f"{message} {_(advice)}"
    return refuse(
        request,
        HTTPStatus.SERVICE_UNAVAILABLE,
        retry_after=fault.retry_after,
        message=message,
    )


def _render(
    request: HttpRequest,
    status: HTTPStatus,
    template: str,
    context: dict[str, object],
    *,
    problem_type: ProblemType | None,
) -> HttpResponse:
    """Render an answer as who sent the request can read it: a page, a notice, a problem."""
    message = context.get("message") or _("There is nothing here.")
    in_format = error_in_format(request.META, message, status, problem_type)
    if in_format is not None:
        return in_format
    is_partial = bool(getattr(request, "htmx", False))
    templates = [NOTICE_TEMPLATE] if is_partial else [template, PAGE_TEMPLATE]
    response = HttpResponse(render_to_string(templates, context, request), status=status)
    if is_partial:
        into_notice(response)
    patch_vary_headers(response, ("HX-Request",))
    return response


def into_notice(response: HttpResponse) -> None:
    """Have htmx put an answer into the page's notice, and leave its address and lists alone."""
    response["HX-Retarget"] = NOTICE
    response["HX-Reswap"] = "innerHTML"
    # The form stays on screen, and so must its address.
    response["HX-Push-Url"] = "false"


# Answers to programs


def error_in_format(
    environ: Mapping[str, Any],
    message: object,
    status: HTTPStatus,
    problem_type: ProblemType | None = None,
) -> HttpResponse | None:
    """Build the answer of a sentence to the API or for a feed; None where a page is due.

    ``environ`` is that of WSGI, or a request's ``META``. The API gets the ``problem_type``, or that
    of the status.
    """
    if is_of_api(environ):
        return problem(problem_type or problem_type_of(status), message, status=status)
    if requested_format(environ) == ATOM:
        return HttpResponse(f"{message}\n", "text/plain; charset=utf-8", status)
    return None


def is_of_api(environ: Mapping[str, Any]) -> bool:
    """Return whether a request is one of the API."""
    path: str = settings.API_PATH
    return bool(path) and environ.get("PATH_INFO", "").startswith(path)
