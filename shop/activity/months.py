"""The months of the activity log, each of which has a table of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from django.conf import settings

from dynapages.lists import Segment

MONTHS_A_YEAR = 12


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A month in UTC. Later months are greater."""

    year: int
    month: int

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """Return the month of an aware datetime."""
        utc = moment.astimezone(UTC)
        return cls(utc.year, utc.month)

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}"

    def plus(self, months: int) -> "Month":
        """Return the month that is ``months`` later, or earlier if negative."""
        # Counted in months since the year 0, which start at 0.
        year, month = divmod(self.year * MONTHS_A_YEAR + self.month - 1 + months, MONTHS_A_YEAR)
        return Month(year, month + 1)

    @property
    def table(self) -> str:
        """The name of the month's table."""
        return f"{_table_prefix()}{self}"

    @property
    def segment(self) -> Segment:
        """The range of the month's places, which begin with ISO dates."""
        return Segment(name=str(self), since=str(self), until=str(self.plus(1)))


def month_of_table(name: str) -> Month | None:
    """Return the month of a table, or None if it is not one of this log."""
    pattern = rf"{re.escape(_table_prefix())}(\d{{4}})-(0[1-9]|1[0-2])"
    match = re.fullmatch(pattern, name, re.ASCII)
    if match is None:
        return None
    year, month = match.groups()
    return Month(int(year), int(month))


def retained_months(now: datetime) -> Iterator[Month]:
    """Yield this month and those before it within retention, newest first."""
    this = Month.of(now)
    for back in range(settings.ACTIVITY_RETENTION_MONTHS + 1):
        yield this.plus(-back)


def months_ahead(now: datetime) -> tuple[Month, Month]:
    """Return the months that must have a table: this one and the next."""
    this = Month.of(now)
    return this, this.plus(1)


def _table_prefix() -> str:
    return f"{settings.DYNAMODB_TABLE_PREFIX}activity-"
