"""Walking a stream: each item's records in order, none left out, whatever becomes of the shards."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from botocore.exceptions import ClientError

from dynapages.streams.checkpoints import Checkpoint, MemoryCheckpoints
from dynapages.streams.walk import Record, StreamWalk

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/things/stream/2026-11-20T00:00:00.000"

MOMENT = datetime(2026, 11, 20, tzinfo=UTC)


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}}, "GetRecords")


@dataclass
class FakeShard:
    parent: str | None = None
    records: list[dict[str, Any]] = field(default_factory=list)
    is_closed: bool = False
    horizon: int = 0
    """The sequence number of the oldest record that is left."""
    empty_answers: int = 0
    """How many empty answers come before the next record."""


class FakeStreams:
    """A `StreamsApi` of recorded shards; ``calls`` names the shards in reading order."""

    def __init__(self, *, shards_in_a_description: int = 100) -> None:
        self.shards: dict[str, FakeShard] = {}
        self.calls: list[str] = []
        self.expired: set[str] = set()
        self._numbers = count(1)
        self._page = shards_in_a_description

    def add_shard(self, name: str, parent: str | None = None) -> None:
        self.shards[name] = FakeShard(parent)

    def write(self, shard: str, *values: str, at: datetime = MOMENT) -> None:
        for value in values:
            number = next(self._numbers)
            change = {
                "SequenceNumber": str(number),
                "NewImage": {"v": {"S": value}},
                "ApproximateCreationDateTime": at,
            }
            self.shards[shard].records.append({"eventName": "INSERT", "dynamodb": change})

    def close(self, shard: str) -> None:
        self.shards[shard].is_closed = True

    def trim(self, shard: str, *, keeping: int) -> None:
        """Lose all but the last records of a shard."""
        records = self.shards[shard].records
        left = records[len(records) - keeping :]
        self.shards[shard].horizon = min(map(_number, left), default=next(self._numbers))
        self.shards[shard].records = left

    def split(self, shard: str, *children: str) -> None:
        self.close(shard)
        for child in children:
            self.add_shard(child, parent=shard)

    def describe_stream(self, **parameters: Any) -> dict[str, Any]:
        assert parameters["StreamArn"] == ARN
        names = list(self.shards)
        start = parameters.get("ExclusiveStartShardId")
        begin = names.index(start) + 1 if start else 0
        shown = names[begin : begin + self._page]
        description: dict[str, Any] = {"Shards": [self._described(name) for name in shown]}
        has_more = begin + self._page < len(names)
        description["LastEvaluatedShardId"] = shown[-1] if has_more else None
        return {"StreamDescription": description}

    def get_shard_iterator(self, **parameters: Any) -> dict[str, Any]:
        shard = self._existing(parameters["ShardId"])
        if parameters["ShardIteratorType"] == "TRIM_HORIZON":
            return {"ShardIterator": f"{parameters['ShardId']}:0"}
        after = int(parameters["SequenceNumber"])
        if after < shard.horizon - 1:
            raise refusal("TrimmedDataAccessException")
        return {"ShardIterator": f"{parameters['ShardId']}:{after}"}

    def get_records(self, **parameters: Any) -> dict[str, Any]:
        iterator = parameters["ShardIterator"]
        if iterator in self.expired:
            self.expired.remove(iterator)
            raise refusal("ExpiredIteratorException")
        name, _, after = iterator.partition(":")
        shard = self._existing(name)
        self.calls.append(name)
        if shard.empty_answers:
            shard.empty_answers -= 1
            return {"Records": [], "NextShardIterator": iterator}
        records = [r for r in shard.records if _number(r) > int(after)][: parameters["Limit"]]
        reached = _number(records[-1]) if records else int(after)
        is_over = shard.is_closed and (not shard.records or reached >= _number(shard.records[-1]))
        following = {} if is_over else {"NextShardIterator": f"{name}:{reached}"}
        return {"Records": records} | following

    def _existing(self, name: str) -> FakeShard:
        if name not in self.shards:
            raise refusal("ResourceNotFoundException")
        return self.shards[name]

    def _described(self, name: str) -> dict[str, str]:
        parent = self.shards[name].parent
        return {"ShardId": name} | ({"ParentShardId": parent} if parent else {})


class Walker:
    """A walk and what it has applied; `restart` leaves only the checkpoints."""

    def __init__(self, api: FakeStreams, *, limit: int = 2) -> None:
        self.api, self.limit = api, limit
        self.checkpoints = MemoryCheckpoints()
        self.applied: list[str] = []
        self.batches: list[int] = []
        self.told: list[str] = []
        self.pauses: list[float] = []
        self.failures = 0
        self.restart()

    def restart(self) -> None:
        self.walk = StreamWalk(
            api=self.api,
            arn=ARN,
            checkpoints=self.checkpoints,
            apply=self._apply,
            limit=self.limit,
            pause=0.5,
            report=self.told.append,
            sleep=self.pauses.append,
        )

    def drain(self) -> list[str]:
        """Return the records applied by this call."""
        before = len(self.applied)
        self.walk.drain()
        return self.applied[before:]

    def _apply(self, records: Sequence[Record]) -> None:
        if self.failures:
            self.failures -= 1
            raise refusal("InternalServerError")
        self.batches.append(len(records))
        self.applied += [record["dynamodb"]["NewImage"]["v"]["S"] for record in records]


@pytest.fixture
def api():
    streams = FakeStreams()
    streams.add_shard("root")
    return streams


@pytest.fixture
def walker(api):
    return Walker(api)


class TestAMomentToReadUntil:
    def test_ends_the_reading_of_a_shard_that_others_keep_writing_to(self, api, walker):
        api.write("root", "a", "b", at=MOMENT)
        api.write("root", "c", "d", at=MOMENT + timedelta(seconds=1))
        api.write("root", "e", "f", at=MOMENT + timedelta(seconds=2))
        assert walker.walk.drain(until=MOMENT) == 4
        assert walker.applied == ["a", "b", "c", "d"]

    def test_is_reached_by_each_shard(self, api, walker):
        api.add_shard("other")
        api.write("root", "a", at=MOMENT + timedelta(seconds=1))
        api.write("other", *"bcdef", at=MOMENT)
        walker.walk.drain(until=MOMENT)
        assert walker.applied == ["a", "b", "c", "d", "e", "f"]

    def test_does_not_keep_a_shard_from_ending_before_it(self, api, walker):
        api.write("root", "a", at=MOMENT)
        assert walker.walk.drain(until=MOMENT + timedelta(hours=1)) == 1


class TestOneShard:
    def test_is_read_from_its_oldest_record_in_batches(self, api, walker):
        api.write("root", "a", "b", "c")
        assert walker.drain() == ["a", "b", "c"]
        assert walker.batches == [2, 1]

    def test_is_looked_at_more_than_once_before_it_counts_as_drained(self, api, walker):
        api.write("root", "late")
        api.shards["root"].empty_answers = 2
        assert walker.drain() == ["late"]
        assert walker.pauses[:2] == [0.5, 0.5]

    def test_goes_on_when_its_iterator_has_expired(self, api, walker):
        api.write("root", "a", "b", "c")
        api.expired.add("root:2")
        assert walker.drain() == ["a", "b", "c"]


class TestAtLeastOnce:
    def test_only_the_batch_that_failed_is_given_again(self, api, walker):
        api.write("root", "a", "b")
        walker.drain()
        api.write("root", "c")
        walker.failures = 1
        with pytest.raises(Exception, match="InternalServerError"):
            walker.drain()
        walker.restart()
        assert walker.drain() == ["c"]

    def test_what_was_applied_but_not_checkpointed_is_given_again(self, api, walker, monkeypatch):
        api.write("root", "a")
        with monkeypatch.context() as broken:
            broken.setattr(MemoryCheckpoints, "save", _interrupted)
            with pytest.raises(KeyboardInterrupt):
                walker.drain()
        walker.restart()
        assert walker.drain() == ["a"]


class TestLineage:
    def test_a_parent_is_read_to_its_end_before_its_children(self, api, walker):
        api.add_shard("child", parent="root")
        api.write("child", "x")
        api.write("root", "a", "b", "c")
        api.close("root")
        assert walker.drain() == ["a", "b", "c", "x"]

    def test_children_of_an_open_shard_are_not_touched(self, api, walker):
        api.write("root", "a")
        api.add_shard("child", parent="root")
        api.write("child", "x")
        assert walker.drain() == ["a"]
        assert "child" not in api.calls

    def test_grandchildren_wait_for_an_empty_shard_between(self, api, walker):
        api.split("root", "left", "right")
        api.split("left", "leaf")
        api.write("leaf", "x")
        api.write("right", "y")
        assert sorted(walker.drain()) == ["x", "y"]
        assert api.calls.index("left") < api.calls.index("leaf")

    def test_a_shard_whose_parent_is_no_longer_there_is_a_beginning(self, api, walker):
        api.add_shard("orphan", parent="long gone")
        api.write("orphan", "x")
        assert walker.drain() == ["x"]

    def test_a_shard_that_splits_under_way_is_followed(self, api, walker):
        api.write("root", "a")
        walker.drain()
        api.write("root", "b")
        api.split("root", "left", "right")
        api.write("left", "x")
        api.write("right", "y")
        assert sorted(walker.drain()) == ["b", "x", "y"]

    def test_a_closed_shard_is_not_read_again_after_a_restart(self, api, walker):
        api.write("root", "a")
        api.split("root", "child")
        walker.drain()
        api.calls.clear()
        walker.restart()
        api.write("child", "x")
        assert walker.drain() == ["x"]
        assert "root" not in api.calls

    def test_an_empty_closed_shard_is_finished_without_a_sequence_number(self, api, walker):
        api.close("root")
        walker.drain()
        assert walker.checkpoints.load(ARN, "root") == Checkpoint(None, finished=True)

    def test_shards_of_every_page_of_the_description_are_read(self):
        api = FakeStreams(shards_in_a_description=1)
        for name in ("one", "two", "three"):
            api.add_shard(name)
            api.write(name, name)
        assert sorted(Walker(api).drain()) == ["one", "three", "two"]


class TestWhatIsLost:
    def test_a_checkpoint_older_than_the_stream_starts_with_the_oldest_left(self, api, walker):
        api.write("root", "a", "b")
        walker.drain()
        api.write("root", "lost", "c")
        api.trim("root", keeping=1)
        walker.restart()
        assert walker.drain() == ["c"]
        assert "older than what the stream keeps" in walker.told[0]

    def test_a_shard_that_vanishes_is_told_of_and_left(self, api, walker, monkeypatch):
        api.write("root", "a")
        described = api.describe_stream(StreamArn=ARN)
        monkeypatch.setattr(api, "describe_stream", lambda **_: described)
        del api.shards["root"]
        assert walker.drain() == []
        assert "root is gone" in walker.told[0]


class TestFollowing:
    def test_goes_on_with_what_is_written_meanwhile(self, api, walker):
        api.write("root", "a")
        rounds = walker.walk.follow()
        counts = [next(rounds), next(rounds)]
        api.write("root", "b", "c", "d")
        counts += [next(rounds), next(rounds)]
        assert counts == [1, 0, 2, 1]
        assert walker.applied == ["a", "b", "c", "d"]


def _interrupted(*_arguments: Any) -> None:
    raise KeyboardInterrupt


def _number(record: dict[str, Any]) -> int:
    return int(record["dynamodb"]["SequenceNumber"])
