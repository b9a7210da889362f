"""The page of moderated comments: tabs, decisions, URLs, rows as CSV; and the tools of staff."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial

from django.dispatch import Signal
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from comments import keys
from comments.host import COMMENTS, find_products
from comments.lists.entries import CommentEntry, WholeComment, entry_of
from comments.models import Moderation
from comments.moderation.services import Decision
from comments.replies.views import ReplyForm
from comments.reports.services import CommentReport, reports_of
from comments.store.states import Revision, State
from comments.store.table import index_of
from dynapages.calls import clock
from dynapages.django.formats import CsvPage
from dynapages.django.next_page import with_next
from dynapages.django.paging import Pager, anchors_behind
from dynapages.lists import Order, Page, PageRequest, PageResult, Run, moment_at, timestamp
from dynapages.process import pool, read

PLAN = Moderation.Meta.index_name

_INDEX = index_of(Moderation)


@dataclass(frozen=True, slots=True)
class ModeratedComment(CommentEntry):
    """A comment in the queue, with the first of its reports; ``report_count`` is of all.

    ``waiting_since`` is when it was first reported since staff last kept it, or held or hidden.
    """

    product_name: str = ""
    seen: str = ""
    waiting_since: datetime | None = None
    report_count: int = 0
    reports: tuple[CommentReport, ...] = ()

    @property
    def reports_not_shown(self) -> int:
        return max(self.report_count - len(self.reports), 0)


def run_of(state: State) -> Run:
    """Return the run of the comments in a state, by how long they wait."""
    return Run(index=_INDEX, partition=keys.moderation(state))


MOST_COUNTED = 20
"""Comments that wait for staff: they are counted by reading them."""


reports_counted = Signal()
"""Sent when what waits for staff was counted: ``count``, ``has_more``, and the moment ``at``."""


def count_reports() -> tuple[int, bool]:
    """Return how many comments wait for staff, up to `MOST_COUNTED`, and whether there are more.

    Reported ones do, and with a gate those that it holds.
    """
    now = clock.now()
    states = [State.REPORTED, *[State.HELD] * bool(COMMENTS["GATE"])]
    return _counted(read([run_of(state) for state in states], PageRequest(MOST_COUNTED)), now)


def _counted(page: Page, now: datetime) -> tuple[int, bool]:
    found = len(page.entries)
    count, has_more = min(found, MOST_COUNTED), page.has_next or found > MOST_COUNTED
    reports_counted.send(State, count=count, has_more=has_more, at=now)
    return count, has_more


def list_moderated(state: State, request: PageRequest) -> PageResult[ModeratedComment]:
    """Read a page of the comments in a state (P5, sparse index), their reports and products."""
    now = clock.now()
    page = read([run_of(state)], request, order=Order.OLDEST_FIRST)
    has_counted = request.size >= MOST_COUNTED or not page.has_next
    if state is State.REPORTED and request.is_first and has_counted and not COMMENTS["GATE"]:
        _counted(page, now)
    shown = [entry_of(entry.item) for entry in page.entries]
    with pool().together() as together:
        reports_read = together.start(partial(reports_of, [one.id for one in shown]))
        products = find_products(one.product_id for one in shown)
        reports = reports_read.result()
    items = []
    for entry, one in zip(page.entries, shown, strict=True):
        revision = Revision.of(entry.item)
        moderated = ModeratedComment(
            **{field.name: getattr(one, field.name) for field in fields(CommentEntry)},
            product_name=products[one.product_id].name,
            seen=str(revision),
            waiting_since=moment_at(entry.position.place),
            report_count=revision.reports,
            reports=reports[one.id],
        )
        items.append(moderated)
    return PageResult(tuple(items), page)


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
SELECTED = "selected"
IN_BULK = (Decision.PUBLISH, Decision.REJECT)
"""What may be decided on several comments that wait at once."""
DECISIONS = {
    State.HELD: (*IN_BULK, Decision.DELETE),
    State.REPORTED: (Decision.KEEP, Decision.HIDE, Decision.DELETE),
    State.HIDDEN: (Decision.RESTORE, Decision.DELETE),
    State.LISTED: (Decision.HIDE,),
}


def moderation_pager(state: State) -> Pager:
    """Return the pager of the comments in a state."""
    return Pager(first_url=reverse(URL_NAMES[state]), list_name=f"moderation/{state}")


def moderation_context(
    state: State, comments: Sequence[ModeratedComment], *, page_url: str
) -> dict[str, object]:
    """Return what a page of the comments in a state shows, oldest first.

    With each comment are the URL that decisions on it are sent to, which leads back to the next
    one, and the page with the comment itself.
    """
    anchors = [each.anchor for each in comments]
    return {
        "heading": HEADINGS[state],
        "tabs": [(LABELS[each], reverse(name), each is state) for each, name in URL_NAMES.items()],
        "csv_url": reverse(f"{URL_NAMES[state]}_csv"),
        "decisions": DECISIONS[state],
        "bulk": IN_BULK if state is State.HELD else (),
        "bulk_url": reverse("comments:decide_comments"),
        "select_url": f"{page_url}{'&' if '?' in page_url else '?'}{SELECTED}=all",
        "comments": [
            (each, decide_url(each.id, f"{page_url}#{then}"), f"{page_url}#{each.anchor}")
            for each, then in zip(comments, anchors_behind(anchors), strict=False)
        ],
    }


def decide_url(comment_id: str, page_url: str) -> str:
    """Return the URL that decisions on a comment are sent to, leading back to a page."""
    return with_next(reverse("comments:decide_comment", args=[comment_id]), page_url)


COMMENTS_AT_A_TIME = 50
"""The reports of each comment are a Query of their own."""
COLUMNS = (
    *("comment_id", "product_id", "product", "author", "language", "rating", "created_at"),
    *("title", "text", "waiting_since", "reports"),
    *("reporter", "reported_by", "reported_at", "reason", "report"),
)


def read_rows(state: State, request: PageRequest) -> CsvPage:
    """Read a page of the comments in a state as rows of `COLUMNS`."""
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
    if not comment.reports:
        yield (*about, "", "", "", "", "")
    for report in comment.reports:
        by = report.author, report.user_id
        yield (*about, *by, timestamp(report.reported), report.reason, report.text)


def staff_tools(comment: WholeComment) -> dict[str, object]:
    """Return what staff may do on a comment's page, besides deleting it as its author may."""
    decisions = DECISIONS[Revision.parse(comment.seen).state]
    return {
        "decisions": [each for each in decisions if each is not Decision.DELETE],
        "decide_url": decide_url(comment.id, comment.url),
        "reply_form": None
        if comment.is_hidden
        else ReplyForm.of(comment.reply, comment_id=comment.id),
    }
