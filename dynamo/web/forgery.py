"""Forms without the right token against forged requests: refused, but not lost.

A token goes out of use when its user signs in anew, on another page for instance. Whoever then
sends a form they have typed in for an hour must not lose it. A view marked by `redisplay_on_csrf_failure`
shows the form again, with a fresh token; nothing else of the view is run.
"""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from dynamo.web.refusals import refuse

STALE = "This page is from before you last signed in, or cookies are blocked: load it anew."

View = Callable[..., HttpResponse]
Again = Callable[..., HttpResponse | None]


def redisplay_on_csrf_failure(again: Again) -> Callable[[View], View]:
    """Have ``again`` answer a form of this view that lacks the token, with the view's arguments.

    It must write nothing. None leaves the answer to the site.
    """

    def mark(view: View) -> View:
        view.again = again  # type: ignore[attr-defined] # for csrf_failure, below
        return view

    return mark


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's ``CSRF_FAILURE_VIEW``: 403, with the form as it was sent where its view keeps it."""
    del reason
    match = request.resolver_match
    again: Again | None = getattr(match.func, "again", None) if match else None
    response = again(request, *match.args, **match.kwargs) if match and again else None
    if response is not None:
        return response
    return refuse(request, HTTPStatus.FORBIDDEN, template="403_csrf.html", message=STALE)
