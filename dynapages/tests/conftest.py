"""What the library's own tests share: an engine, its client, and new tables.

The engine is the one at ``DYNAMODB_ENDPOINT_URL``, else one of `dynapages.engine`; without any,
tests that need one are skipped.
"""

import botocore.session
import pytest
from hypothesis import settings

from dynapages.calls.client import Connection, build_client
from dynapages.process import connected
from dynapages_testing.chance import EXAMPLES, unique
from dynapages_testing.processes import PATIENCE
from dynapages_testing.strict import refuse_what_aws_refuses

SAMPLES = {"dynapages-notes", "dynapages-reviews", "dynapages-things"}
"""The tables that the examples and the documents make."""

settings.register_profile("dynapages", deadline=None, derandomize=True, max_examples=EXAMPLES)


@pytest.fixture(scope="session")
def connection(dynamodb_endpoint):
    """How clients reach the engine."""
    return Connection(
        region="us-east-1",
        endpoint_url=dynamodb_endpoint,
        access_key="tests",
        secret_key="tests",
        read_seconds=PATIENCE,
    )


@pytest.fixture(scope="session")
def client(connection):
    """A metered client of the engine that also refuses what only AWS refuses."""
    client = build_client(connection)
    refuse_what_aws_refuses(client)
    return client


@pytest.fixture
def plain(connection):
    """A client of botocore's that nothing of this library has seen."""
    client = botocore.session.get_session().create_client(
        "dynamodb",
        connection.region,
        endpoint_url=connection.endpoint_url,
        aws_access_key_id=connection.access_key,
        aws_secret_access_key=connection.secret_key,
    )
    yield client
    client.close()


@pytest.fixture(scope="module")
def process(connection):
    """Connect the process to the engine, within a module."""
    with connected(connection):
        yield


@pytest.fixture
def sample_tables(client, dynamodb_endpoint):
    """The environment of an example; the tables that it makes are gone after the test."""
    yield {
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": "tests",
        "DYNAMODB_ENDPOINT_URL": dynamodb_endpoint,
    }
    for name in client.list_tables()["TableNames"]:
        if name in SAMPLES:
            client.delete_table(TableName=name)


@pytest.fixture(autouse=True)
def _only_where_real(request):
    """Skip what moto only imitates where the engine is moto."""
    if request.node.get_closest_marker("real_engine"):
        headers = request.getfixturevalue("client").list_tables()["ResponseMetadata"]["HTTPHeaders"]
        if "Werkzeug" in headers.get("server", ""):
            pytest.skip("moto only imitates capacity, cursors and concurrency")


@pytest.fixture
def fresh():
    """Makes an id that no other test uses: ``fresh("counter")``."""
    return unique


@pytest.fixture(scope="session")
def new_table(client):
    """Makes tables with string keys ``pk`` and ``sk``, and an index ``by_kind`` on ``p`` and ``s``.

    They are those of the lists of `dynapages_testing.merged_lists`, and are gone after the tests.
    One of a name is made once: a worker may come back to a module of which it had other tests.
    """
    made: list[str] = []

    def make(name: str = "") -> str:
        if name in made:
            return name
        name = name or unique("dynapages-test")
        client.create_table(
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
        made.append(name)
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        return name

    yield make
    for name in made:
        client.delete_table(TableName=name)


def _keys(partition_key: str, sort_key: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition_key, "KeyType": "HASH"},
        {"AttributeName": sort_key, "KeyType": "RANGE"},
    ]
