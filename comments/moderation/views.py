"""Pages of reported and hidden comments for staff, their decisions and picks."""

from contextlib import suppress
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from comments.gates import block_author, is_blocked, unblock_author
from comments.lists.recent import remember_written
from comments.moderation.listing import IN_BULK, SELECTED, moderation_context, moderation_pager
from comments.moderation.queries import (
    COLUMNS,
    COMMENTS_AT_A_TIME,
    PLAN,
    ModeratedComment,
    list_moderated,
    read_rows,
)
from comments.moderation.services import Decision, NotAsSeen, carry_out, feature, unfeature
from comments.store.comments import NoSuchComment, StoredComment, load_comment
from comments.store.states import Revision, State
from comments.users import display_name_of, find_user, nameless, user_id_in, user_id_of
from comments.web.forms import NOT_IN_LISTS, missing_as_404
from comments.web.rate_limits import check_rate_limit, write_counted_meanwhile
from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.csv_lists import csv_response
from dynapages.django.jinja import render_jinja
from dynapages.django.next_page import back, path_of_next
from dynapages.django.paging import ListResult, anchor_of, grouped, notify, show_page, wants_partial
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
NOT_SAID = gettext_noop("This form does not say what to do with which comment.")
NOBODY = gettext_noop("There is no such user.")
BLOCKED = gettext_noop("The author is blocked: new comments of theirs wait for the shop.")
UNBLOCKED = gettext_noop("The author is no longer blocked.")

ModerationResult = ListResult[State, PageResult[ModeratedComment]]


# The queue


def _read(request: HttpRequest, _visitor: Visitor, state: State) -> ModerationResult:
    page_request = moderation_pager(state).requested(request.GET, size=settings.PAGE_SIZE)
    return ListResult(state, page_request, list_moderated(state, page_request))


@require_safe
@prefetch(_read, staff_only)
def moderation(request: HttpRequest, result: ModerationResult, state: State) -> HttpResponse:
    """Show the comments in a state, oldest report first (P5)."""

    def context() -> dict[str, object]:
        comments, page_url = result.result.items, request.get_full_path()
        return {
            **moderation_context(state, comments, page_url=page_url),
            "are_selected": request.GET.get(SELECTED) == "all",
        }

    return show_page(
        request,
        moderation_pager(state),
        result.page_request,
        result.result.page,
        templates=("comments/moderation/moderation.html", "comments/moderation/_moderation.html"),
        context=context,
        plan=PLAN,
    )


@require_safe
@staff_only
def moderation_csv(_request: HttpRequest, state: State) -> StreamingHttpResponse:
    """Answer with all comments in a state and their first reports as CSV."""
    name = f"{state.lower()}-comments"
    return csv_response(name, COLUMNS, partial(read_rows, state), at_a_time=COMMENTS_AT_A_TIME)


# Decisions


@require_POST
@staff_only
def decide(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Carry out a decision on a comment, if it is as the deciding user saw it."""
    try:
        decision = Decision(request.POST.get("decision", ""))
        # Lists of a product do not say which revision they show; what is hidden can be restored.
        if decision is Decision.HIDE and "seen" not in request.POST:
            seen = None
        else:
            seen = Revision.parse(request.POST.get("seen", ""))
    except ValueError as error:
        raise Refusal(_(NOT_SAID)) from error
    now, who = clock.now(), user_id_of(request.user)
    with write_counted_meanwhile(request, who, is_staff=True):
        stored = _stored_or_none(comment_id)
    # Lists show staff what they decided before the indexes follow.
    remember_written(request.session, comment_id, now=now)
    try:
        carry_out(decision, comment_id=comment_id, seen=seen, who=who, now=now, stored=stored)
    except NotAsSeen as error:
        messages.warning(request, str(error))
    except NoSuchComment:
        messages.warning(request, GONE)
    else:
        messages.success(request, SAID[decision])
    return back(request, default=reverse("comments:moderation"))


def _stored_or_none(comment_id: str) -> StoredComment | None:
    """Read a comment; None where there is none, which may have to be finished."""
    try:
        return load_comment(comment_id)
    except NoSuchComment:
        return None


@require_POST
@staff_only
def decide_many(request: HttpRequest) -> HttpResponse:
    """Publish or reject the selected comments, those that are as the deciding user saw them."""
    try:
        decision = Decision(request.POST.get("decision", ""))
        selected = [_parse_checkbox(value) for value in request.POST.getlist("comment")]
    except ValueError as error:
        raise Refusal(_(NOT_SAID)) from error
    if decision not in IN_BULK or len(selected) > settings.PAGE_SIZE:
        raise Refusal(_(NOT_SAID))
    now, who = clock.now(), user_id_of(request.user)
    check_rate_limit(request, is_staff=True)
    done = 0
    # One that others have changed is left out, and the rest is done.
    for seen, comment_id in selected:
        with suppress(NotAsSeen, NoSuchComment):
            carry_out(decision, comment_id=comment_id, seen=seen, who=who, now=now)
            done += 1
    _tell_of_many(request, decision, done=done, left_alone=len(selected) - done)
    return back(request, default=reverse("comments:held_comments"))


def _tell_of_many(request: HttpRequest, decision: Decision, *, done: int, left_alone: int) -> None:
    """Show how many comments were decided on, with a link to where such are, and what was not."""
    if not (done or left_alone):
        messages.warning(request, _("Select the comments first."))
    if done:
        if decision is Decision.PUBLISH:
            sentence = ngettext(
                "%(count)s comment was published.", "%(count)s comments were published.", done
            )
            url, label = reverse("comments:recently_commented"), _("Recently commented")
        else:
            sentence = ngettext(
                "%(count)s comment was rejected and hidden.",
                "%(count)s comments were rejected and hidden.",
                done,
            )
            url, label = reverse("comments:hidden_comments"), _("Hidden comments")
        told = sentence % {"count": grouped(done)}
        messages.success(request, format_html('{} <a href="{}">{}</a>', told, url, label))
    if left_alone:
        sentence = ngettext(
            "%(count)s comment was changed or decided on by others since you looked, and was not "
            "touched.",
            "%(count)s comments were changed or decided on by others since you looked, and were "
            "not touched.",
            left_alone,
        )
        messages.warning(request, sentence % {"count": grouped(left_alone)})


def _parse_checkbox(value: str) -> tuple[Revision, str]:
    """Return the revision and the id in the value of a comment's checkbox. Raises ValueError."""
    seen, _space, comment_id = value.partition(" ")
    return Revision.parse(seen), comment_id


# Picks


@require_POST
@staff_only
def feature_comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Pick a comment for its product's page, or (``featured=no``) take that back."""
    is_pick, now = request.POST.get("featured") != "no", clock.now()
    check_rate_limit(request, is_staff=True)
    with missing_as_404(NOT_IN_LISTS):
        if is_pick:
            feature(comment_id, by=user_id_of(request.user), now=now)
            sentence = _("The comment is picked.")
        else:
            unfeature(comment_id, by=user_id_of(request.user), now=now)
            sentence = _("The comment is no longer picked.")
    if not wants_partial(request):
        messages.success(request, sentence)
        return back(request, default=reverse("comments:comment", args=[comment_id]))
    context = {
        "comment": {"id": comment_id, "anchor": anchor_of("comment", comment_id)},
        "csrf_token": get_token(request),
        "is_pick": is_pick,
        "page_url": path_of_next(request, default=""),
    }
    response = HttpResponse(render_jinja("comments/moderation/picked.jinja", context))
    return notify(response, sentence)


# Blocked authors


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def block(request: HttpRequest, user_slug: str) -> HttpResponse:
    """Ask whether to block an author, and do so; or (``blocked=no``) end it."""
    user_id = user_id_in(user_slug)
    if not user_id:
        raise Http404(_(NOBODY))
    if request.method != "POST":
        return _ask_whether_to_block(request, user_slug, user_id)
    now = clock.now()
    check_rate_limit(request, is_staff=True)
    if request.POST.get("blocked") != "no":
        block_author(user_id, now=now)
        event, sentence = "author-blocked", _(BLOCKED)
    else:
        unblock_author(user_id)
        event, sentence = "author-unblocked", _(UNBLOCKED)
    log_event(event, user=user_id_of(request.user), request=request, author=user_id)
    messages.success(request, sentence)
    return redirect("comments:profile", user_slug)


def _ask_whether_to_block(request: HttpRequest, user_slug: str, user_id: str) -> HttpResponse:
    """Show the page that asks whether to block an author, or to end it."""
    user = find_user(user_id)
    if user is None:
        raise Http404(_(NOBODY))
    context = {
        "owner": display_name_of(user) or nameless(),
        "user_slug": user_slug,
        "is_blocked": is_blocked(user_id),
    }
    return render(request, "comments/moderation/block.html", context)
