"""The entry point for AWS Lambda: what is applied, and what is reported to be given again."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError

from comments import keys
from comments.sets.handler import handler
from dynapages.items import Item
from dynapages_testing.hooks import hooked
from tests.support.permissions import acting_as
from tests.support.policy import FUNCTION
from tests.support.project import PROJECT
from tests.support.sets.items import all_items, primary_item, record
from tests.support.sets.stored import put, stored_items

pytestmark = pytest.mark.usefixtures("streamed")


@pytest.fixture
def written(fresh):
    """Writes the primary item of a new comment."""

    def written(**what: Any) -> Item:
        primary = primary_item(fresh("comment"), **what)
        put(primary)
        return primary

    return written


def invoke(*records: dict[str, Any]) -> list[str]:
    """Call the handler as Lambda does; give the sequence numbers it reports."""
    event = json.loads(json.dumps({"Records": records}))
    with acting_as(FUNCTION):
        answer = handler(event, None)
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def comment_id(primary: Item) -> str:
    return keys.comment_id_in(primary["pk"]["S"])


def is_complete(primary: Item) -> bool:
    return stored_items(comment_id(primary)) == all_items([primary])


@contextmanager
def refusing(primary: Item) -> Iterator[None]:
    """Refuse whatever is written of one comment's copies."""

    def refuse(params: dict[str, Any], **_: object) -> None:
        (requests,) = params["RequestItems"].values()
        if any(_partition(request) == primary["pk"] for request in requests):
            error = {"Code": "InternalServerError", "Message": "not now"}
            raise ClientError({"Error": error}, "BatchWriteItem")

    event = "provide-client-params.dynamodb.BatchWriteItem"
    with hooked(event, refuse):
        yield


def _partition(request: dict[str, Any]) -> object:
    ((_, what),) = request.items()
    return (what.get("Item") or what["Key"])["pk"]


class TestAnEvent:
    def test_is_applied_as_a_whole(self, written):
        one, two = written(), written(rating=2)
        assert invoke(record(None, one, number=1), record(None, two, number=2)) == []
        assert is_complete(one)
        assert is_complete(two)


class TestARecordThatCannotBeApplied:
    @pytest.fixture
    def event(self, written):
        primaries = [written() for _ in range(3)]
        return [(p, record(None, p, number=n)) for n, p in enumerate(primaries, start=1)]

    def test_is_reported_with_all_behind_it_and_applied_when_it_is_given_again(self, event):
        with refusing(event[1][0]):
            assert invoke(*(told for _, told in event)) == ["2", "3"]
        assert [is_complete(primary) for primary, _ in event] == [True, False, False]
        assert invoke(*(told for _, told in event[1:])) == []
        assert all(is_complete(primary) for primary, _ in event)

    def test_is_not_overtaken_by_a_later_one_of_its_comment(self, written):
        before = written(rating=5)
        after = primary_item(comment_id(before), rating=1)
        put(after)
        with refusing(before):
            told = [record(None, before, number=1), record(before, after, number=2)]
            assert invoke(*told) == ["1", "2"]
        assert invoke(*told) == []
        assert is_complete(after)


class TestARecordThatCannotBeRead:
    def test_is_reported_with_all_behind_it(self, written, caplog):
        one, two = written(), written()
        unreadable = record(one, two, number=2)
        del unreadable["dynamodb"]["OldImage"]
        told = [record(None, one, number=1), unreadable, record(None, two, number=3)]
        assert invoke(*told) == ["2", "3"]
        assert is_complete(one)
        assert "must be NEW_AND_OLD_IMAGES" in caplog.text

    def test_without_a_number_has_the_whole_event_given_again(self):
        assert invoke({"eventName": "INSERT"}) == [""]


class TestAPrimaryThatSomebodySpoiled:
    def test_holds_up_nobody(self, written):
        spoiled, other = written(), written()
        lacking = {name: spoiled[name] for name in ("pk", "sk", "o")}
        put(lacking)
        told = [record(None, lacking, number=1), record(None, other, number=2)]
        assert invoke(*told) == []
        assert list(stored_items(comment_id(spoiled)).values()) == [lacking]
        assert is_complete(other)


class TestAFunctionThatHasJustStarted:
    def test_finds_its_settings_by_itself(self):
        code = "from comments.sets.handler import handler; print(handler({'Records': []}, None))"
        result = subprocess.run(
            [sys.executable, "-c", code],
            cwd=PROJECT,
            env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.stdout, result.stderr) == ("{'batchItemFailures': []}\n", "")
