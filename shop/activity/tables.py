"""The tables of the activity log: one for each month, with capacity of its own.

An item holds the number of a table's shards, from the first write on, and whether there is
one series for most kinds: neither changes.

Their rotation is repeatable: create this and next month's tables, lower older ones, drop the
oldest. A change of a table that is not possible now is no error: the next run does it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from botocore.exceptions import ClientError
from django.conf import settings
from pynamodb.attributes import UnicodeAttribute

from dynapages.items import Item, table_key
from dynapages.lists import Segment
from dynapages.pynamodb import DynamoModel
from dynapages.tables import ON_DEMAND, Throughput, create_missing
from dynapages.writes import SHARDS, ConditionFailed, put, shards_in, write_item

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
ACTIVITY_SHARDS = 1
"""That a month's series are spread over: one takes 1,000 entries a second."""
MAIN = "MAIN"
"""The series of entries that are of no kind apart."""
_SERIES: Item = {"series": {"S": MAIN}}
"""What the item of the shards has in months that have this series."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How many shards a series is in, 0 before the first entry, and whether each kind is one."""

    shards: int
    is_by_kind: bool = False


_known: dict[str, Layout] = {}


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


def layout_of(month: Month, *, client: "DynamoDBClient") -> Layout:
    """Return how a month's entries are stored."""
    known = _known.get(month.table)
    if known is not None:
        return known
    found = client.get_item(TableName=month.table, Key=_KEY).get("Item")
    return _learned(month, found) if found else Layout(0)


def settle_layout(month: Month, *, client: "DynamoDBClient") -> Layout:
    """Return how to write a month's entries; the first caller sets it."""
    known = _known.get(month.table)
    if known is not None:
        return known
    item: Item = {**_KEY, **_SERIES, SHARDS: {"N": str(ACTIVITY_SHARDS)}}
    first = put(model_of(month), item, Activity.pk.does_not_exist())
    try:
        write_item(client, first)
    except ConditionFailed:
        answer = client.get_item(TableName=month.table, Key=_KEY, ConsistentRead=True)
        return _learned(month, answer["Item"])
    return _learned(month, item)


def forget_layout(month: Month) -> None:
    """Forget the layout of a table that is gone."""
    _known.pop(month.table, None)


def _learned(month: Month, item: Item) -> Layout:
    layout = Layout(shards_in(item), is_by_kind=not item.items() >= _SERIES.items())
    _known[month.table] = layout
    return layout


LEAST = Throughput(1, 1)


class Task(StrEnum):
    """What is to be done with a month's table; the value is its verb."""

    CREATE = "create"
    RAISE = "raise"
    LOWER = "lower"
    DROP = "drop"


PAST = dict(zip(Task, ("created", "raised", "lowered", "dropped"), strict=True))


@dataclass(frozen=True, slots=True)
class RotationStep:
    """A task for a month's table, and the capacity of the table afterwards."""

    task: Task
    month: Month
    throughput: Throughput | None = None

    def sentence(self, *, done: bool | None) -> str:
        """Format what was done (True), was not possible now (False), or would be done (None)."""
        to_do = f"{self.task.value} it{self._to}"
        if done is None:
            return f"{self.month.table}: would {to_do}."
        if not done:
            return f"{self.month.table}: is being changed; the next run will {to_do}."
        return f"{self.month.table}: {PAST[self.task]}{self._to}."

    @property
    def _to(self) -> str:
        if self.throughput is None:
            return f", past the {settings.ACTIVITY_RETENTION_MONTHS} months that are kept"
        with_or_to = "with" if self.task is Task.CREATE else "to"
        return f" {with_or_to} {self.throughput.read} read and {self.throughput.write} write units"


def rotate(
    *,
    client: "DynamoDBClient",
    now: datetime,
    dry_run: bool = False,
    report: Callable[[str], None] = lambda _line: None,
) -> list[RotationStep]:
    """Create, raise, lower and drop month tables, reporting each step; return the steps.

    With ``dry_run`` only report. Raises TableNotReady and botocore's errors.
    """
    steps = steps_for(existing_months(client), now=now)
    for step in steps:
        done = None if dry_run else _carry_out(step, client=client)
        report(step.sentence(done=done))
    return steps


def make_tables(
    *, client: "DynamoDBClient", now: datetime, report: Callable[[str], None] = lambda _line: None
) -> None:
    """Create this month's and next month's table where they are missing."""
    for month in months_ahead(now):
        make_table(month, client=client, report=report)


def existing_months(client: "DynamoDBClient") -> dict[Month, Throughput | None]:
    """Return the months that have a table, each with its capacity, None for on demand."""
    found = [month for name in table_names(client) if (month := month_of_table(name))]
    return {month: throughput_of(client, month.table) for month in sorted(found)}


def steps_for(existing: Mapping[Month, Throughput | None], *, now: datetime) -> list[RotationStep]:
    """Return the steps for the existing tables."""
    this = Month.of(now)
    oldest = this.plus(-settings.ACTIVITY_RETENTION_MONTHS)
    wanted = wanted_throughput()
    steps = [
        RotationStep(Task.CREATE, month, wanted)
        for month in months_ahead(now)
        if month not in existing
    ]
    for month, there in existing.items():
        if month < oldest:
            steps.append(RotationStep(Task.DROP, month))
        elif month < this and there not in {None, LEAST}:
            steps.append(RotationStep(Task.LOWER, month, LEAST))
        elif month >= this and there is not None and _raised(there, wanted) != there:
            steps.append(RotationStep(Task.RAISE, month, _raised(there, wanted)))
    return steps


def _raised(there: Throughput, wanted: Throughput) -> Throughput:
    # More than the settings say was set by hand, and stays.
    return Throughput(max(there.read, wanted.read), max(there.write, wanted.write))


def _carry_out(step: RotationStep, *, client: "DynamoDBClient") -> bool:
    if step.task is Task.CREATE:
        make_table(step.month, client=client)
        return True
    if step.throughput is None:
        forget_layout(step.month)
        return drop_table(client, step.month.table)
    return set_throughput(client, step.month.table, step.throughput)


_NO_CHANGE = "will not change"
"""The ValidationException of a change to the capacity that a table already has."""


def table_names(client: "DynamoDBClient") -> Iterator[str]:
    """Yield the names of all tables of the account and region."""
    for page in client.get_paginator("list_tables").paginate():
        yield from page["TableNames"]


def throughput_of(client: "DynamoDBClient", table: str) -> Throughput | None:
    """Return a table's provisioned capacity; None when it is on demand or does not exist."""
    try:
        described = client.describe_table(TableName=table)["Table"]
    except client.exceptions.ResourceNotFoundException:
        return None
    if described.get("BillingModeSummary", {}).get("BillingMode") == ON_DEMAND:
        return None
    provisioned = described["ProvisionedThroughput"]
    return Throughput(provisioned["ReadCapacityUnits"], provisioned["WriteCapacityUnits"])


def set_throughput(client: "DynamoDBClient", table: str, wanted: Throughput) -> bool:
    """Change a table's provisioned capacity; return whether DynamoDB accepted it."""
    why = client.exceptions
    try:
        client.update_table(
            TableName=table,
            ProvisionedThroughput={
                "ReadCapacityUnits": wanted.read,
                "WriteCapacityUnits": wanted.write,
            },
        )
    except (why.ResourceInUseException, why.LimitExceededException, why.ResourceNotFoundException):
        return False
    except ClientError as error:
        if _NO_CHANGE not in str(error):
            raise
    return True


def drop_table(client: "DynamoDBClient", table: str) -> bool:
    """Delete a table with its items; return whether it is gone or being deleted."""
    why = client.exceptions
    try:
        with suppress(why.ResourceNotFoundException):
            client.delete_table(TableName=table)
    except (why.ResourceInUseException, why.LimitExceededException):
        return False
    return True
