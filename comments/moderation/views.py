"""Pages of reported and hidden comments for staff, their decisions and picks."""

from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from comments.activity_log import moderated
from comments.moderation.listing import (
    COLUMNS,
    COMMENTS_AT_A_TIME,
    csv_reader,
    moderation_listing,
    moderation_pager,
)
from comments.moderation.queries import PLAN, ModeratedComment, list_moderated
from comments.moderation.services import Decision, NotAsSeen, carry_out, feature, unfeature
from comments.store.comments import NoSuchComment, Revision, State
from comments.web.rate_limits import check_staff_rate_limit
from dynamo.calls import clock
from dynamo.lists.reader import PageResult
from dynamo.web.formats import csv_response
from dynamo.web.paging import ListRequest, notify, show_page, wants_partial
from dynamo.web.refusals import Refusal
from shop.activity.entries import LogVerb
from shop.web.access import prefetch, staff_only
from shop.web.next_url import back
from shop.web.visitor import Visitor

SAID = {
    Decision.KEEP: gettext_lazy("The comment stays, and is out of the queue."),
    Decision.HIDE: gettext_lazy("The comment is hidden."),
    Decision.RESTORE: gettext_lazy("The comment is back in its lists."),
    Decision.DELETE: gettext_lazy("The comment is deleted."),
}
GONE = gettext_lazy("There is no such comment any more: somebody has deleted it.")


Asked = ListRequest[State, PageResult[ModeratedComment]]


def _read(state: State, request: HttpRequest, _visitor: Visitor) -> Asked:
    asked = moderation_pager(state).requested(request.GET, size=settings.PAGE_SIZE)
    return ListRequest(state, asked, list_moderated(state, asked))


@require_safe
@prefetch(partial(_read, State.REPORTED), staff_only)
def reported(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Show the reported comments, oldest report first (P5)."""
    return _show(request, asked)


@require_safe
@prefetch(partial(_read, State.HIDDEN), staff_only)
def hidden(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Show the hidden comments."""
    return _show(request, asked)


@require_safe
@staff_only
def reported_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Answer with all reported comments and their first reports as CSV."""
    del request
    return _csv("reported-comments", State.REPORTED)


@require_safe
@staff_only
def hidden_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Answer with all hidden comments as CSV."""
    del request
    return _csv("hidden-comments", State.HIDDEN)


@require_POST
@staff_only
def decide(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Carry out a decision on a comment, if it is as the deciding user saw it."""
    try:
        decision = Decision(request.POST.get("decision", ""))
        seen = Revision.parse(request.POST.get("seen", ""))
    except ValueError as error:
        raise Refusal(_("This form does not say what to do with which comment.")) from error
    now = clock.now()
    check_staff_rate_limit(request, now=now)
    try:
        who = request.user.get_username()
        carry_out(decision, comment_id=comment_id, seen=seen, who=who, now=now)
    except NotAsSeen as error:
        messages.warning(request, str(error))
    except NoSuchComment:
        messages.warning(request, GONE)
    else:
        messages.success(request, SAID[decision])
    return back(request, default=reverse("moderation"))


def _csv(filename: str, state: State) -> StreamingHttpResponse:
    return csv_response(filename, COLUMNS, csv_reader(state), at_a_time=COMMENTS_AT_A_TIME)


def _show(request: HttpRequest, asked: Asked) -> HttpResponse:
    found, page_url = asked.result, request.get_full_path()
    listing = moderation_listing(asked.chosen, found.items, page_url=page_url)
    return show_page(
        request,
        moderation_pager(asked.chosen),
        asked.page,
        found.page,
        templates=("comments/moderation/moderation.html", "comments/moderation/_moderation.html"),
        context=lambda: {"heading": listing.heading, "listing": listing},
        plan=PLAN,
    )


NOT_THERE = gettext_lazy("There is no such comment. It may have been deleted or hidden.")


@require_POST
@staff_only
def feature_comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Pick a comment for its product's page, or (``featured=no``) take that back."""
    is_pick, now = request.POST.get("featured") != "no", clock.now()
    check_staff_rate_limit(request, now=now)
    try:
        is_new = (feature if is_pick else unfeature)(comment_id)
    except NoSuchComment as error:
        raise Http404(NOT_THERE) from error
    if is_new:
        action = LogVerb.PICKED if is_pick else LogVerb.UNPICKED
        moderated(action, comment_id=comment_id, who=request.user.get_username(), at=now)
    said = _("The comment is picked.") if is_pick else _("The comment is no longer picked.")
    if not wants_partial(request):
        messages.success(request, said)
        return redirect(reverse("comment", args=[comment_id]))
    context = {"comment": {"id": comment_id, "is_pick": is_pick}}
    return notify(render(request, "comments/moderation/_pick_button.html", context), said)
