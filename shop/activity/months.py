"""Months: which table an entry of the activity log is in, and which there should be."""

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
        """Give the month of an aware moment."""
        utc = moment.astimezone(UTC)
        return cls(utc.year, utc.month)

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}"

    def plus(self, months: int) -> "Month":
        """Give the month so many later, or (a negative number) earlier."""
        year, month = divmod(self.year * MONTHS_A_YEAR + self.month - 1 + months, MONTHS_A_YEAR)
        return Month(year, month + 1)

    @property
    def table(self) -> str:
        """The name of the month's table."""
        return f"{_prefix()}{self}"

    @property
    def segment(self) -> Segment:
        """All places of the month: they begin as ISO dates do."""
        return Segment(name=str(self), since=str(self), until=str(self.plus(1)))


def month_of_table(name: str) -> Month | None:
    """Say which month a table is of; None where it is no table of this log."""
    found = re.fullmatch(rf"{re.escape(_prefix())}(\d{{4}})-(0[1-9]|1[0-2])", name, re.ASCII)
    return Month(int(found[1]), int(found[2])) if found else None


def months_kept(now: datetime) -> Iterator[Month]:
    """Give this month and those before it that are not past retention, newest first."""
    this = Month.of(now)
    return (this.plus(-back) for back in range(settings.ACTIVITY_RETENTION_MONTHS + 1))


def _prefix() -> str:
    return f"{settings.DYNAMODB_TABLE_PREFIX}activity-"
