"""Reported and hidden comments as CSV: a row for each report, or one where there is none."""

from collections.abc import Iterator
from functools import partial

from comments.moderation.queries import ModeratedComment, list_moderated
from comments.reports.services import CommentReport
from comments.store.revision import State
from dynamo.lists.places import timestamp
from dynamo.lists.reader import PageRequest
from dynamo.web.csv_lists import CsvPage, Read

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
    return CsvPage(found.page, [row for comment in found.comments for row in _rows(comment)])


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
