"""What the whole site answers: errors, CSRF failures, uploads; and forms to be sent again.

The settings and `config.urls` name these functions. `fields_to_send_again` is for pages that are
answered in place of a form's view.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NoReturn
from urllib.parse import urlsplit

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.templatetags.static import static
from django.utils.cache import add_never_cache_headers
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import defaults
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dynapages.django.refusals import error_in_format, refuse

FORM_TYPE = "application/x-www-form-urlencoded"
TOKEN_FIELD = "csrfmiddlewaretoken"  # noqa: S105 - its name
SECRET_FIELD = re.compile("password|code|secret", re.IGNORECASE)
"""Names of fields that no page shows what was typed into."""
OTHER_SITES = frozenset({"cross-site", "same-site"})
"""Values of the header ``Sec-Fetch-Site``."""
STALE_PAGE = gettext_lazy(
    "This page is from before you last signed in, or cookies are blocked: reload it."
)

SIGNED_OUT = gettext_lazy(
    "You are not signed in any more. Nothing was changed. Sign in on another page, then send this "
    "form once more."
)
STALE_FORM = gettext_lazy(
    "This form is from before you last signed in, or cookies are blocked. Nothing was changed: "
    "send it once more."
)
NEITHER_TYPED = frozenset({TOKEN_FIELD, "next"})
"""Names of fields that nobody types into."""

ShowAgain = Callable[..., HttpResponse | None]
"""Shows a form as it was sent, without writing; None where it cannot."""


# Forms to be sent again


def fields_to_send_again(request: HttpRequest) -> dict[str, Any]:
    """Return what ``503.html`` needs to show a form of ours; nothing for any other request.

    A form that the site would not accept, such as one that is too long, is read no further.
    """
    if request.method != "POST" or request.content_type != FORM_TYPE:
        return {}
    try:
        if not is_from_our_page(request):
            return {}
        sent = dict(request.POST.lists())
        if TOKEN_FIELD not in sent:  # the choice of a language, which leads back to the page before
            sent.setdefault("next", [urlsplit(request.headers.get("Referer", "")).path])
    except (BadRequest, SuspiciousOperation, UnreadablePostError, ValueError):
        return {}  # a ValueError is of a header that is no address, or no length
    shown = []
    has_secrets = False
    for name, values in sent.items():
        if SECRET_FIELD.search(name):
            has_secrets = True
        else:
            shown += [(name, value) for value in values]
    return {"fields": shown, "has_secrets": has_secrets}


def form_kept(
    request: HttpRequest, message: Promise, *, sign_in_url: str = ""
) -> HttpResponse | None:
    """Answer 403 with a page that keeps the form of a request; None where there is none to keep.

    Its button sends the form to the same address as whoever is signed in then, with the token of
    this page. Passwords and codes are not kept.
    """
    form = fields_to_send_again(request)
    typed = []
    for name, value in form.get("fields", ()):
        if name not in NEITHER_TYPED:
            typed.append((name, value))
    has_secrets = form.get("has_secrets", False)
    if not (typed or has_secrets):
        return None
    response = refuse(
        request,
        HTTPStatus.FORBIDDEN,
        template="form_kept.html",
        message=message,
        typed=typed,
        next_page=request.POST.get("next", ""),
        has_secrets=has_secrets,
        sign_in_url=sign_in_url,
    )
    add_never_cache_headers(response)
    return response


def is_from_our_page(request: HttpRequest) -> bool:
    """Return whether a page of this site sent a request, by its headers; False without any.

    Raises DisallowedHost where the request names a host that is not this site.
    """
    if request.headers.get("Sec-Fetch-Site") in OTHER_SITES:
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


# Errors


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a malformed request that reached no view (``handler400``)."""
    del exception
    return refuse(
        request, HTTPStatus.BAD_REQUEST, message=_("The request is malformed."), first_url=None
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 with the sentence of the Http404, if it has one (``handler404``)."""
    message = exception.args[0] if exception.args else None
    if not isinstance(message, str | Promise):  # Django's own has what it resolved
        message = None
    return refuse(request, HTTPStatus.NOT_FOUND, message=message)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 (``handler500``), by a page that needs nothing which may be broken."""
    sentence = _("Something went wrong on our side. The error has been logged.")
    in_format = error_in_format(request.META, sentence, HTTPStatus.INTERNAL_SERVER_ERROR)
    return in_format or defaults.server_error(request)


@require_safe
def favicon(_request: HttpRequest) -> HttpResponse:
    """Lead browsers that ask for the icon without reading the page to the static file."""
    return redirect(static("favicon.ico"))


@require_safe
@never_cache
def form_token(request: HttpRequest) -> HttpResponse:
    """Answer the CSRF token for a form of a page that has none."""
    return HttpResponse(get_token(request), content_type="text/plain")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 (``CSRF_FAILURE_VIEW``).

    The answer has the form as it was sent if a page of ours has sent it. The view may have an
    attribute ``again``: a view that shows the form, does not write, and may return None. Otherwise
    `form_kept` keeps it.
    """
    del reason
    response = _form_again(request) if is_from_our_page(request) else None
    if response is None and not getattr(request, "htmx", False):
        response = form_kept(request, STALE_FORM)
    if response is not None:
        return response
    return refuse(request, HTTPStatus.FORBIDDEN, template="403_csrf.html", message=STALE_PAGE)


def _form_again(request: HttpRequest) -> HttpResponse | None:
    """Return the form of a request as it was sent, if its view has a way to show it."""
    match = request.resolver_match
    if match is None:
        return None
    show_again: ShowAgain | None = getattr(match.func, "again", None)
    if show_again is None:
        return None
    return show_again(request, *match.args, **match.kwargs)
