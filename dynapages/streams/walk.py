"""Streams: the changes of a table, read in order and resumed at a checkpoint.

A stream is a tree of shards: when one is closed, its children continue it, and are read after it,
so the records of one item come in the order of its writes. There is no order between items.

Reading is at least once: a checkpoint is saved after the records before it were applied. DynamoDB
keeps records for 24 hours; a later reader starts with the oldest that is left, and reports it.
Follows "Change data capture for DynamoDB Streams" of the Developer Guide.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import ClientError

from dynapages.calls.client import Connection, build_client_of
from dynapages.errors import DynamoError
from dynapages.items import wire_key
from dynapages.writes.transactions import put, write_item

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

Record = Mapping[str, Any]
"""A record of a stream, in the form of GetRecords and of AWS Lambda's events."""

MOST_RECORDS = 1_000
"""The most records of one GetRecords."""

_TRIMMED = "TrimmedDataAccessException"
_EXPIRED = "ExpiredIteratorException"
_GONE = "ResourceNotFoundException"


class StreamsApi(Protocol):
    """The calls of botocore's client ``dynamodbstreams`` that are used here."""

    def describe_stream(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - botocore's
    def get_shard_iterator(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - same
    def get_records(self, **parameters: Any) -> Mapping[str, Any]: ...  # noqa: ANN401 - same


def build_streams_client(connection: Connection) -> StreamsApi:
    """Build a client of DynamoDB Streams, which is not metered, and waits ten seconds."""
    patient = replace(connection, read_seconds=10.0)
    client: StreamsApi = build_client_of("dynamodbstreams", patient)
    return client


class NoStream(DynamoError):
    """The table has no stream."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a shard was read: the last record applied, and whether the shard has ended."""

    sequence_number: str | None = None
    finished: bool = False


class Checkpoints(Protocol):
    """Stores how far the shards of streams were read."""

    def load(self, stream: str, shard: str) -> Checkpoint:
        """Return the saved checkpoint, an empty one if there is none."""

    def save(self, stream: str, shard: str, checkpoint: Checkpoint) -> None:
        """Save how far a shard was read."""


def stream_of(client: "DynamoDBClient", table: str) -> str:
    """Return the ARN of a table's stream. Raises NoStream, and botocore's errors."""
    described = client.describe_table(TableName=table)["Table"]
    if not described.get("StreamSpecification", {}).get("StreamEnabled"):
        sentence = f"The table {table} has no stream: “manage.py create_tables” switches it on."
        raise NoStream(sentence)
    return described["LatestStreamArn"]


@dataclass(slots=True)
class _Reading:
    """A shard being read. ``idle`` counts empty responses in a row."""

    shard: str
    checkpoint: Checkpoint
    iterator: str | None = None
    idle: int = 0


class StreamWalk:
    """Reads a stream from its checkpoints on, and applies each batch of records.

    ``apply`` must be idempotent: a batch is repeated after a restart; what it raises ends the walk.
    ``report`` gets a sentence when records were lost. ``pause`` is in seconds, between two reads
    when no shard had records.
    """

    def __init__(
        self,
        *,
        api: StreamsApi,
        arn: str,
        checkpoints: Checkpoints,
        apply: Callable[[Sequence[Record]], None],
        limit: int = MOST_RECORDS,
        pause: float = 1.0,
        report: Callable[[str], None] = lambda _sentence: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._api, self._arn, self._checkpoints = api, arn, checkpoints
        self._apply, self._limit, self._report = apply, limit, report
        self._pause, self._sleep = pause, sleep
        self._parents: dict[str, str | None] | None = None
        self._readings: dict[str, _Reading] = {}

    def drain(self, *, looks: int = 3) -> int:
        """Read until every open shard was empty ``looks`` times in a row; return the records read.

        Raises what ``apply`` does, and botocore's errors.
        """
        records = 0
        while True:
            read, looked_at = self._round()
            records += read
            if all(r.idle >= looks and not r.checkpoint.finished for r in looked_at):
                return records
            if not read:
                self._sleep(self._pause)

    def follow(self) -> Iterator[int]:
        """Read forever; yield the number of records of each round. Raises like `drain`."""
        while True:
            read, _ = self._round()
            yield read
            if not read:
                self._sleep(self._pause)

    def _round(self) -> tuple[int, list[_Reading]]:
        """Read every readable shard once; return the number of records, and these shards."""
        readable = self._readable()
        records = sum(self._look_at(reading) for reading in readable)
        if not records or any(reading.checkpoint.finished for reading in readable):
            self._parents = None  # there may be other shards by now
        return records, readable

    def _readable(self) -> list[_Reading]:
        """Return the unfinished shards whose parents are finished or gone."""
        if self._parents is None:
            self._parents = {one["ShardId"]: one.get("ParentShardId") for one in self._describe()}
            self._readings = {
                shard: self._readings.get(shard)
                or _Reading(shard, self._checkpoints.load(self._arn, shard))
                for shard in self._parents
            }
        unread = {one.shard for one in self._readings.values() if not one.checkpoint.finished}
        return [
            self._readings[one]
            for one in self._parents
            if one in unread and self._parents[one] not in unread
        ]

    def _describe(self) -> Iterator[Mapping[str, Any]]:
        start: dict[str, str] = {}
        while True:
            described = self._api.describe_stream(StreamArn=self._arn, **start)["StreamDescription"]
            yield from described["Shards"]
            if "LastEvaluatedShardId" not in described:
                return
            start = {"ExclusiveStartShardId": described["LastEvaluatedShardId"]}

    def _look_at(self, reading: _Reading) -> int:
        """Read, apply and checkpoint the next records of a shard; return their number."""
        answer = self._next_records(reading)
        if answer is None:
            return 0
        records = answer["Records"]
        if records:
            self._apply(records)
        reading.iterator = answer.get("NextShardIterator")
        reading.idle = 0 if records else reading.idle + 1
        last = records[-1]["dynamodb"]["SequenceNumber"] if records else None
        reached = Checkpoint(
            sequence_number=last or reading.checkpoint.sequence_number,
            finished=reading.iterator is None,
        )
        if reached != reading.checkpoint:
            self._checkpoints.save(self._arn, reading.shard, reached)
            reading.checkpoint = reached
        return len(records)

    def _next_records(self, reading: _Reading) -> Mapping[str, Any] | None:
        """Read once; None when the position was invalid and has been replaced."""
        try:
            iterator = reading.iterator or self._iterator(reading)
            return self._api.get_records(ShardIterator=iterator, Limit=self._limit)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code")
            if code not in {_TRIMMED, _EXPIRED, _GONE}:
                raise
        reading.iterator = None
        if code == _TRIMMED:
            self._report(
                f"Records of the shard {reading.shard} were lost: they are older than what the "
                f"stream keeps. Reading goes on with the oldest that is left."
            )
            reading.checkpoint = Checkpoint()
        elif code == _GONE:
            self._report(f"The shard {reading.shard} is gone, with whatever was not read of it.")
            reading.checkpoint = Checkpoint(reading.checkpoint.sequence_number, finished=True)
        return None

    def _iterator(self, reading: _Reading) -> str:
        after = reading.checkpoint.sequence_number
        where = {"ShardIteratorType": "TRIM_HORIZON"}
        if after is not None:
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": after}
        answer = self._api.get_shard_iterator(StreamArn=self._arn, ShardId=reading.shard, **where)
        iterator: str = answer["ShardIterator"]
        return iterator


KEPT_SECONDS = 7 * 24 * 3600
"""How long a checkpoint is kept after its last change; records are kept for one day."""

_SEQUENCE_NUMBER, _FINISHED = "sequence_number", "finished"


@dataclass(frozen=True, slots=True)
class TableCheckpoints:
    """Checkpoints as items of a table, which must not be the one whose stream is read.

    With ``expiry_attribute`` DynamoDB deletes them long after their shards are gone.
    """

    client: "DynamoDBClient"
    table: str
    key: Callable[[str, str], Mapping[str, str]]
    expiry_attribute: str | None = None
    clock: Callable[[], float] = time.time

    def load(self, stream: str, shard: str) -> Checkpoint:
        """Return the checkpoint, read strongly. Raises botocore's errors."""
        key = wire_key(self.key(stream, shard))
        answer = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)
        item = answer.get("Item", {})
        return Checkpoint(
            sequence_number=item.get(_SEQUENCE_NUMBER, {}).get("S"), finished=_FINISHED in item
        )

    def save(self, stream: str, shard: str, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint. Raises botocore's errors."""
        item: dict[str, Any] = dict(wire_key(self.key(stream, shard)))
        if checkpoint.sequence_number is not None:
            item[_SEQUENCE_NUMBER] = {"S": checkpoint.sequence_number}
        if checkpoint.finished:
            item[_FINISHED] = {"BOOL": True}
        if self.expiry_attribute is not None:
            item[self.expiry_attribute] = {"N": str(int(self.clock()) + KEPT_SECONDS)}
        write_item(self.client, put(self.table, item))


@dataclass(frozen=True, slots=True)
class MemoryCheckpoints:
    """Checkpoints in memory, for measurements and tests."""

    kept: dict[tuple[str, str], Checkpoint] = field(default_factory=dict)

    def load(self, stream: str, shard: str) -> Checkpoint:
        return self.kept.get((stream, shard), Checkpoint())

    def save(self, stream: str, shard: str, checkpoint: Checkpoint) -> None:
        self.kept[stream, shard] = checkpoint
