"""Refusals: what a visitor is told when a page cannot be given.

A refusal is a status and a sentence. To a browser it is a page; to htmx it is a fragment aimed
at the page's notice, so that the list on screen stays.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from dynamo.errors import DynamoError
from dynamo.faults import fault_in

NOTICE = "#notice"
"""The element of every page that htmx puts refusals into."""


class Refusal(DynamoError):
    """The request cannot be answered; the text says what is allowed.

    ``first_url`` leads to where the visitor can go on.
    """

    status = HTTPStatus.BAD_REQUEST

    def __init__(self, message: str, *, first_url: str | None = None) -> None:
        super().__init__(message)
        self.first_url = first_url


def refuse(request: HttpRequest, status: HTTPStatus, **context: Any) -> HttpResponse:
    """Render ``<status>.html``, or for htmx ``_error.html`` aimed at the page's notice."""
    partial = bool(getattr(request, "htmx", False))
    template = "_error.html" if partial else f"{status.value}.html"
    response = render(request, template, {"status": status.value, **context}, status=status)
    if partial:
        response["HX-Retarget"] = NOTICE
        response["HX-Reswap"] = "innerHTML"
        response["HX-Push-Url"] = "false"
    patch_vary_headers(response, ("HX-Request",))
    return response


class RefusalMiddleware:
    """Answers a `Refusal` with its status, and a throttled or absent database with 503."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, Refusal):
            return refuse(request, error.status, message=str(error), first_url=error.first_url)
        fault = fault_in(error)
        if fault is None:
            return None
        response = refuse(
            request,
            HTTPStatus.SERVICE_UNAVAILABLE,
            message=str(fault),
            retry_after=fault.retry_after,
        )
        response["Retry-After"] = str(fault.retry_after)
        return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400: a request that is malformed below the level of any page."""
    del exception
    return refuse(
        request, HTTPStatus.BAD_REQUEST, message="The request is malformed.", first_url=None
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404: with the sentence of the Http404, where it has one."""
    message = exception.args[0] if exception.args else None
    return refuse(
        request, HTTPStatus.NOT_FOUND, message=message if isinstance(message, str) else None
    )
