"""A table of its own for the library's tests."""

import pytest
from django.conf import settings

from dynapages.calls.client import Connection, build_client
from dynapages_testing.strict import refuse_what_aws_refuses
from tests.support.chance import unique


@pytest.fixture(scope="session")
def strict_client():
    """A metered client of the engine that also refuses what only AWS refuses."""
    client = build_client(
        Connection(
            region=settings.AWS_REGION,
            endpoint_url=settings.DYNAMODB_ENDPOINT_URL,
            access_key=settings.AWS_ACCESS_KEY_ID,
            secret_key=settings.AWS_SECRET_ACCESS_KEY,
        )
    )
    refuse_what_aws_refuses(client)
    return client


@pytest.fixture(scope="session")
def new_table(strict_client):
    """Makes tables with the keys that the lists of `dynapages_testing.merged_lists` have."""

    def make() -> str:
        name = f"{settings.DYNAMODB_TABLE_PREFIX}{unique('things')}"
        strict_client.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=_keys("pk", "sk"),
            AttributeDefinitions=[
                {"AttributeName": attribute, "AttributeType": "S"}
                for attribute in ("pk", "sk", "p", "s")
            ],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "by_kind",
                    "KeySchema": _keys("p", "s"),
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        )
        strict_client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        return name

    return make


def _keys(partition_key: str, sort_key: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition_key, "KeyType": "HASH"},
        {"AttributeName": sort_key, "KeyType": "RANGE"},
    ]
