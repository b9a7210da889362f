"""Pages of reported and hidden comments for staff, their decisions and picks."""

from contextlib import suppress
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from comments.gates import block_author, is_blocked, unblock_author
from comments.lists.recent import remember_written
from comments.moderation.listing import (
    COLUMNS,
    COMMENTS_AT_A_TIME,
    IN_BULK,
    PLAN,
    SELECTED,
    ModeratedComment,
    list_moderated,
    moderation_context,
    moderation_pager,
    read_rows,
)
from comments.moderation.services import Decision, NotAsSeen, carry_out, feature, unfeature
from comments.store.comments import NoSuchComment
from comments.store.states import Revision, State
from comments.users import display_name_of, find_user, nameless, user_id_in, user_id_of
from comments.web.forms import NOT_IN_LISTS, check_rate_limit, missing_as_404
from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.formats import csv_response
from dynapages.django.next_page import back, path_of_next
from dynapages.django.paging import ListResult, anchor_of, notify, show_page, wants_partial
from dynapages.django.refusals import Refusal
from dynapages.django.security_log import log_event
from dynapages.lists import PageResult

SAID = {
    Decision.PUBLISH: gettext_lazy("The comment is published."),
    Decision.REJECT: gettext_lazy("The comment is rejected and hidden."),
    Decision.KEEP: gettext_lazy("Kept. Reports dismissed."),
    Decision.HIDE: gettext_lazy("The comment is hidden."),
    Decision.RESTORE: gettext_lazy("The comment is back in its lists."),
    Decision.DELETE: gettext_lazy("The comment is deleted."),
}
GONE = gettext_lazy("There is no such comment any more: somebody has deleted it.")


Asked = ListResult[State, PageResult[ModeratedComment]]


def _read(request: HttpRequest, _visitor: Visitor, state: State) -> Asked:
    asked = moderation_pager(state).requested(request.GET, size=settings.PAGE_SIZE)
    return ListResult(state, asked, list_moderated(state, asked))


@require_safe
@prefetch(_read, staff_only)
def moderation(request: HttpRequest, asked: Asked, state: State) -> HttpResponse:
    """Show the comments in a state, oldest report first (P5)."""
    found, page_url = asked.result, request.get_full_path()
    return show_page(
        request,
        moderation_pager(state),
        asked.page_request,
        found.page,
        templates=("comments/moderation/moderation.html", "comments/moderation/_moderation.html"),
        context=lambda: {
            **moderation_context(state, found.items, page_url=page_url),
            "are_selected": request.GET.get(SELECTED) == "all",
        },
        plan=PLAN,
    )


@require_safe
@staff_only
def moderation_csv(_request: HttpRequest, state: State) -> StreamingHttpResponse:
    """Answer with all comments in a state and their first reports as CSV."""
    name, rows = f"{state.lower()}-comments", partial(read_rows, state)
    return csv_response(name, COLUMNS, rows, at_a_time=COMMENTS_AT_A_TIME)


@require_POST
@staff_only
def decide(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Carry out a decision on a comment, if it is as the deciding user saw it."""
    try:
        decision = Decision(request.POST.get("decision", ""))
        # Lists of a product do not say which revision they show; what is hidden can be restored.
        is_in_list = decision is Decision.HIDE and "seen" not in request.POST
        seen = None if is_in_list else Revision.parse(request.POST.get("seen", ""))
    except ValueError as error:
        raise Refusal(_(NOT_SAID)) from error
    now = clock.now()
    check_rate_limit(request, now=now, is_staff=True)
    remember_written(request.session, comment_id, now=now)
    try:
        who = user_id_of(request.user)
        carry_out(decision, comment_id=comment_id, seen=seen, who=who, now=now)
    except NotAsSeen as error:
        messages.warning(request, str(error))
    except NoSuchComment:
        messages.warning(request, GONE)
    else:
        messages.success(request, SAID[decision])
    return back(request, default=reverse("comments:moderation"))


@require_POST
@staff_only
def decide_many(request: HttpRequest) -> HttpResponse:
    """Publish or reject the selected comments, those that are as the deciding user saw them."""
    try:
        decision = Decision(request.POST.get("decision", ""))
        selected = [_selected(value) for value in request.POST.getlist("comment")]
    except ValueError as error:
        raise Refusal(_(NOT_SAID)) from error
    if decision not in IN_BULK or len(selected) > settings.PAGE_SIZE:
        raise Refusal(_(NOT_SAID))
    now, who, done = clock.now(), user_id_of(request.user), 0
    check_rate_limit(request, now=now, is_staff=True)
    for seen, comment_id in selected:
        with suppress(NotAsSeen, NoSuchComment):
            carry_out(decision, comment_id=comment_id, seen=seen, who=who, now=now)
            done += 1
    told = _("Published: %(n)s.") if decision is Decision.PUBLISH else _("Rejected: %(n)s.")
    messages.success(request, told % {"n": done})
    if left := len(selected) - done:
        sentence = _("Changed or decided on by others since you looked, and left alone: %(n)s.")
        messages.warning(request, sentence % {"n": left})
    return back(request, default=reverse("comments:held_comments"))


def _selected(value: str) -> tuple[Revision, str]:
    """Parse the value of a checkbox. Raises ValueError."""
    seen, _space, comment_id = value.partition(" ")
    return Revision.parse(seen), comment_id


NOT_SAID = gettext_noop("This form does not say what to do with which comment.")


@require_POST
@staff_only
def feature_comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Pick a comment for its product's page, or (``featured=no``) take that back."""
    is_pick, now = request.POST.get("featured") != "no", clock.now()
    check_rate_limit(request, now=now, is_staff=True)
    with missing_as_404(NOT_IN_LISTS):
        write = feature if is_pick else unfeature
        write(comment_id, by=user_id_of(request.user), now=now)
    said = _("The comment is picked.") if is_pick else _("The comment is no longer picked.")
    if not wants_partial(request):
        messages.success(request, said)
        return back(request, default=reverse("comments:comment", args=[comment_id]))
    comment = {"id": comment_id, "anchor": anchor_of("comment", comment_id), "is_pick": is_pick}
    context = {"comment": comment, "page_url": path_of_next(request, default="")}
    return notify(render(request, "comments/moderation/_pick_button.html", context), said)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def block(request: HttpRequest, user_slug: str) -> HttpResponse:
    """Ask whether to block an author, and do so; or (``blocked=no``) end it."""
    user_id = user_id_in(user_slug)
    if not user_id:
        raise Http404(_(NOBODY))
    if request.method != "POST":
        user = find_user(user_id)
        if user is None:
            raise Http404(_(NOBODY))
        name = display_name_of(user) or nameless()
        context = {"owner": name, "user_slug": user_slug, "is_blocked": is_blocked(user_id)}
        return render(request, "comments/moderation/block.html", context)
    now, is_block = clock.now(), request.POST.get("blocked") != "no"
    check_rate_limit(request, now=now, is_staff=True)
    if is_block:
        block_author(user_id, now=now)
    else:
        unblock_author(user_id)
    event = "author-blocked" if is_block else "author-unblocked"
    log_event(event, user=user_id_of(request.user), request=request, author=user_id)
    messages.success(request, _(BLOCKED if is_block else UNBLOCKED))
    return redirect("comments:profile", user_slug)


NOBODY = gettext_noop("There is no such user.")
BLOCKED = gettext_noop("The author is blocked: new comments of theirs wait for the shop.")
UNBLOCKED = gettext_noop("The author is no longer blocked.")
