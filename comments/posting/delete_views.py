"""The page on which comments are deleted, by their authors and by staff."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from comments.activity_log import moderated
from comments.lists.read_your_writes import remember_written
from comments.posting.form_ids import is_author
from comments.posting.pages import NOT_YOURS
from comments.posting.services import delete_comment
from comments.store.comments import NoSuchComment, StoredComment, load_comment
from comments.web.rate_limits import check_rate_limit, check_staff_rate_limit
from dynamo.calls import clock
from dynamo.calls.meter import labelled_calls
from shop.activity.entries import Kind, LogVerb
from shop.web.access import signed_in
from shop.web.next_url import back

DELETED = _("The comment is deleted.")


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def delete(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Delete a comment of one's own, or, as staff, any; a GET asks for confirmation."""
    stored = _deletable(request, comment_id)
    if request.method != "POST":
        if stored is None:
            raise Http404(NOT_YOURS)
        return render(request, "comments/posting/delete.html", {"comment": stored.comment})
    now = clock.now()
    is_own = stored is None or is_author(request.user.get_username(), stored)
    (check_rate_limit if is_own else check_staff_rate_limit)(request, now=now)
    remember_written(request.session, comment_id, now=now)
    if delete_comment(comment_id, now=now) and stored:
        who = request.user.get_username()
        moderated(
            LogVerb.DELETED,
            comment_id=comment_id,
            product_id=stored.comment.product_id,
            who=who,
            kind=Kind.COMMENT if is_own else Kind.MODERATION,
            at=now,
        )
    messages.success(request, DELETED)
    home = reverse("product", args=[stored.comment.product_id]) if stored else reverse("home")
    return back(request, default=home)


def _deletable(request: HttpRequest, comment_id: str) -> StoredComment | None:
    """Read the comment, None when it is deleted. Raises Http404 for somebody else's."""
    try:
        with labelled_calls("comment"):
            stored = load_comment(comment_id)
    except NoSuchComment:
        return None
    if not (is_author(request.user.get_username(), stored) or request.user.is_staff):
        raise Http404(NOT_YOURS)
    return stored
