"""Feeds are read by boto3's resources and Tables, which are as before afterwards."""

import gc
import weakref
from decimal import Decimal

import pytest
from botocore.client import BaseClient

from dynapages import Feed, Index, Tokens, metered
from dynapages.calls.plain_client import plain_client
from dynapages.lists import QuerySource

boto3 = pytest.importorskip("boto3")
Key = pytest.importorskip("boto3.dynamodb.conditions").Key

TOKENS = Tokens("a secret of the tests")
STORED = [{"pk": "a", "sk": f"{n:02d}", "n": Decimal(n), "tags": {"x"}} for n in range(5)]
NEWEST_FIRST = STORED[::-1]


@pytest.fixture
def resource(dynamodb_endpoint):
    return boto3.resource(
        "dynamodb",
        region_name="us-east-1",
        endpoint_url=dynamodb_endpoint,
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )


@pytest.fixture
def table(resource, new_table):
    return filled(resource.Table(new_table()))


def filled(table):
    for item in STORED:
        table.put_item(Item=item)
    return table


def feed_of(table, client):
    return Feed(Index(table.name, partition="pk", sort="sk"), ["a"], client=client, tokens=TOKENS)


class TestAResource:
    def test_reads_a_feed(self, resource, table):
        feed = feed_of(table, resource)
        page = feed.page(2)
        assert list(page.items) == NEWEST_FIRST[:2]
        assert list(feed.page(5, after=page.next).items) == NEWEST_FIRST[2:]

    @pytest.mark.parametrize("of", [lambda table: table, lambda table: table.meta.client])
    def test_reads_it_by_its_tables_and_its_client(self, table, of):
        assert list(feed_of(table, of(table))) == NEWEST_FIRST

    def test_keeps_its_own_form_of_items(self, table):
        list(feed_of(table, table))
        condition = Key("pk").eq("a") & Key("sk").gte("03")
        assert table.query(KeyConditionExpression=condition)["Items"] == STORED[3:]
        table.put_item(Item={"pk": "a", "sk": "05", "tags": ["y"]})
        assert table.get_item(Key={"pk": "a", "sk": "05"})["Item"]["tags"] == ["y"]

    def test_is_not_metered_itself(self, table):
        feed = feed_of(table, table)
        with metered() as meter:
            list(feed)
            table.get_item(Key={"pk": "a", "sk": "01"})
        assert meter.calls == 1

    def test_reads_as_a_source_too(self, table):
        index = Index(table.name, partition="pk", sort="sk")
        assert list(Feed(index, ["a"], source=QuerySource(table))) == NEWEST_FIRST

    def test_is_imitated_by_moto(self):
        moto = pytest.importorskip("moto")
        with moto.mock_aws():
            resource = boto3.resource("dynamodb", "us-east-1")
            keys = [("pk", "HASH"), ("sk", "RANGE")]
            table = resource.create_table(
                TableName="notes",
                BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in keys],
                AttributeDefinitions=[
                    {"AttributeName": name, "AttributeType": "S"} for name, _ in keys
                ],
            )
            assert list(feed_of(filled(table), table)) == NEWEST_FIRST


class TestAPlainClient:
    def test_is_a_client_that_was_given(self, client):
        assert plain_client(client) is client

    def test_of_a_resource_is_made_once(self, resource):
        assert plain_client(resource) is plain_client(resource.Table("notes"))

    def test_of_a_resource_calls_its_handlers(self, resource, table):
        sent = []
        resource.meta.client.meta.events.register(
            "before-send", lambda request, **_: sent.append(request.headers)
        )
        list(feed_of(table, resource))
        assert [headers["X-Amz-Target"] for headers in sent] == [b"DynamoDB_20120810.Query"]

    def test_of_a_resource_makes_calls_that_patches_of_botocore_see(self, table, monkeypatch):
        names = []
        original = BaseClient._make_api_call

        def traced(client, name, parameters):
            names.append(name)
            return original(client, name, parameters)

        monkeypatch.setattr(BaseClient, "_make_api_call", traced)
        list(feed_of(table, table))
        assert names == ["Query"]

    def test_of_a_resource_that_is_gone_is_gone(self):
        resource = boto3.resource("dynamodb", "us-east-1")
        plain = weakref.ref(plain_client(resource))
        assert plain() is not None
        del resource
        gc.collect()
        assert plain() is None
