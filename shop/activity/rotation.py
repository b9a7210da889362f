"""Rotation: this month's and next month's tables there, the old ones lowered, the oldest dropped.

"Time Series Data" of the pattern list: precreate tables, write to the current one, lower the
capacity of those that age out. Each step is decided from what is there and does nothing when it is
done already, so rotating twice, or twice at once, is as good as once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from django.conf import settings

from dynamo.tables.create import Throughput
from dynamo.tables.throughput import drop_table, set_throughput, table_names, throughput_of
from shop.activity.months import Month, month_of_table
from shop.activity.tables import forget_shards, make_table, wanted_throughput

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

LEAST = Throughput(1, 1)


class Task(StrEnum):
    """What can be done with a month's table."""

    CREATE = "create"
    RAISE = "raise"
    LOWER = "lower"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Step:
    """Something to be done with a month's table; the capacity is that it has afterwards."""

    task: Task
    month: Month
    throughput: Throughput | None = None

    def sentence(self, *, done: bool | None) -> str:
        """Say what was done, what was not possible now (False), or what would be done (None)."""
        if done is False:
            return f"{self.month.table}: is being changed; the next run will {self._to_do}."
        return f"{self.month.table}: {'would ' + self._to_do if done is None else self._done}."

    @property
    def _to_do(self) -> str:
        return f"{self.task.value} it{self._to}"

    @property
    def _done(self) -> str:
        past = {
            Task.CREATE: "created",
            Task.RAISE: "raised",
            Task.LOWER: "lowered",
            Task.DROP: "dropped",
        }
        return f"{past[self.task]}{self._to}"

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
) -> list[Step]:
    """Do what there is to do, and tell of each step; with ``dry_run`` only tell.

    Returns the steps. Raises TableNotReady, and botocore's errors.
    """
    steps = steps_for(existing_months(client), now=now)
    for step in steps:
        done = None if dry_run else _carry_out(step, client=client)
        report(step.sentence(done=done))
    return steps


def make_tables(
    *, client: "DynamoDBClient", now: datetime, report: Callable[[str], None] = lambda _line: None
) -> None:
    """Create this month's and next month's table where they are missing, and nothing else."""
    for month in _ahead(now):
        make_table(month, client=client, report=report)


def existing_months(client: "DynamoDBClient") -> dict[Month, Throughput | None]:
    """Give the months that have a table, each with its capacity (None: it is on demand)."""
    found = [month for name in table_names(client) if (month := month_of_table(name))]
    return {month: throughput_of(client, month.table) for month in sorted(found)}


def steps_for(existing: Mapping[Month, Throughput | None], *, now: datetime) -> list[Step]:
    """Say what is to be done about the tables there are."""
    this = Month.of(now)
    oldest = this.plus(-settings.ACTIVITY_RETENTION_MONTHS)
    wanted = wanted_throughput()
    steps = [Step(Task.CREATE, month, wanted) for month in _ahead(now) if month not in existing]
    for month, there in existing.items():
        if month < oldest:
            steps.append(Step(Task.DROP, month))
        elif month < this and there not in {None, LEAST}:
            steps.append(Step(Task.LOWER, month, LEAST))
        elif month >= this and there is not None and _raised(there, wanted) != there:
            steps.append(Step(Task.RAISE, month, _raised(there, wanted)))
    return steps


def _ahead(now: datetime) -> tuple[Month, Month]:
    this = Month.of(now)
    return this, this.plus(1)


def _raised(there: Throughput, wanted: Throughput) -> Throughput:
    """Bring what is less than wanted up to it; more was somebody's decision, and stays."""
    return Throughput(max(there.read, wanted.read), max(there.write, wanted.write))


def _carry_out(step: Step, *, client: "DynamoDBClient") -> bool:
    if step.task is Task.CREATE:
        make_table(step.month, client=client)
        return True
    if step.throughput is None:
        forget_shards(step.month)
        return drop_table(client, step.month.table)
    return set_throughput(client, step.month.table, step.throughput)
