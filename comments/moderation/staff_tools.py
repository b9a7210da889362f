"""The tools of staff on a comment's own page: decisions, the pick, and the reply."""

from dataclasses import dataclass

from comments.lists.queries import WholeComment
from comments.moderation.listing import DecisionButton, decide_url, decisions_on
from comments.moderation.services import Decision
from comments.replies.forms import ReplyForm
from comments.store.revision import Revision


@dataclass(frozen=True, slots=True)
class StaffTools:
    """What staff may do on a comment's page, besides deleting it as its author may."""

    decisions: list[DecisionButton]
    decide_url: str
    reply_form: ReplyForm | None


def staff_tools(comment: WholeComment) -> StaffTools:
    """Return what staff may do with a comment; a hidden one is not replied to."""
    decisions = decisions_on(Revision.parse(comment.seen).state)
    return StaffTools(
        decisions=[each for each in decisions if each.value != Decision.DELETE],
        decide_url=decide_url(comment.id, comment.url),
        reply_form=None if comment.is_hidden else ReplyForm.of(comment.reply),
    )
