"""The page on which users change comments of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from comments.lists.read_your_writes import remember_written
from comments.posting.by_users import PostedOtherwise, load_own, save_edit
from comments.posting.forms import EditForm
from comments.posting.pages import NOT_YOURS, WRITE_FORM, language_of, page_of_edit
from comments.posting.services import CommentGone, EditLost
from comments.store.comments import NoSuchComment
from comments.web.form_errors import FormNotSaved, as_form_errors, forged, require_user
from comments.web.rate_limits import check_rate_limit
from dynamo.calls import clock
from dynamo.web.forgery import redisplay_on_csrf_failure
from dynamo.web.partials import redirect_page
from shop.catalogue.lookup import product_or_404
from shop.web.access import signed_in


def _forged(request: HttpRequest, comment_id: str) -> HttpResponse:
    return refuse_edit(request, comment_id, forged())


@redisplay_on_csrf_failure(_forged)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Change a comment of one's own."""
    return (_save if request.method == "POST" else _show)(request, comment_id)


def refuse_edit(request: HttpRequest, comment_id: str, refusal: FormNotSaved) -> HttpResponse:
    """Show what was typed as an edit of the comment as it is now."""
    data = request.POST.copy()
    theirs = refusal.stored.comment if refusal.stored else None
    if refusal.stored:
        data["version"] = str(refusal.stored.version)
    form = EditForm(data, fallback=language_of(request))
    context = {"page": page_of_edit(comment_id, theirs=theirs)}
    return WRITE_FORM.show_again(request, form, context, refusal=refusal)


@contextmanager
def conflicts_as_form_errors() -> Iterator[None]:
    """Turn a comment that was changed or deleted into FormNotSaved, like all other errors."""
    with as_form_errors():
        try:
            yield
        except (EditLost, PostedOtherwise) as error:
            yours = _("Yours is below: compare the two, and send yours again to replace the other.")
            sentence = f"{error} {yours}"
            raise FormNotSaved(HTTPStatus.CONFLICT, sentence, stored=error.stored) from error
        except (CommentGone, NoSuchComment) as error:
            raise FormNotSaved(HTTPStatus.NOT_FOUND, str(NOT_YOURS)) from error


@signed_in
def _show(request: HttpRequest, comment_id: str) -> HttpResponse:
    try:
        stored = load_own(comment_id, username=request.user.get_username())
    except NoSuchComment as error:
        raise Http404(str(NOT_YOURS)) from error
    product = product_or_404(stored.comment.product_id)
    context = {"page": page_of_edit(comment_id, product=product)}
    return WRITE_FORM.show(request, EditForm.of(stored), context)


def _save(request: HttpRequest, comment_id: str) -> HttpResponse:
    form = EditForm(request.POST, fallback=language_of(request))
    try:
        with conflicts_as_form_errors():
            _write(request, comment_id, form)
    except FormNotSaved as refusal:
        return refuse_edit(request, comment_id, refusal)
    messages.success(request, _("Your comment is changed."))
    return redirect_page(request, reverse("comment", args=[comment_id]))


def _write(request: HttpRequest, comment_id: str, form: EditForm) -> None:
    username, now = require_user(request), clock.now()
    if not form.is_valid():
        raise FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY)
    check_rate_limit(request, now=now)
    remember_written(request.session, comment_id, now=now)
    save_edit(
        form.draft,
        comment_id=comment_id,
        version=form.cleaned_data["version"],
        username=username,
        now=now,
    )
