"""Formats of a list besides its page: Atom (RFC 4287), and the whole list as CSV."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from typing import Any

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import linebreaks
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dynapages.calls.faults import FAILURES, fault_in
from dynapages.calls.pool import time_budget
from dynapages.lists.reader import PageRequest, PageResult

PARAMETER = "format"
ATOM = "atom"
"""The parameter by which a list is asked for in the one form that there is beside its page."""


def format_asked(environ: Mapping[str, Any]) -> str:
    """Return the form that a request asks for, empty for the page; it may be none there is.

    ``environ`` is that of WSGI, or a request's ``META``: a query that Django refuses to parse is
    answered in the right form as well.
    """
    parts = str(environ.get("QUERY_STRING", "")).split("&")
    pairs = (part.partition("=") for part in parts)
    return next((value for name, _, value in pairs if name == PARAMETER), "")


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class AtomEntry:
    """An entry; ``path`` is where its page is, by which readers know it again.

    ``language`` is the ISO 639-1 code of its texts, empty for that of the feed.
    """

    path: str
    title: str
    published: datetime
    updated: datetime | None = None
    text: str = ""
    author: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class AtomFeed:
    """A feed in the active language; all its texts may be what somebody wrote.

    Its ``title`` is followed by the name of the site.
    """

    title: str
    entries: Sequence[AtomEntry]


class _Writer(Atom1Feed):
    def item_attributes(self, item: dict[str, Any]) -> dict[str, str]:
        """Return the language of an entry that has one of its own."""
        return {"xml:lang": item["language"]} if item["language"] else {}


def site_name(before: str = "") -> str:
    """Return ``SITE_NAME`` with what stands ``before`` it; nothing where it is empty."""
    return f"{before}{settings.SITE_NAME}" if settings.SITE_NAME else ""


def as_atom(feed: AtomFeed, *, site: str, page_path: str, feed_path: str) -> HttpResponse:
    """Answer a feed, of the page at ``page_path``; ``site`` is what addresses begin with."""
    written = _Writer(
        title=_allowed(f"{feed.title}{site_name(' · ')}"),
        link=f"{site}{page_path}",
        description="",
        feed_url=f"{site}{feed_path}",
        author_name=settings.SITE_NAME or site,
        language=get_language(),
    )
    for entry in feed.entries:
        url = f"{site}{entry.path}"
        written.add_item(
            title=_allowed(entry.title),
            link=url,
            description=linebreaks(_allowed(entry.text), autoescape=True),
            unique_id=url,
            pubdate=entry.published,
            updateddate=entry.updated or entry.published,
            author_name=_allowed(entry.author) or None,
            language=entry.language,
        )
    return HttpResponse(written.writeString("utf-8"), content_type=written.content_type)


def _allowed(text: str) -> str:
    """Drop the characters that XML cannot hold."""
    return _NOT_IN_XML.sub("", text)


_ENDS_CELL = frozenset(",;|\t\r\n")
_BREAKS = ("\0", "\t", "\r", "\n")
_BETWEEN = r'\0\s",;|\u200b\u2060\ufeff'
"""What ends a cell, and what may be dropped at the beginning of one: blanks, quotes."""
_FORMULAS = re.compile(rf"(?<![{_BETWEEN}])[{_BETWEEN}]*+(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""What stands before each sign that can begin a formula; takes linear time."""


def escape_formula(value: object) -> object:
    """Return a value with an apostrophe before each formula, which shows it as text."""
    if not isinstance(value, str):
        return value
    shown = _FORMULAS.sub(_with_apostrophe, value)
    return f"'{shown}" if shown.startswith(_BREAKS) else shown


def csv_text(rows: Iterable[Sequence[object]], *, line_end: str = "\r\n") -> str:
    """Return rows as lines of CSV (RFC 4180), formulas included.

    To escape them is up to the caller, cell by cell.
    """
    text = StringIO()
    csv.writer(text, lineterminator=line_end).writerows(rows)
    return text.getvalue()


def _with_apostrophe(before: re.Match[str]) -> str:
    begins_cell = before.start() == 0 or not _ENDS_CELL.isdisjoint(before[0])
    return f"{before[0]}'" if begins_cell else before[0]


ROWS_AT_A_TIME = 200
CsvPage = PageResult[Sequence[object]]
"""The rows of a page of a list."""
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
        yield _lines(found.items)
        position = found.page.next_position
        if position is None:
            return
        try:
            with time_budget(settings.PAGE_SECONDS):
                found = read(PageRequest(at_a_time, position))
        except FAILURES as failure:
            if fault_in(failure) is None:
                raise
            yield _lines([[apology]])
            return


def _lines(rows: Sequence[Sequence[object]]) -> str:
    return csv_text([escape_formula(value) for value in row] for row in rows)
