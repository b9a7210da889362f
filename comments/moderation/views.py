"""Pages of reported and hidden comments for staff, their decisions and picks."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from comments.filters import BadFilter
from comments.gates import block_author, is_blocked, unblock_author
from comments.lists.recent import remember_written
from comments.moderation.filters import QueueFilter
from comments.moderation.listing import (
    LISTS_IN_BULK,
    SELECTED,
    URL_NAMES,
    moderation_context,
    moderation_pager,
    tabs_of,
)
from comments.moderation.queries import (
    COLUMNS,
    COMMENTS_AT_A_TIME,
    MOST_COUNTED,
    PLAN,
    ModeratedComment,
    count_in,
    count_of_page,
    list_moderated,
    read_rows,
)
from comments.moderation.services import (
    Decision,
    NotAsSeen,
    decide,
    feature,
    target_of,
    unfeature,
)
from comments.moderation.undoing import LONGEST_UNDO, Note, TooLate, read_notes, sign_notes, undo
from comments.store.comments import NoSuchComment, StoredComment, load_comment
from comments.store.states import Revision, State
from comments.users import display_name_of, find_user, nameless, user_id_in, user_id_of
from comments.web.forms import NOT_IN_LISTS, missing_as_404
from comments.web.rate_limits import check_rate_limit, write_counted_meanwhile
from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.csv_lists import csv_response
from dynapages.django.jinja import render_jinja
from dynapages.django.next_page import back, path_of_next, with_next
from dynapages.django.notices import UNDO_FIELD, Link, Undo, tell
from dynapages.django.paging import anchor_of, grouped, notify, show_page, wants_partial
from dynapages.django.refusals import Refusal
from dynapages.django.security_log import log_event
from dynapages.lists import PageRequest, PageResult
from dynapages.process import pool

SAID = {
    Decision.PUBLISH: gettext_lazy("The comment is published."),
    Decision.REJECT: gettext_lazy("The comment is rejected and hidden."),
    Decision.KEEP: gettext_lazy("Kept. Reports dismissed."),
    Decision.HIDE: gettext_lazy("The comment is hidden."),
    Decision.RESTORE: gettext_lazy("The comment is back in its lists."),
}
GONE = gettext_lazy("There is no such comment any more: somebody has deleted it.")
NOT_SAID = gettext_noop("This form does not say what to do with which comment.")
TOO_LATE = gettext_noop(
    "This decision can no longer be taken back. Decide on the comment again: nothing is lost."
)
NOBODY = gettext_noop("There is no such user.")
BLOCKED = gettext_noop("The author is blocked: new comments of theirs wait for the shop.")
UNBLOCKED = gettext_noop("The author is no longer blocked.")


@dataclass(frozen=True, slots=True)
class _Queue:
    """A page of the comments in a state, and how many there are in each."""

    state: State
    chosen: QueueFilter
    page_request: PageRequest
    result: PageResult[ModeratedComment]
    counts: Mapping[State, str]


# The queue


def _read(request: HttpRequest, _visitor: Visitor, state: State) -> _Queue:
    """Read a page of a queue, and count the others in the same round."""
    chosen = _filter_in(request, state)
    page_request = moderation_pager(state, chosen).requested(request.GET, size=settings.PAGE_SIZE)
    # The first page of all tells how many there are, as far as they are counted.
    tells = chosen.is_any and page_request.is_first and page_request.size >= MOST_COUNTED
    counted = [each for each in URL_NAMES if each is not state or not tells]
    with pool().together() as together:
        started = {each: together.start(count_in, each) for each in counted}
        result = list_moderated(state, page_request, chosen)
        counts = {each: count.result() for each, count in started.items()}
    if tells:
        counts[state] = count_of_page(result.page)
    return _Queue(state, chosen, page_request, result, counts)


def _filter_in(request: HttpRequest, state: State) -> QueueFilter:
    """Return the filter in the URL of a page of the queue. Raises Refusal."""
    try:
        return QueueFilter.of(request.GET)
    except BadFilter as error:
        raise Refusal(str(error), first_url=reverse(URL_NAMES[state])) from error


def _page_url(request: HttpRequest) -> str:
    """Return the address of the page with no comment ticked: what comes next was not seen yet."""
    query = request.GET.copy()
    query.pop(SELECTED, None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


@require_safe
@prefetch(_read, staff_only)
def moderation(request: HttpRequest, queue: _Queue, state: State) -> HttpResponse:
    """Show the comments in a state, oldest report first (P5)."""

    def context() -> dict[str, object]:
        comments, page_url = queue.result.items, _page_url(request)
        return {
            **moderation_context(state, comments, page_url=page_url, chosen=queue.chosen),
            "tabs": tabs_of(state, queue.counts),
            "are_selected": request.GET.get(SELECTED) == "all",
        }

    return show_page(
        request,
        moderation_pager(state, queue.chosen),
        queue.page_request,
        queue.result.page,
        templates=("comments/moderation/moderation.html", "comments/moderation/_moderation.html"),
        context=context,
        plan=PLAN,
    )


@require_safe
@staff_only
def moderation_csv(request: HttpRequest, state: State) -> StreamingHttpResponse:
    """Answer with all comments in a state that a filter lets through, and their first reports."""
    name = f"{state.lower()}-comments"
    read = partial(read_rows, state, chosen=_filter_in(request, state))
    return csv_response(name, COLUMNS, read, at_a_time=COMMENTS_AT_A_TIME)


# Decisions


@require_POST
@staff_only
def decide_one(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Carry out a decision on a comment, if it is as the deciding user saw it."""
    try:
        decision = _decision(request)
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
        before = decide(decision, comment_id=comment_id, seen=seen, who=who, now=now, stored=stored)
    except NotAsSeen as error:
        messages.warning(request, str(error))
    except NoSuchComment:
        messages.warning(request, GONE)
    else:
        tell(request, str(SAID[decision]), undo=_undo_of(request, decision, [before], now=now))
    return back(request, default=reverse("comments:moderation"))


def _decision(request: HttpRequest) -> Decision:
    """Return the decision that a form names. Raises ValueError; a page asks before deleting."""
    decision = Decision(request.POST.get("decision", ""))
    if decision is Decision.DELETE:
        raise ValueError(decision)
    return decision


def _stored_or_none(comment_id: str) -> StoredComment | None:
    """Read a comment; None where there is none, which may have to be finished."""
    try:
        return load_comment(comment_id)
    except NoSuchComment:
        return None


@require_POST
@staff_only
def decide_many(request: HttpRequest) -> HttpResponse:
    """Decide alike on the selected comments, those that are as the deciding user saw them."""
    try:
        decision = _decision(request)
        selected = [_parse_checkbox(value) for value in request.POST.getlist("comment")]
    except ValueError as error:
        raise Refusal(_(NOT_SAID)) from error
    if decision not in LISTS_IN_BULK or len(selected) > settings.PAGE_SIZE:
        raise Refusal(_(NOT_SAID))
    now, who = clock.now(), user_id_of(request.user)
    check_rate_limit(request, is_staff=True)
    decided: list[StoredComment | None] = []
    # One that others have changed is left out, and the rest is done.
    for seen, comment_id in selected:
        with suppress(NotAsSeen, NoSuchComment):
            decided.append(decide(decision, comment_id=comment_id, seen=seen, who=who, now=now))
    if not selected:
        messages.warning(request, _("Select the comments first."))
    if decided:
        undo = _undo_of(request, decision, decided, now=now)
        tell(request, _said_of_many(decision, len(decided)), link=_link_of(decision), undo=undo)
    _tell_of_those_left_alone(request, len(selected) - len(decided))
    return back(request, default=reverse(LISTS_IN_BULK[decision]))


def _said_of_many(decision: Decision, count: int) -> str:
    """Return the sentence about how many comments were decided on."""
    sentences = {
        Decision.PUBLISH: ngettext(
            "%(count)s comment was published.", "%(count)s comments were published.", count
        ),
        Decision.REJECT: ngettext(
            "%(count)s comment was rejected and hidden.",
            "%(count)s comments were rejected and hidden.",
            count,
        ),
        Decision.KEEP: ngettext(
            "%(count)s comment was kept.", "%(count)s comments were kept.", count
        ),
        Decision.HIDE: ngettext(
            "%(count)s comment was hidden.", "%(count)s comments were hidden.", count
        ),
    }
    return sentences[decision] % {"count": grouped(count)}


def _link_of(decision: Decision) -> Link | None:
    """Return the link to where the comments are after a decision on several."""
    if decision is Decision.PUBLISH:
        return Link(reverse("comments:recently_commented"), _("Recently commented"))
    if decision is Decision.KEEP:
        return None
    return Link(reverse("comments:hidden_comments"), _("Hidden comments"))


def _tell_of_those_left_alone(request: HttpRequest, count: int) -> None:
    if not count:
        return
    sentence = ngettext(
        "%(count)s comment was changed or decided on by others since you looked, and was not "
        "touched.",
        "%(count)s comments were changed or decided on by others since you looked, and were "
        "not touched.",
        count,
    )
    messages.warning(request, sentence % {"count": grouped(count)})


def _parse_checkbox(value: str) -> tuple[Revision, str]:
    """Return the revision and the id in the value of a comment's checkbox. Raises ValueError."""
    seen, _space, comment_id = value.partition(" ")
    return Revision.parse(seen), comment_id


# Taking decisions back


def _undo_of(
    request: HttpRequest,
    decision: Decision,
    decided: Sequence[StoredComment | None],
    *,
    now: datetime,
) -> Undo | None:
    """Return the button that takes a decision back; None where nothing was changed by it.

    ``decided`` are the comments as they were before, and ``now`` is when they were decided on.
    There is none either where it would be too long for the cookie that messages travel in.
    """
    target = target_of(decision)
    notes = [Note.of(before, target, now=now) for before in decided if before is not None]
    if not notes:
        return None
    page_url = path_of_next(request, default=reverse("comments:moderation")).partition("#")[0]
    # Back at the first of them.
    page_url = f"{page_url}#{anchor_of('comment', notes[0].comment_id)}"
    text = sign_notes(notes, who=user_id_of(request.user))
    button = Undo(with_next(reverse("comments:undo_decision"), page_url), text)
    return button if len(button.url) + len(button.text) <= LONGEST_UNDO else None


@require_POST
@staff_only
def undo_decision(request: HttpRequest) -> HttpResponse:
    """Take back what the same user decided a moment ago on one comment or several."""
    now, who = clock.now(), user_id_of(request.user)
    try:
        notes = read_notes(request.POST.get(UNDO_FIELD, ""), who=who)
    except TooLate as error:
        raise Refusal(_(TOO_LATE)) from error
    check_rate_limit(request, is_staff=True)
    refused: list[str] = []
    for note in notes:
        remember_written(request.session, note.comment_id, now=now)
        try:
            undo(note, who=who, now=now)
        except NotAsSeen as error:
            refused.append(str(error))
        except NoSuchComment:
            refused.append(str(GONE))
    if len(refused) < len(notes):
        messages.success(request, _("The decision is taken back."))
    for sentence in dict.fromkeys(refused):
        messages.warning(request, sentence)
    return back(request, default=reverse("comments:moderation"))


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
