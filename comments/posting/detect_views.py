"""Which language a text that is being typed seems to be in."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from comments.posting.forms import CommentForm
from comments.posting.pages import language_of
from comments.web.form_errors import NotWritten, require_user, told
from dynamo.web.forgery import redisplay_on_csrf_failure


def _nothing(_request: HttpRequest) -> HttpResponse:
    """Leave the form on screen alone: it is told what is wrong when it is sent."""
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@redisplay_on_csrf_failure(_nothing)
@never_cache
@require_POST
def detect(request: HttpRequest) -> HttpResponse:
    """Say which language a text seems to be in, as the name of the choice to detect it.

    Whoever is not signed in any more is told nothing, least of all to leave the page; nor is
    anybody while the database is away.
    """
    try:
        with told():
            require_user(request)
    except NotWritten:
        return _nothing(request)
    form = CommentForm(request.POST, fallback=language_of(request))
    return HttpResponse(escape(form.detect_label))
