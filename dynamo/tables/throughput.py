"""Throughput: the provisioned capacity of tables, read and changed.

A change that is not possible now, because the table is being created, changed or deleted, is not an
error: the functions return False, and the caller's next run does it.
Follows "Provisioned capacity mode" and "Service, account, and table quotas" of the Developer
Guide.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynamo.tables.schema import ON_DEMAND, Throughput

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_BUSY = frozenset({"ResourceInUseException", "LimitExceededException"})
_GONE = "ResourceNotFoundException"
_NO_CHANGE = "will not change"
"""The ValidationException of a change to the capacity that a table already has."""


def table_names(client: "DynamoDBClient") -> Iterator[str]:
    """Yield the names of all tables of the account and region."""
    page: Any = client.list_tables()
    yield from page["TableNames"]
    while last := page.get("LastEvaluatedTableName"):
        page = client.list_tables(ExclusiveStartTableName=last)
        yield from page["TableNames"]


def throughput_of(client: "DynamoDBClient", table: str) -> Throughput | None:
    """Return a table's provisioned capacity; None when it is on demand or does not exist."""
    try:
        described: Any = client.describe_table(TableName=table)["Table"]
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
