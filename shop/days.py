"""Days that lists of the shop are narrowed to: in their URLs, in their form, and as moments."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

from django.http import HttpRequest
from django.utils.translation import gettext as _

DAY = timedelta(days=1)
DAYS_OF_A_WEEK = 7
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class BadListFilter(ValueError):
    """The URL's query is no filter of the list; the text says what is allowed."""


@dataclass(frozen=True, slots=True)
class Days:
    """UTC days from ``since`` up to but not ``until``; either may be missing."""

    since: date | None = None
    until: date | None = None

    def __post_init__(self) -> None:
        if self.since and self.until and self.since > self.until:
            raise BadListFilter(_("The start date is after the end date."))

    @classmethod
    def parse(cls, since: str, until: str) -> Self:
        """Parse a URL's values; a day is ``YYYY-MM-DD``, or empty. Raises BadListFilter."""
        return cls(parse_day(since), parse_day(until))

    def __bool__(self) -> bool:
        return self.since is not None or self.until is not None

    @property
    def moments(self) -> tuple[datetime | None, datetime | None]:
        """The midnights (UTC) that the days begin at, and end before."""
        return _midnight(self.since), _midnight(self.until)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The names and values of the canonical query."""
        pairs = []
        if self.since:
            pairs.append(("from", self.since.isoformat()))
        if self.until:
            pairs.append(("to", self.until.isoformat()))
        return pairs

    @property
    def form(self) -> dict[str, Any]:
        """What ``shop/orders/_dates.jinja`` has in its fields."""
        values = dict(self.pairs)
        return {"from_date": values.get("from", ""), "to_date": values.get("to", "")}


ALL_DAYS = Days()


@dataclass(frozen=True, slots=True)
class Preset:
    """A link to days that are often asked for; ``is_current`` if these are chosen."""

    name: str
    label: str
    url: str
    is_current: bool


def presets(chosen: Days, today: date, url: Callable[[Days], str]) -> list[Preset]:
    """Return links to the UTC days around ``today``, each with the ``url`` of its days.

    Their addresses say days as those of the form do, so that they stay true on another day.
    """
    tomorrow = today + DAY
    month = today.replace(day=1)
    next_month = (month + timedelta(days=31)).replace(day=1)
    days_of = [
        ("today", _("Today"), Days(today, tomorrow)),
        ("week", _("7 days"), Days(tomorrow - DAYS_OF_A_WEEK * DAY, tomorrow)),
        ("month", _("This month"), Days(month, next_month)),
    ]
    links: list[Preset] = []
    for name, label, days in days_of:
        links.append(Preset(name, label, url(days), is_current=days == chosen))
    return links


def parse_day(text: str) -> date | None:
    """Parse ``YYYY-MM-DD``, None where it is empty. Raises BadListFilter."""
    if not text:
        return None
    try:
        # Python also reads 20230131 and 2023-W05-2, which the form does not send.
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    sentence = _("“%(text)s” is not a date: write it as YYYY-MM-DD, such as 2023-01-31.")
    raise BadListFilter(sentence % {"text": text})


def _midnight(day: date | None) -> datetime | None:
    if day is None:
        return None
    return datetime.combine(day, time(), UTC)


def url_without_blanks(request: HttpRequest) -> str | None:
    """Return the URL without the empty fields that a form sends along; None if it has none."""
    if "" not in request.GET.values():
        return None
    filled = parse_qsl(request.META["QUERY_STRING"])  # which leaves out what is empty
    return f"{request.path}?{urlencode(filled)}" if filled else request.path
