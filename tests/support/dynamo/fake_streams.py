"""A stream in memory, with shards that are split, closed, trimmed and lost when a test says so."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from botocore.exceptions import ClientError

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/things/stream/2026-11-20T00:00:00.000"


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

    def write(self, shard: str, *values: str) -> None:
        for value in values:
            number = next(self._numbers)
            change = {"SequenceNumber": str(number), "NewImage": {"v": {"S": value}}}
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
        if begin + self._page < len(names):
            description["LastEvaluatedShardId"] = shown[-1]
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


def _number(record: dict[str, Any]) -> int:
    return int(record["dynamodb"]["SequenceNumber"])
