"""The rotation of the log's tables: create this and next month's, lower and drop older ones.

It is repeatable. A change of a table that is not possible now is no error: the next run does it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from django.conf import settings

from dynapages.tables import Throughput
from shop.activity.months import Month, month_of_table, months_ahead
from shop.activity.shards import forget_shards
from shop.activity.tables import (
    drop_table,
    make_table,
    monthly_throughput,
    report_nothing,
    set_throughput,
    table_names,
    throughput_of,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

PAST_THROUGHPUT = Throughput(1, 1)
"""The capacity of a table whose month is over: the least there is."""


class Task(StrEnum):
    """What is to be done with a month's table; the value is its verb."""

    CREATE = "create"
    RAISE = "raise"
    LOWER = "lower"
    DROP = "drop"


PAST_TENSE = {
    Task.CREATE: "created",
    Task.RAISE: "raised",
    Task.LOWER: "lowered",
    Task.DROP: "dropped",
}


@dataclass(frozen=True, slots=True)
class RotationStep:
    """A task for a month's table, and the capacity of the table afterwards."""

    task: Task
    month: Month
    throughput: Throughput | None = None

    def sentence(self, *, done: bool | None) -> str:
        """Format what was done (True), was not possible now (False), or would be done (None)."""
        to_do = f"{self.task.value} it{self._details}"
        if done is None:
            return f"{self.month.table}: would {to_do}."
        if not done:
            return f"{self.month.table}: is being changed; the next run will {to_do}."
        return f"{self.month.table}: {PAST_TENSE[self.task]}{self._details}."

    @property
    def _details(self) -> str:
        """The end of the sentence: the capacity afterwards, or why the table is dropped."""
        if self.throughput is None:
            return f", past the {settings.ACTIVITY_RETENTION_MONTHS} months that are kept"
        with_or_to = "with" if self.task is Task.CREATE else "to"
        return f" {with_or_to} {self.throughput.read} read and {self.throughput.write} write units"


def rotate(
    *,
    client: "DynamoDBClient",
    now: datetime,
    dry_run: bool = False,
    report: Callable[[str], None] = report_nothing,
) -> list[RotationStep]:
    """Create, raise, lower and drop month tables, reporting each step; return the steps.

    With ``dry_run`` only report. Raises TableNotReady and botocore's errors.
    """
    steps = steps_for(existing_months(client), now=now)
    for step in steps:
        # Reported one by one, as a step may wait for a table for a minute.
        done = None if dry_run else _carry_out(step, client=client)
        report(step.sentence(done=done))
    return steps


def existing_months(client: "DynamoDBClient") -> dict[Month, Throughput | None]:
    """Return the months that have a table, each with its capacity, None for on demand."""
    months = []
    for name in table_names(client):
        month = month_of_table(name)
        if month is not None:
            months.append(month)
    return {month: throughput_of(client, month.table) for month in sorted(months)}


def steps_for(existing: Mapping[Month, Throughput | None], *, now: datetime) -> list[RotationStep]:
    """Return the steps for the existing tables, each given with its capacity."""
    steps = []
    for month in months_ahead(now):
        if month not in existing:
            steps.append(RotationStep(Task.CREATE, month, monthly_throughput()))
    for month, throughput in existing.items():
        step = _step_for(month, throughput, now=now)
        if step is not None:
            steps.append(step)
    return steps


def _step_for(month: Month, throughput: Throughput | None, *, now: datetime) -> RotationStep | None:
    """Return the step for a table, None if it is as it should be."""
    this = Month.of(now)
    if month < this.plus(-settings.ACTIVITY_RETENTION_MONTHS):
        return RotationStep(Task.DROP, month)
    if throughput is None:  # on demand: there is no capacity to change
        return None
    if month < this:
        if throughput == PAST_THROUGHPUT:
            return None
        return RotationStep(Task.LOWER, month, PAST_THROUGHPUT)
    # More than the settings say was set by hand, and stays.
    least = monthly_throughput()
    raised = Throughput(max(throughput.read, least.read), max(throughput.write, least.write))
    if throughput == raised:
        return None
    return RotationStep(Task.RAISE, month, raised)


def _carry_out(step: RotationStep, *, client: "DynamoDBClient") -> bool:
    """Do a step; return False if DynamoDB does not accept it now."""
    if step.task is Task.CREATE:
        make_table(step.month, client=client)
        return True
    if step.throughput is None:
        # A step without a capacity is the drop of a table.
        forget_shards(step.month)
        return drop_table(client, step.month.table)
    return set_throughput(client, step.month.table, step.throughput)
