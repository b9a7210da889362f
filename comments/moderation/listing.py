"""What the pages of moderated comments show: tabs, decisions, URLs; and the tools of staff."""

from collections.abc import Mapping, Sequence

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from comments.filters import RATINGS, all_languages
from comments.lists.entries import WholeComment
from comments.moderation.filters import QueueFilter
from comments.moderation.queries import ModeratedComment
from comments.moderation.services import Decision
from comments.replies.views import ReplyForm
from comments.store.states import Revision, State
from dynapages.django.next_page import with_next
from dynapages.django.paging import Pager, anchors_behind

URL_NAMES = {
    State.REPORTED: "comments:moderation",
    State.HELD: "comments:held_comments",
    State.HIDDEN: "comments:hidden_comments",
}
HEADINGS = {
    State.REPORTED: _("Reported comments"),
    State.HELD: _("Waiting comments"),
    State.HIDDEN: _("Hidden comments"),
}
LABELS = {State.REPORTED: _("Reported"), State.HELD: _("Waiting"), State.HIDDEN: _("Hidden")}
NOTHING = {
    State.REPORTED: _("Nothing is reported. When readers report a comment, it waits here."),
    State.HELD: _(
        "Nothing waits. A comment that a gate holds waits here until staff publish or reject it."
    ),
    State.HIDDEN: _(
        "Nothing is hidden. A comment that staff hide or reject is kept here, and can be restored."
    ),
}
"""What an empty queue says."""
SELECTED = "selected"
"""The parameter of a page whose comments are all ticked."""
DECISIONS = {
    State.HELD: (Decision.PUBLISH, Decision.REJECT),
    State.REPORTED: (Decision.KEEP, Decision.HIDE),
    State.HIDDEN: (Decision.RESTORE,),
    State.LISTED: (Decision.HIDE,),
}
"""What staff may decide on a comment in a state by a button; before it is deleted, a page asks."""
IN_BULK = {
    State.HELD: DECISIONS[State.HELD],
    State.REPORTED: DECISIONS[State.REPORTED],
    State.HIDDEN: (),
}
"""What may be decided on several comments at once, by their state."""
LISTS_IN_BULK = {
    decision: URL_NAMES[state] for state, decisions in IN_BULK.items() for decision in decisions
}
"""The list that comments are in before they are decided on several at once, by the decision."""


def moderation_pager(state: State, chosen: QueueFilter) -> Pager:
    """Return the pager of the comments in a state that a filter lets through."""
    return Pager(
        first_url=f"{reverse(URL_NAMES[state])}{chosen.query}",
        list_name=f"moderation/{state}/{chosen.query}",
    )


def tabs_of(state: State, counts: Mapping[State, str]) -> list[tuple[str, str, str, bool]]:
    """Return the label, the count and the URL of each queue, and whether it is the shown one."""
    tabs = []
    for each, name in URL_NAMES.items():
        tabs.append((str(LABELS[each]), counts[each], reverse(name), each is state))
    return tabs


def moderation_context(
    state: State, comments: Sequence[ModeratedComment], *, page_url: str, chosen: QueueFilter
) -> dict[str, object]:
    """Return what a page of the comments in a state shows, oldest first."""
    joint = "&" if "?" in page_url else "?"
    return {
        "heading": HEADINGS[state],
        "nothing": NOTHING[state],
        "chosen": chosen,
        "languages": all_languages(),
        "ratings": RATINGS,
        "all_url": reverse(URL_NAMES[state]),
        "csv_url": f"{reverse(f'{URL_NAMES[state]}_csv')}{chosen.query}",
        "decisions": DECISIONS[state],
        "bulk": IN_BULK[state],
        "bulk_url": with_next(reverse("comments:decide_comments"), page_url),
        "select_url": f"{page_url}{joint}{SELECTED}=all",
        "comments": _with_urls(comments, page_url),
    }


def _with_urls(
    comments: Sequence[ModeratedComment], page_url: str
) -> list[tuple[ModeratedComment, str, str, str]]:
    """Return each comment with three URLs: for decisions, for deleting it, and of its own row.

    A decision leads back to the next comment, as this one may be gone then.
    """
    next_anchors = anchors_behind([comment.anchor for comment in comments])
    rows = []
    for comment, next_anchor in zip(comments, next_anchors, strict=False):
        next_url, row_url = f"{page_url}#{next_anchor}", f"{page_url}#{comment.anchor}"
        decision_url = decide_url(comment.id, next_url)
        delete_url = with_next(reverse("comments:delete_comment", args=[comment.id]), next_url)
        rows.append((comment, decision_url, delete_url, row_url))
    return rows


def decide_url(comment_id: str, page_url: str) -> str:
    """Return the URL that decisions on a comment are sent to, leading back to a page."""
    return with_next(reverse("comments:decide_comment", args=[comment_id]), page_url)


def staff_tools(comment: WholeComment) -> dict[str, object]:
    """Return what staff may do on a comment's page, besides deleting it as its author may."""
    reply_form = None
    if not comment.is_hidden:
        reply_form = ReplyForm.of(comment.reply, comment_id=comment.id)
    return {
        "decisions": DECISIONS[Revision.parse(comment.seen).state],
        "decide_url": decide_url(comment.id, comment.url),
        "reply_form": reply_form,
    }
