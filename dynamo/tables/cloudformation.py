"""CloudFormation: a table's declaration as the properties of an ``AWS::DynamoDB::Table``."""

from collections.abc import Mapping
from typing import Any

from dynamo.tables.schema import ON_DEMAND, TableSchema

PROVISIONED = "PROVISIONED"
TABLE = "AWS::DynamoDB::Table"


def table_properties(
    schema: TableSchema, *, maximum: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the properties that make the table `dynamo.tables.create.create_missing` would make.

    ``maximum`` is the OnDemandThroughput of a table that is billed on demand and of each of its
    global indexes.
    """
    on_demand = schema.billing.get("BillingMode") == ON_DEMAND
    limit = {"OnDemandThroughput": maximum} if maximum and on_demand else {}
    parts = {
        "GlobalSecondaryIndexes": [{**index, **limit} for index in schema.global_indexes],
        "LocalSecondaryIndexes": schema.local_indexes,
        "TimeToLiveSpecification": _expiry(schema),
        # To name what it shows is to switch it on: there is no StreamEnabled here.
        "StreamSpecification": schema.stream and {"StreamViewType": schema.stream},
    }
    return {
        "TableName": schema.name,
        "AttributeDefinitions": schema.attributes,
        "KeySchema": schema.key,
        "BillingMode": PROVISIONED,
        **schema.billing,
        **limit,
        **{name: value for name, value in parts.items() if value},
    }


def _expiry(schema: TableSchema) -> dict[str, Any]:
    if schema.expiry_attribute is None:
        return {}
    return {"AttributeName": schema.expiry_attribute, "Enabled": True}
