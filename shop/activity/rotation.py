"""Rotation, repeatable: create this and next month's tables, lower older ones, drop the oldest.

A change of a table that is not possible now is no error: the next run does it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError
from django.conf import settings

from dynapages.tables import ON_DEMAND, Throughput
from shop.activity.tables import (
    Month,
    forget_shards,
    make_table,
    month_of_table,
    months_ahead,
    wanted_throughput,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

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
        forget_shards(step.month)
        return drop_table(client, step.month.table)
    return set_throughput(client, step.month.table, step.throughput)


_BUSY = frozenset({"ResourceInUseException", "LimitExceededException"})
_GONE = "ResourceNotFoundException"
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
    try:
        client.update_table(
            TableName=table,
            ProvisionedThroughput={
                "ReadCapacityUnits": wanted.read,
                "WriteCapacityUnits": wanted.write,
            },
        )
    except ClientError as error:
        if _NO_CHANGE in str(error):
            return True
        if _code(error) in _BUSY | {_GONE}:
            return False
        raise
    return True


def drop_table(client: "DynamoDBClient", table: str) -> bool:
    """Delete a table with its items; return whether it is gone or being deleted."""
    try:
        client.delete_table(TableName=table)
    except ClientError as error:
        if _code(error) in _BUSY:
            return False
        if _code(error) != _GONE:
            raise
    return True


def _code(error: ClientError) -> str:
    code: str = error.response.get("Error", {}).get("Code", "")
    return code
