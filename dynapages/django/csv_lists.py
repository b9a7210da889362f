"""A whole list as CSV, page by page, in which no text is a formula to a spreadsheet."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO

from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _

from dynapages.calls.faults import FAILURES, fault_in
from dynapages.calls.pool import time_budget
from dynapages.lists.reader import PageRequest, PageResult

ROWS_AT_A_TIME = 200
_ENDS_CELL = frozenset(",;|\t\r\n")
_BREAKS = ("\0", "\t", "\r", "\n")
_BETWEEN = r'\0\s",;|\u200b\u2060\ufeff'
"""What ends a cell, and what may be dropped at the beginning of one: blanks, quotes."""
_FORMULAS = re.compile(rf"(?<![{_BETWEEN}])[{_BETWEEN}]*+(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""What stands before each sign that can begin a formula; takes linear time."""

CsvPage = PageResult[Sequence[object]]
"""The rows of a page of a list."""
ReadRows = Callable[[PageRequest], CsvPage]
"""Reads the rows of a page of a list."""


def escape_formula(value: object) -> object:
    """Return a value with an apostrophe before each formula, which shows it as text."""
    if not isinstance(value, str):
        return value
    shown = _FORMULAS.sub(_with_apostrophe, value)
    # Programs that drop such a character at the beginning would find a formula behind it.
    if shown.startswith(_BREAKS):
        return f"'{shown}"
    return shown


def csv_text(rows: Iterable[Sequence[object]], *, line_end: str = "\r\n") -> str:
    """Return rows as lines of CSV (RFC 4180), formulas included.

    To escape them is up to the caller, cell by cell.
    """
    text = StringIO()
    csv.writer(text, lineterminator=line_end).writerows(rows)
    return text.getvalue()


def _with_apostrophe(before: re.Match[str]) -> str:
    begins_cell = before.start() == 0 or not _ENDS_CELL.isdisjoint(before[0])
    # Within a cell a sign begins no formula.
    if not begins_cell:
        return before[0]
    return f"{before[0]}'"


def csv_response(
    filename: str, columns: Sequence[str], read: ReadRows, *, at_a_time: int = ROWS_AT_A_TIME
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
        _csv_parts(columns, first, read, at_a_time, apology=apology),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": disposition},
    )


def _csv_parts(
    columns: Sequence[str], first: CsvPage, read: ReadRows, at_a_time: int, *, apology: str
) -> Iterator[str]:
    """Yield the lines of a list, page after page; the last one says where reading has failed."""
    yield _lines([columns])
    rows = first
    while True:
        yield _lines(rows.items)
        position = rows.page.next_position
        if position is None:
            return
        try:
            with time_budget(settings.PAGE_SECONDS):
                rows = read(PageRequest(at_a_time, position))
        except FAILURES as failure:
            if fault_in(failure) is None:
                raise
            yield _lines([[apology]])
            return


def _lines(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as lines of CSV without formulas."""
    escaped = []
    for row in rows:
        escaped.append([escape_formula(value) for value in row])
    return csv_text(escaped)
