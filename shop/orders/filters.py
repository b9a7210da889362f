"""The filter of a list of orders, as a value and in URLs."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Self
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from shop.order_status import OPEN, Status

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class BadOrderFilter(ValueError):
    """The URL's query is no filter; the text says what is allowed."""


@dataclass(frozen=True, slots=True)
class OrderFilter:
    """Statuses (none means any), and UTC days from ``since`` up to but not ``until``.

    With statuses the days are when orders entered their status, else when they were placed.
    ``open_only`` lists open orders, strongly read; it excludes ``statuses``.
    """

    statuses: tuple[Status, ...] = ()
    since: date | None = None
    until: date | None = None
    open_only: bool = False

    def __post_init__(self) -> None:
        if self.since and self.until and self.since > self.until:
            raise BadOrderFilter(_("The start date is after the end date."))
        if self.open_only and self.statuses:
            raise BadOrderFilter(_("Choose either open orders or statuses, not both."))

    @classmethod
    def parse(
        cls,
        *,
        statuses: Iterable[str] = (),
        since: str = "",
        until: str = "",
        is_open: str = "",
        among: Sequence[Status] = tuple(Status),
    ) -> Self:
        """Parse a URL's values; a day is ``YYYY-MM-DD``, or empty. Raises BadOrderFilter.

        Statuses must be ``among`` those of the list: all of the queue's are the same as none.
        """
        if is_open not in {"", "1"}:
            raise BadOrderFilter(_("“open” must be 1, not “%(value)s”.") % {"value": is_open})
        chosen = _statuses(statuses, among)
        if chosen == OPEN == among:
            chosen = ()
        return cls(chosen, _day(since), _day(until), open_only=bool(is_open))

    @property
    def moments(self) -> tuple[datetime | None, datetime | None]:
        """The midnights (UTC) that the days begin at, and end before."""
        return _midnight(self.since), _midnight(self.until)

    @property
    def query(self) -> str:
        """The canonical query of the filter's URL."""
        return urlencode(self.pairs)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The names and values of the canonical query."""
        pairs = [("status", status.value) for status in self.statuses]
        pairs += [("open", "1")] if self.open_only else []
        days = ("from", self.since), ("to", self.until)
        return pairs + [(name, day.isoformat()) for name, day in days if day]

    @property
    def shape(self) -> dict[str, int]:
        """How much it restricts, in numbers, for the log."""
        days = [day for day in (self.since, self.until) if day]
        return {"statuses": len(self.statuses), "days": len(days), "open": int(self.open_only)}

    @property
    def has_days(self) -> bool:
        return self.since is not None or self.until is not None

    def toggle(self, status: Status) -> Self:
        """Add or remove a status."""
        changed = {*self.statuses} ^ {status}
        statuses = tuple(one for one in Status if one in changed)
        return replace(self, statuses=statuses, open_only=False)

    def in_any_status(self) -> Self:
        return replace(self, statuses=(), open_only=False)

    def only_open(self) -> Self:
        return replace(self, statuses=(), open_only=not self.open_only)

    def on_any_day(self) -> Self:
        return replace(self, since=None, until=None)


def _statuses(values: Iterable[str], among: Sequence[Status]) -> tuple[Status, ...]:
    chosen = [value for value in values if value]
    for value in chosen:
        if value not in among:
            allowed = ", ".join(status.value for status in among)
            sentence = _("There is no status “%(status)s” here: choose from %(allowed)s.")
            raise BadOrderFilter(sentence % {"status": value, "allowed": allowed})
    return tuple(status for status in Status if status in chosen)


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    sentence = _("“%(text)s” is not a date: write it as YYYY-MM-DD, such as 2023-01-31.")
    raise BadOrderFilter(sentence % {"text": text})


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), UTC)
