"""Which language a text that is being typed seems to be in."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from comments.posting.forms import CommentForm
from comments.posting.pages import language_of
from comments.web.form_errors import FormNotSaved, as_form_errors, require_user
from dynamo.web.forgery import redisplay_on_csrf_failure


def _nothing(_request: HttpRequest) -> HttpResponse:
    """Answer 204: errors are shown on submit."""
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@redisplay_on_csrf_failure(_nothing)
@never_cache
@require_POST
def detect(request: HttpRequest) -> HttpResponse:
    """Answer which language a text seems to be in, as the label of the choice to detect it.

    Answers 204 without a signed-in user or a database: the page must stay as it is.
    """
    try:
        with as_form_errors():
            require_user(request)
    except FormNotSaved:
        return _nothing(request)
    form = CommentForm(request.POST, fallback=language_of(request))
    return HttpResponse(escape(form.detect_label))
