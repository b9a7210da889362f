"""The tables of the activity log: one for each month, with capacity of its own.

An item holds the number of a table's shards, from the first write on: it never changes.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from django.conf import settings
from pynamodb.attributes import UnicodeAttribute

from dynapages.items import table_key
from dynapages.lists import Segment
from dynapages.pynamodb import DynamoModel
from dynapages.tables import Throughput, create_missing
from dynapages.writes import SHARDS, ConditionFailed, put, shards_in, write_one

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

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


_KEY = table_key("SHARDS", "SHARDS")
ACTIVITY_SHARDS = 2
"""That a month's entries of a kind are spread over."""
_known: dict[str, int] = {}


class Activity(DynamoModel):
    """Entries of the log; see `shop.activity.entries`."""

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)


def model_of(month: Month) -> type[Activity]:
    """Return the model of a month's table."""
    month_table = month.table

    class ActivityOfMonth(Activity):
        class Meta:
            table_name = month_table
            region = settings.AWS_REGION

    return ActivityOfMonth


def wanted_throughput() -> Throughput:
    """Return the capacity of a table during its month."""
    return Throughput(settings.ACTIVITY_READ_UNITS, settings.ACTIVITY_WRITE_UNITS)


def make_table(
    month: Month, *, client: "DynamoDBClient", report: Callable[[str], None] = lambda _line: None
) -> None:
    """Create a month's table if it is missing, and wait until it is active."""
    models = [model_of(month)]
    create_missing(models, client=client, provisioned=wanted_throughput(), report=report)


def shards_of(month: Month, *, client: "DynamoDBClient") -> int:
    """Return how many shards a month's entries are in, 0 before the first."""
    known = _known.get(month.table)
    if known is not None:
        return known
    answer = client.get_item(TableName=month.table, Key=_KEY)
    found = answer.get("Item")
    return _learned(month, shards_in(found)) if found else 0


def settle_shards(month: Month, *, client: "DynamoDBClient") -> int:
    """Return how many shards to write a month's entries to; the first caller sets it."""
    known = _known.get(month.table)
    if known is not None:
        return known
    item = {**_KEY, SHARDS: {"N": str(ACTIVITY_SHARDS)}}
    first = put(model_of(month), item, Activity.pk.does_not_exist())
    try:
        write_one(client, first)
    except ConditionFailed:
        answer = client.get_item(TableName=month.table, Key=_KEY, ConsistentRead=True)
        return _learned(month, shards_in(answer["Item"]))
    return _learned(month, ACTIVITY_SHARDS)


def forget_shards(month: Month) -> None:
    """Forget the number of a table that is gone."""
    _known.pop(month.table, None)


def _learned(month: Month, shards: int) -> int:
    _known[month.table] = shards
    return shards
