"""The page of moderated comments: tabs, decisions and URLs."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from comments.moderation.queries import ModeratedComment
from comments.moderation.services import Decision
from comments.store.revision import State
from dynamo.web.paging import Pager
from shop.web.next_url import with_next

URL_NAMES = {State.REPORTED: "moderation", State.HIDDEN: "hidden_comments"}
CSV_NAMES = {State.REPORTED: "moderation_csv", State.HIDDEN: "hidden_comments_csv"}
HEADINGS = {State.REPORTED: _("Reported comments"), State.HIDDEN: _("Hidden comments")}
LABELS = {State.REPORTED: _("Reported"), State.HIDDEN: _("Hidden")}
BUTTONS = {
    Decision.KEEP: _("Keep"),
    Decision.HIDE: _("Hide"),
    Decision.RESTORE: _("Restore"),
    Decision.DELETE: _("Delete"),
}
DECISIONS = {
    State.REPORTED: (Decision.KEEP, Decision.HIDE, Decision.DELETE),
    State.HIDDEN: (Decision.RESTORE, Decision.DELETE),
    State.LISTED: (Decision.HIDE,),
}


@dataclass(frozen=True, slots=True)
class Tab:
    """A link to the comments in a state."""

    label: str
    url: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class DecisionButton:
    """A button for a decision on a comment."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Moderated:
    """A comment in the queue, and the URL that decisions on it are sent to."""

    comment: ModeratedComment
    decide_url: str


@dataclass(frozen=True, slots=True)
class ModerationListing:
    """A page of the comments in a state, oldest first."""

    entries: Sequence[Moderated]
    decisions: Sequence[DecisionButton]
    heading: str
    tabs: Sequence[Tab]
    csv_url: str


def moderation_pager(state: State) -> Pager:
    """Return the pager of the comments in a state."""
    return Pager(first_url=reverse(URL_NAMES[state]), list_name=f"moderation/{state}")


def moderation_listing(
    state: State, comments: Sequence[ModeratedComment], *, page_url: str
) -> ModerationListing:
    """Arrange a page of the comments in a state for its template."""
    return ModerationListing(
        entries=[Moderated(each, decide_url(each.id, page_url)) for each in comments],
        decisions=decisions_on(state),
        heading=str(HEADINGS[state]),
        tabs=[
            Tab(str(LABELS[each]), reverse(name), is_here=each is state)
            for each, name in URL_NAMES.items()
        ],
        csv_url=reverse(CSV_NAMES[state]),
    )


def decide_url(comment_id: str, page_url: str) -> str:
    """Return the URL that decisions on a comment are sent to, leading back to a page."""
    return with_next(reverse("decide_comment", args=[comment_id]), page_url)


def decisions_on(state: State) -> list[DecisionButton]:
    """Return the decisions that staff may make on a comment in a state."""
    return [DecisionButton(each.value, str(BUTTONS[each])) for each in DECISIONS[state]]
