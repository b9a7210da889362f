"""A single update waits for transactions on its item, and for nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dynapages.calls.pool import Backoff
from dynapages.writes.transactions import ConditionFailed, Contended, write_item
from dynapages_testing.hooks import hooked

EVENT = "provide-client-params.dynamodb.UpdateItem"
BACKOFF = Backoff(attempts=4, first=1.0, longest=4.0)


@contextmanager
def conflicting(client: Any, number: int) -> Iterator[None]:
    """Let the next ``number`` updates meet a transaction."""
    left = [number]

    def meet(**_: object) -> None:
        if left[0]:
            left[0] -= 1
            code = "TransactionConflictException"
            error = {"Error": {"Code": code, "Message": "met another"}}
            raise client.exceptions.TransactionConflictException(error, "UpdateItem")

    with hooked(EVENT, meet, of=client):
        yield


@pytest.fixture(scope="module")
def table(new_table):
    return new_table()


@pytest.fixture
def parameters(table, fresh):
    """An update that counts how often it was made, and may be made twice."""
    key = {"S": fresh("thing")}
    return {
        "TableName": table,
        "Key": {"pk": key, "sk": key},
        "UpdateExpression": "ADD made :one",
        "ConditionExpression": "attribute_not_exists(made) OR made < :two",
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":two": {"N": "2"}},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


class TestAnUpdateThatMeetsATransaction:
    def test_is_made_once_the_transaction_has_passed(self, client, parameters):
        pauses: list[float] = []
        with conflicting(client, 2):
            write_item(client, {"Update": parameters}, backoff=BACKOFF, sleep=pauses.append)
        answer = client.get_item(TableName=parameters["TableName"], Key=parameters["Key"])
        assert answer["Item"]["made"] == {"N": "1"}
        assert len(pauses) == 2

    def test_is_given_up_when_they_keep_coming(self, client, parameters):
        with conflicting(client, 4), pytest.raises(Contended):
            write_item(client, {"Update": parameters}, backoff=BACKOFF, sleep=lambda _pause: None)


class TestAnUpdateWhoseConditionFails:
    def test_is_told_at_once_with_the_item(self, client, parameters):
        for _ in range(2):
            write_item(client, {"Update": parameters})
        with pytest.raises(ConditionFailed) as failed:
            write_item(client, {"Update": parameters})
        assert failed.value.failed[0]["made"] == {"N": "2"}
