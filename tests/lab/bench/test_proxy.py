"""The proxy that delays calls to the engine."""

import time

import pytest
from django.conf import settings

from dynamo.calls.client import build_client
from lab.bench.exports import local
from lab.bench.proxy import delayed


@pytest.fixture(scope="module")
def client():
    if not settings.DYNAMODB_ENDPOINT_URL.startswith("http://127.0.0.1"):
        pytest.skip("the engine is not on this machine")
    with delayed(settings.DYNAMODB_ENDPOINT_URL, seconds=0.1) as url:
        yield build_client(local(url))


class TestTheDelayingProxy:
    def test_passes_calls_on(self, client):
        assert "TableNames" in client.list_tables()

    def test_delays_each_call_of_a_connection(self, client):
        client.list_tables()
        began = time.perf_counter()
        for _ in range(3):
            client.list_tables()
        assert time.perf_counter() - began >= 0.3

    def test_passes_large_answers_on_whole(self, client, tables):
        table = f"{settings.DYNAMODB_TABLE_PREFIX}comments"
        key = {"S": "proxy"}
        client.put_item(TableName=table, Item={"pk": key, "sk": key, "x": {"S": "é" * 150_000}})
        found = client.get_item(TableName=table, Key={"pk": key, "sk": key})["Item"]
        assert found["x"]["S"] == "é" * 150_000
