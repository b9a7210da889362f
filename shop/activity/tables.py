"""The tables of the activity log: one for each month, with capacity of its own.

They are created, described and changed here; which change is due is the matter of
`shop.activity.rotation`.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError
from django.conf import settings
from pynamodb.attributes import UnicodeAttribute

from dynapages.pynamodb import DynamoModel
from dynapages.tables import ON_DEMAND, Throughput, create_missing
from shop.activity.months import Month, months_ahead

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

NO_CHANGE = "will not change"
"""The ValidationException of a change to the capacity that a table already has."""


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


def report_nothing(_line: str) -> None:
    """Ignore a line that says what was done."""


# Creating tables


def make_tables(
    *, client: "DynamoDBClient", now: datetime, report: Callable[[str], None] = report_nothing
) -> None:
    """Create this month's and next month's table where they are missing.

    For ``DYNAMODB_TABLE_MAKERS``.
    """
    for month in months_ahead(now):
        make_table(month, client=client, report=report)


def make_table(
    month: Month, *, client: "DynamoDBClient", report: Callable[[str], None] = report_nothing
) -> None:
    """Create a month's table if it is missing, and wait until it is active."""
    models = [model_of(month)]
    create_missing(models, client=client, provisioned=monthly_throughput(), report=report)


def monthly_throughput() -> Throughput:
    """Return the capacity of a table during its month."""
    return Throughput(settings.ACTIVITY_READ_UNITS, settings.ACTIVITY_WRITE_UNITS)


# Tables that exist


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


def set_throughput(client: "DynamoDBClient", table: str, throughput: Throughput) -> bool:
    """Change a table's provisioned capacity; return whether DynamoDB accepted it."""
    errors = client.exceptions
    try:
        client.update_table(
            TableName=table,
            ProvisionedThroughput={
                "ReadCapacityUnits": throughput.read,
                "WriteCapacityUnits": throughput.write,
            },
        )
    except (
        errors.ResourceInUseException,
        errors.LimitExceededException,
        errors.ResourceNotFoundException,
    ):
        return False
    except ClientError as error:
        # DynamoDB has no code of its own for that.
        if NO_CHANGE not in str(error):
            raise
    return True


def drop_table(client: "DynamoDBClient", table: str) -> bool:
    """Delete a table with its items; return whether it is gone or being deleted."""
    errors = client.exceptions
    try:
        # Somebody else has dropped it: that is what was wanted.
        with suppress(errors.ResourceNotFoundException):
            client.delete_table(TableName=table)
    except (errors.ResourceInUseException, errors.LimitExceededException):
        return False
    return True
