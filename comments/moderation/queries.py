"""Reads of comments that staff moderate: a page of those in a state, as CSV too, and their number.

All are in the sparse index ``moderation``, by how long they wait.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import datetime

from django.dispatch import Signal
from django.utils.translation import gettext

from comments import keys
from comments.host import COMMENTS, find_products
from comments.lists.entries import CommentEntry, comment_at
from comments.models import Moderation
from comments.moderation.filters import QueueFilter
from comments.reports.services import CommentReport, read_reports
from comments.store.states import Revision, State
from comments.store.table import index_of
from dynapages.calls import clock, labelled_calls
from dynapages.django.csv_lists import CsvPage
from dynapages.lists import (
    Entry,
    Order,
    Page,
    PageRequest,
    PageResult,
    Run,
    moment_at,
    timestamp,
)
from dynapages.process import pool, read

PLAN = Moderation.Meta.index_name
MOST_COUNTED = 20
"""Comments that wait for staff: they are counted by reading them."""
MOST_UNITS = 8
"""Capacity units of a page with a filter, which drops what it has read."""
ALL = QueueFilter()
COMMENTS_AT_A_TIME = 50
"""Comments of a part of a CSV file: the reports of each are a Query of their own."""
COLUMNS = (
    "comment_id",
    "product_id",
    "product",
    "author",
    "language",
    "rating",
    "created_at",
    "title",
    "text",
    "waiting_since",
    "reports",
    "reporter",
    "reported_by",
    "reported_at",
    "reason",
    "report",
)
"""Of a CSV file: a comment, and one of its reports."""
_NO_REPORT = ("",) * 5
_INDEX = index_of(Moderation)

reports_counted = Signal()
"""Sent when what waits for staff was counted: ``count``, ``has_more``, and the moment ``at``."""


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
    def held_because(self) -> str:
        """Why it is held, in the active language; empty where it is not."""
        return gettext(self.held_for or "")

    @property
    def reports_not_shown(self) -> int:
        return max(self.report_count - len(self.reports), 0)


def run_of(state: State, chosen: QueueFilter = ALL) -> Run:
    """Return the run of the comments in a state, by how long they wait."""
    return Run(index=_INDEX, partition=keys.moderation(state), keep=chosen.conditions(state))


# Counting


def count_reports() -> tuple[int, bool]:
    """Return how many comments wait for staff, up to `MOST_COUNTED`, and whether there are more.

    Reported ones do, and with a gate those that it holds.
    """
    now = clock.now()
    runs = [run_of(State.REPORTED)]
    if COMMENTS["GATE"]:
        runs.append(run_of(State.HELD))
    return _count(read(runs, PageRequest(MOST_COUNTED)), now)


@dataclass(frozen=True, slots=True)
class WaitingComments:
    """How many comments are in a state, up to `MOST_COUNTED`; ``since`` is when the oldest came."""

    count: int
    has_more: bool
    since: datetime | None


def count_waiting() -> dict[State, WaitingComments]:
    """Count the comments that are reported, and those that are held, in one round.

    What the navigation shows of them is sent by `reports_counted`.
    """
    now = clock.now()
    states = (State.REPORTED, State.HELD)
    waiting = dict(zip(states, pool().map(_waiting_in, states), strict=True))
    shown = [waiting[State.REPORTED]]
    if COMMENTS["GATE"]:
        shown.append(waiting[State.HELD])
    number = sum(each.count for each in shown)
    has_more = number > MOST_COUNTED or any(each.has_more for each in shown)
    count = min(number, MOST_COUNTED)
    reports_counted.send(State, count=count, has_more=has_more, at=now)
    return waiting


def _waiting_in(state: State) -> WaitingComments:
    page = read([run_of(state)], PageRequest(MOST_COUNTED), order=Order.OLDEST_FIRST)
    since = None
    if page.entries:
        since = moment_at(page.entries[0].position.place)
    return WaitingComments(len(page.entries), page.has_next, since)


def _count(page: Page, now: datetime) -> tuple[int, bool]:
    """Count what a page has of those that wait, and send `reports_counted`."""
    number = len(page.entries)
    count = min(number, MOST_COUNTED)
    has_more = page.has_next or number > MOST_COUNTED
    reports_counted.send(State, count=count, has_more=has_more, at=now)
    return count, has_more


def count_in(state: State) -> str:
    """Return how many comments are in a state, such as ``20+``: up to `MOST_COUNTED` are read."""
    with labelled_calls("counts"):
        page = read([run_of(state)], PageRequest(MOST_COUNTED))
    return count_of_page(page)


def count_of_page(page: Page) -> str:
    """Return how many comments are in a state by the first page of them, such as ``20+``."""
    number = len(page.entries)
    if page.has_next or number > MOST_COUNTED:
        return f"{min(number, MOST_COUNTED)}+"
    return str(number)


# Lists


def list_moderated(
    state: State, request: PageRequest, chosen: QueueFilter = ALL
) -> PageResult[ModeratedComment]:
    """Read a page of the comments in a state (P5, sparse index), their reports and products.

    With a filter a page reads `MOST_UNITS` at most: it may be short, and the next one goes on.
    """
    now = clock.now()
    if not chosen.is_any:
        request = replace(request, most_units=MOST_UNITS)
    page = read([run_of(state, chosen)], request, order=Order.OLDEST_FIRST)
    # The page tells what the navigation would read again.
    if state is State.REPORTED and chosen.is_any and _counts_all(page, request):
        _count(page, now)
    comments = [comment_at(entry) for entry in page.entries]
    # Reports are a Query each: they are read while the products are.
    with pool().together() as together:
        reports_read = together.start(read_reports, [comment.id for comment in comments])
        products = find_products(comment.product_id for comment in comments)
        reports = reports_read.result()
    items = []
    for entry, comment in zip(page.entries, comments, strict=True):
        product_name = products[comment.product_id].name
        items.append(_moderated(entry, comment, product_name, reports[comment.id]))
    return PageResult(tuple(items), page)


def _counts_all(page: Page, request: PageRequest) -> bool:
    """Return whether a page of reported comments tells how many comments wait, as far as counted.

    Where there is a gate, those wait as well that it holds.
    """
    is_enough = request.size >= MOST_COUNTED or not page.has_next
    return request.is_first and is_enough and not COMMENTS["GATE"]


def _moderated(
    entry: Entry, comment: CommentEntry, product_name: str, reports: tuple[CommentReport, ...]
) -> ModeratedComment:
    """Build a row of the queue from an entry of its index."""
    revision = Revision.of(entry.item)
    of_entry = {field.name: getattr(comment, field.name) for field in fields(CommentEntry)}
    return ModeratedComment(
        **of_entry,
        product_name=product_name,
        seen=str(revision),
        waiting_since=moment_at(entry.position.place),
        report_count=revision.reports,
        reports=reports,
    )


def read_rows(state: State, request: PageRequest, *, chosen: QueueFilter) -> CsvPage:
    """Read a page of the comments in a state that a filter lets through as rows of `COLUMNS`."""
    result = list_moderated(state, request, chosen)
    rows: list[tuple[object, ...]] = []
    for comment in result.items:
        rows += _rows(comment)
    return PageResult(tuple(rows), result.page)


def _rows(comment: ModeratedComment) -> Iterator[tuple[object, ...]]:
    """Yield a row for each report of a comment, or one without any."""
    since = comment.waiting_since
    of_comment = (
        comment.id,
        comment.product_id,
        comment.product_name,
        comment.author,
        comment.language,
        comment.rating,
        comment.created_iso,
        comment.title,
        comment.text,
        timestamp(since) if since else "",
        comment.report_count,
    )
    if not comment.reports:
        yield (*of_comment, *_NO_REPORT)
    for report in comment.reports:
        reported_at = timestamp(report.reported)
        of_report = report.author, report.user_id, reported_at, report.reason, report.text
        yield (*of_comment, *of_report)
