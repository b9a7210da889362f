"""What moto's server is made to do: bear many at once, and undo only what was done."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import botocore.session
import pytest
from botocore.exceptions import ClientError

from demo.file_engine import SampleMoto
from dynapages_testing.processes import PATIENCE

KEYS = ("pk", "sk")


@pytest.fixture(scope="module")
def client():
    """A client of an engine of its own, which has the table ``things``."""
    with SampleMoto(start_seconds=PATIENCE) as engine:
        client = botocore.session.get_session().create_client(
            "dynamodb",
            endpoint_url=engine.endpoint_url,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        client.create_table(
            TableName="things",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[
                {"AttributeName": name, "KeyType": kind}
                for name, kind in zip(KEYS, ("HASH", "RANGE"), strict=True)
            ],
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in KEYS],
        )
        yield client


def key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}, "sk": {"S": name}}


def put(name: str) -> dict[str, Any]:
    return {"Put": {"TableName": "things", "Item": {**key(name), "n": {"N": "0"}}}}


def add_one(name: str) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "things",
            "Key": key(name),
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
    }


def delete(name: str, **condition: str) -> dict[str, Any]:
    return {"Delete": {"TableName": "things", "Key": key(name), **condition}}


def number(client: Any, name: str) -> int | None:
    item = client.get_item(TableName="things", Key=key(name)).get("Item")
    return int(item["n"]["N"]) if item else None


class TestATransactionThatFails:
    def test_leaves_every_item_as_it_was(self, client):
        for name in ("changed", "deleted"):
            client.transact_write_items(TransactItems=[put(name)])
        refused = delete("nobody", ConditionExpression="attribute_exists(pk)")
        actions = [add_one("changed"), delete("deleted"), put("new"), add_one("newer"), refused]
        with pytest.raises(ClientError, match="ConditionalCheckFailed"):
            client.transact_write_items(TransactItems=actions)
        found = [number(client, name) for name in ("changed", "deleted", "new", "newer")]
        assert found == [0, 0, None, None]


class TestManyAtOnce:
    def test_each_find_what_the_others_wrote(self, client):
        client.transact_write_items(TransactItems=[put("counted")])
        with ThreadPoolExecutor(8) as threads:
            calls = [[add_one("counted")] for _ in range(40)]
            list(threads.map(lambda one: client.transact_write_items(TransactItems=one), calls))
        assert number(client, "counted") == 40
