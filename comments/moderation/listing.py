"""The page of moderated comments: tabs, decisions, URLs, rows as CSV; and the tools of staff."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from comments.lists.queries import WholeComment
from comments.moderation.queries import ModeratedComment, list_moderated
from comments.moderation.services import Decision
from comments.replies.views import ReplyForm
from comments.reports.services import CommentReport
from comments.store.comments import Revision, State
from dynamo.lists.reader import PageRequest, PageResult
from dynamo.lists.runs import timestamp
from dynamo.web.formats import CsvPage, Read
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


COMMENTS_AT_A_TIME = 50
"""The reports of each comment are a Query of their own."""
COLUMNS = (
    *("comment_id", "product_id", "product", "author", "language", "rating", "created_at"),
    *("title", "text", "waiting_since", "reports"),
    *("reported_by", "reported_at", "reason", "report"),
)


def csv_reader(state: State) -> Read:
    """Return the function that reads a page of the comments in a state as rows of `COLUMNS`.

    Of each comment there are the first reports, as on the page; ``reports`` counts all.
    """
    return partial(_read, state)


def _read(state: State, request: PageRequest) -> CsvPage:
    found = list_moderated(state, request)
    rows = (row for comment in found.items for row in _rows(comment))
    return PageResult(tuple(rows), found.page)


def _rows(comment: ModeratedComment) -> Iterator[tuple[object, ...]]:
    since = comment.waiting_since
    about = (
        *(comment.id, comment.product_id, comment.product_name, comment.author),
        *(comment.language, comment.rating, comment.created_iso, comment.title, comment.text),
        *(timestamp(since) if since else "", comment.report_count),
    )
    for report in comment.reports or (None,):
        yield (*about, *_columns_of(report))


def _columns_of(report: CommentReport | None) -> tuple[object, ...]:
    if report is None:
        return ("", "", "", "")
    return report.username, timestamp(report.reported), report.reason, report.text


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
