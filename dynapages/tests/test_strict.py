"""The tests' own judge of queries refuses what AWS does, and nothing else."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from dynapages_testing.strict import KeySchema, check_query

SCHEMA = KeySchema(("p",), ("s",), ("pk", "sk"))


def query(condition: str, start: str | None = None, **more: Any) -> dict[str, Any]:
    values = {":p": "A", ":low": "c", ":high": "m", ":prefix": "ca"}
    request: dict[str, Any] = {
        "TableName": "things",
        "IndexName": "by_kind",
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": {
            name: attribute for name, attribute in (("#p", "p"), ("#s", "s")) if name in condition
        },
        "ExpressionAttributeValues": {
            name: {"S": value} for name, value in values.items() if name in condition
        },
    }
    if start is not None:
        key = {"p": "A", "s": start, "pk": "x", "sk": "y"}
        request["ExclusiveStartKey"] = {name: {"S": value} for name, value in key.items()}
    return request | more


def refusal_of(request: dict[str, Any]) -> str | None:
    try:
        check_query(request, lambda _table, _index: SCHEMA)
    except ClientError as error:
        message: str = error.response["Error"]["Message"]
        return message
    return None


class TestAStartKey:
    @pytest.mark.parametrize(
        ("condition", "inside", "outside"),
        [
            ("#p = :p", "anything", None),
            ("#p = :p AND begins_with(#s, :prefix)", "cat", "dog"),
            ("#p = :p AND #s >= :low", "d", "a"),
            ("#p = :p AND #s > :low", "d", "c"),
            ("#p = :p AND #s < :high", "d", "m"),
            ("#p = :p AND #s <= :high", "d", "n"),
            ("#p = :p AND #s BETWEEN :low AND :high", "d", "n"),
            ("#p = :p AND #s BETWEEN :low AND :high", "d", "a"),
        ],
    )
    def test_must_be_within_the_condition(self, condition, inside, outside):
        assert refusal_of(query(condition, inside)) is None
        if outside:
            assert "range key predicate" in (refusal_of(query(condition, outside)) or "")


class TestARequest:
    @pytest.mark.parametrize(
        ("condition", "more", "refusal"),
        [
            ("#p = :p", {"FilterExpression": "#p IN (:p)"}, "non-primary key"),
            ("#p = :p AND #s BETWEEN :high AND :low", {}, "BETWEEN"),
            ("#p = :p", {"Limit": 0}, "greater than or equal to 1"),
            ("#p = :p", {"ExpressionAttributeValues": {":p": {"S": ""}}}, "empty"),
            ("#p = :p", {"ExpressionAttributeValues": {":p": {"S": "A"}, ":x": {}}}, "unused"),
        ],
    )
    def test_is_refused(self, condition, more, refusal):
        assert refusal in (refusal_of(query(condition, **more)) or "")


class TestAStrictClient:
    def test_refuses_before_it_calls(self, client, new_table):
        request = query("#p = :p AND #s < :high", "n") | {"TableName": new_table()}
        with pytest.raises(client.exceptions.ClientError, match="range key predicate"):
            client.query(**request)
