"""Months, each of which has a table of the activity log."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from django.conf import settings

from dynamo.lists.segments import Segment

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
        year, month = divmod(self.year * MONTHS_A_YEAR + self.month - 1 + months, MONTHS_A_YEAR)
        return Month(year, month + 1)

    @property
    def table(self) -> str:
        """The name of the month's table."""
        return f"{_prefix()}{self}"

    @property
    def segment(self) -> Segment:
        """The range of the month's places, which begin with ISO dates."""
        return Segment(name=str(self), since=str(self), until=str(self.plus(1)))


def month_of_table(name: str) -> Month | None:
    """Return the month of a table, or None if it is not one of this log."""
    found = re.fullmatch(rf"{re.escape(_prefix())}(\d{{4}})-(0[1-9]|1[0-2])", name, re.ASCII)
    return Month(int(found[1]), int(found[2])) if found else None


def months_kept(now: datetime) -> Iterator[Month]:
    """Yield this month and those before it within retention, newest first."""
    this = Month.of(now)
    return (this.plus(-back) for back in range(settings.ACTIVITY_RETENTION_MONTHS + 1))


def months_ahead(now: datetime) -> tuple[Month, Month]:
    """Return the months that must have a table: this one and the next."""
    this = Month.of(now)
    return this, this.plus(1)


def _prefix() -> str:
    return f"{settings.DYNAMODB_TABLE_PREFIX}activity-"
