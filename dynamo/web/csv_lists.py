"""Lists as CSV files, read and sent a page at a time, so that no list is too long for a process."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _

from dynamo.calls.faults import FAILURES, fault_in
from dynamo.calls.pool import time_budget
from dynamo.files.records import csv_text, escape_formula
from dynamo.lists.reader import Page, PageRequest

ROWS_AT_A_TIME = 200


@dataclass(frozen=True, slots=True)
class CsvPage:
    """The rows of a page of a list."""

    page: Page
    rows: Sequence[Sequence[object]]


Read = Callable[[PageRequest], CsvPage]


def csv_response(
    filename: str, columns: Sequence[str], read: Read, *, at_a_time: int = ROWS_AT_A_TIME
) -> StreamingHttpResponse:
    """Answer with a whole list as CSV in UTF-8.

    ``read`` is called for one page after the other, each with the time of a page. What the first
    call raises passes through. Where a later one fails, the last row of the file says that it is
    not complete, because the answer has begun.
    """
    first = read(PageRequest(at_a_time))
    # Looked up now: another language may be active while the file is sent.
    apology = _("This file is not complete: the database was not available.")
    disposition = f'attachment; filename="{filename}.csv"'
    return StreamingHttpResponse(
        _parts(columns, first, read, at_a_time, apology=apology),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": disposition},
    )


def _parts(
    columns: Sequence[str], first: CsvPage, read: Read, at_a_time: int, *, apology: str
) -> Iterator[str]:
    yield _lines([columns])
    found = first
    while True:
        yield _lines(found.rows)
        if not (found.page.has_next and found.page.entries):
            return
        try:
            with time_budget(settings.PAGE_SECONDS):
                found = read(PageRequest(at_a_time, found.page.entries[-1].position))
        except FAILURES as failure:
            if fault_in(failure) is None:
                raise
            yield _lines([[apology]])
            return


def _lines(rows: Sequence[Sequence[object]]) -> str:
    return csv_text([escape_formula(value) for value in row] for row in rows)
