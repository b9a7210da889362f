"""Copies that were written lately are checked alone, by what the table's stream names."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from comments import keys
from comments.posting.services import add_comment, delete_comment
from comments.sets import recent
from comments.sets.integrity import set_differences
from comments.sets.recent import LatestWrites, StreamIsYounger, recent_differences
from dynapages.calls import clock
from dynapages.django.options import Progress
from dynapages.process import current_connection
from dynapages.streams import build_streams_client
from dynapages.upkeep import Difference
from tests.support.comments.options import comments_set
from tests.support.comments.read_models import fill
from tests.support.comments.truth import written
from tests.support.permissions import acting_as
from tests.support.sets.stored import delete, expected_items, put, stored_items

pytestmark = [pytest.mark.usefixtures("streamed"), pytest.mark.real_engine]

MOMENT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


class OlderStream:
    """The engine's streams, with one that is a day older than it is."""

    def __init__(self) -> None:
        self._api = build_streams_client(current_connection())

    def describe_stream(self, **parameters: Any) -> Mapping[str, Any]:
        description = self._api.describe_stream(**parameters)["StreamDescription"]
        created_at = description["CreationRequestDateTime"] - timedelta(days=1)
        return {"StreamDescription": {**description, "CreationRequestDateTime": created_at}}

    def get_shard_iterator(self, **parameters: Any) -> Mapping[str, Any]:
        return self._api.get_shard_iterator(**parameters)

    def get_records(self, **parameters: Any) -> Mapping[str, Any]:
        return self._api.get_records(**parameters)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(recent, "PAUSE", 0.0)
    monkeypatch.setattr(recent, "build_streams_client", lambda _connection: OlderStream())


@pytest.fixture
def minutes_pass(monkeypatch):
    """The clock, which this moves on by minutes."""

    def pass_minutes(number: int) -> None:
        later = datetime.now(UTC) + timedelta(minutes=number)
        monkeypatch.setattr(clock, "now", lambda: later)

    return pass_minutes


@pytest.fixture
def comment(fresh):
    """A comment with its 32 items."""
    comment = written(fresh("product"), id=fresh("comment"), rating=5, title="Good")
    add_comment(comment)
    fill([comment.id])
    return comment


def found(comment, *, hours: int = 1) -> list[Difference]:
    differences = recent_differences(hours, Progress(shown=False))
    return [difference for difference in differences if comment.id in difference.subject]


def lose_a_copy(comment) -> None:
    delete((keys.comment(comment.id), f"{keys.PRODUCT_PREFIX}{comment.product_id}/en/1.5"))


class TestTheCheck:
    def test_finds_a_copy_that_is_missing_and_repairs_it(self, comment, minutes_pass):
        lose_a_copy(comment)
        minutes_pass(10)
        with acting_as("run_stream"):  # it needs no other permissions
            (difference,) = found(comment)
            assert difference.kind == "missing copies"
            assert difference.repair
            assert difference.repair()
        assert stored_items(comment.id) == expected_items(comment.id)
        assert found(comment) == []

    def test_finds_copies_of_a_comment_that_is_deleted(self, comment, minutes_pass):
        delete_comment(comment.id)
        minutes_pass(10)
        (difference,) = found(comment)
        assert (difference.kind, difference.expected) == ("orphaned copies", "none")

    def test_finds_what_somebody_wrote_into_a_copy(self, comment, minutes_pass):
        stored = stored_items(comment.id)
        copy = next(item for item in stored.values() if "auto" in item)
        put({**copy, "t": {"S": "What nobody wrote"}})
        minutes_pass(10)
        assert [difference.kind for difference in found(comment)] == ["stale copies"]

    def test_says_of_what_was_written_just_now_that_it_is_busy(self, comment):
        lose_a_copy(comment)
        (difference,) = found(comment)
        assert difference.is_busy

    def test_passes_over_what_was_written_before(self, comment, minutes_pass):
        lose_a_copy(comment)
        minutes_pass(61)
        assert found(comment) == []
        assert len(found(comment, hours=2)) == 1

    def test_does_not_see_a_comment_that_has_no_record(self, fresh, minutes_pass):
        comment = written(fresh("product"), id=fresh("comment"))
        with comments_set(READ_MODEL="indexes"):
            add_comment(comment)
        minutes_pass(10)
        assert found(comment) == []
        assert any(comment.id in difference.subject for difference in set_differences())

    def test_refuses_hours_of_which_the_stream_has_no_records(self, monkeypatch):
        monkeypatch.setattr(recent, "build_streams_client", build_streams_client)
        with pytest.raises(StreamIsYounger, match="exists since 20"):
            list(recent_differences(1, Progress(shown=False)))


class TestLatestWrites:
    @staticmethod
    def record(key: str, seconds: int) -> dict[str, Any]:
        moment = MOMENT + timedelta(seconds=seconds)
        change = {"Keys": {"pk": {"S": key}}, "ApproximateCreationDateTime": moment}
        return {"dynamodb": change}

    def test_are_the_latest_of_each_comment_from_a_moment_on(self):
        read: list[int] = []
        latest = LatestWrites(MOMENT, read.append)
        latest.add([self.record("a", 0), self.record("b", -1), self.record("c", 7)])
        latest.add([self.record("c", 5), self.record("a", 2)])
        assert latest.moments == {
            "a": MOMENT + timedelta(seconds=2),
            "c": MOMENT + timedelta(seconds=7),
        }
        assert read == [3, 2]


class TestTheCommand:
    def test_repairs_what_was_written_lately(self, comment, minutes_pass):
        lose_a_copy(comment)
        minutes_pass(10)
        out = StringIO()
        with acting_as("run_stream"):
            call_command(
                "check_integrity", "--model", "sets", "--last-hours", "1", "--repair", stdout=out
            )
        assert f"missing copies of comment {comment.id}" in out.getvalue()
        assert stored_items(comment.id) == expected_items(comment.id)

    def test_counts_what_was_written_just_now_as_no_difference(self, comment, minutes_pass):
        minutes_pass(0)
        lose_a_copy(comment)
        out = StringIO()
        with acting_as("run_stream"):
            call_command(
                "check_integrity", "--model", "sets", "--last-hours", "1", "--json", stdout=out
            )
        rows = [row for row in json.loads(out.getvalue())["found"] if comment.id in row["subject"]]
        assert [row["busy"] for row in rows] == [True]

    @pytest.mark.parametrize("options", [(), ("--only", "comments"), ("--model", "words")])
    def test_has_hours_for_the_copies_alone(self, options):
        with pytest.raises(CommandError, match="--last-hours is for --model sets"):
            call_command("check_integrity", "--last-hours", "1", *options)

    @pytest.mark.parametrize("hours", ["0", "24", "soon"])
    def test_takes_no_hours_that_the_stream_does_not_keep(self, hours):
        with pytest.raises(CommandError, match="last-hours"):
            call_command("check_integrity", "--model", "sets", "--last-hours", hours)
