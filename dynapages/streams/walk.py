"""Streams: the changes of a table, read in order and resumed at a checkpoint.

A stream is a tree of shards: when one is closed, its children continue it, and are read after it,
so the records of one item come in the order of its writes. There is no order between items.

Reading is at least once: a checkpoint is saved after the records before it were applied. DynamoDB
keeps records for 24 hours; a later reader starts with the oldest that is left, and reports it.
Follows "Change data capture for DynamoDB Streams" of the Developer Guide.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import ClientError

from dynapages.calls.client import Connection, build_client_of
from dynapages.errors import DynamoError
from dynapages.streams.checkpoints import Checkpoint, Checkpoints

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


def stream_of(client: "DynamoDBClient", table: str) -> str:
    """Return the ARN of a table's stream. Raises NoStream, and botocore's errors."""
    described = client.describe_table(TableName=table)["Table"]
    if not described.get("StreamSpecification", {}).get("StreamEnabled"):
        raise NoStream(f"The table {table} has no stream.")
    return described["LatestStreamArn"]


@dataclass(slots=True)
class _Reading:
    """A shard being read. ``idle`` counts empty responses in a row; ``newest`` is of a record."""

    shard: str
    checkpoint: Checkpoint
    iterator: str | None = None
    idle: int = 0
    newest: datetime | None = None

    def is_at_its_end(self, looks: int, until: datetime | None) -> bool:
        """Return whether so many looks found nothing, and the shard is still open.

        Where it was read beyond ``until``, it is at its end as well.
        """
        if self.checkpoint.finished:
            return False
        is_beyond = until is not None and self.newest is not None and self.newest > until
        return is_beyond or self.idle >= looks


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
        report: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._api = api
        self._arn = arn
        self._checkpoints = checkpoints
        self._apply = apply
        self._limit = limit
        self._pause = pause
        self._report_to = report
        self._sleep = sleep
        self._parents: dict[str, str | None] | None = None
        self._readings: dict[str, _Reading] = {}

    def drain(self, *, looks: int = 3, until: datetime | None = None) -> int:
        """Read until every open shard was empty ``looks`` times in a row; return the records read.

        A table that others keep writing to may never be found empty: with ``until``, an aware
        datetime, a shard is also left when a record of it is later. Amazon may answer with no
        records before the end of a shard. Raises what ``apply`` does, and botocore's errors.
        """
        records = 0
        while True:
            read, readings = self._read_each_shard()
            records += read
            if all(reading.is_at_its_end(looks, until) for reading in readings):
                return records
            if not read:
                self._sleep(self._pause)

    def follow(self) -> Iterator[int]:
        """Read forever; yield the number of records of each round. Raises like `drain`."""
        while True:
            read, _ = self._read_each_shard()
            yield read
            if not read:
                self._sleep(self._pause)

    def _read_each_shard(self) -> tuple[int, list[_Reading]]:
        """Read every readable shard once; return the number of records, and these shards."""
        readable = self._readable()
        records = sum(self._read_and_apply(reading) for reading in readable)
        if not records or any(reading.checkpoint.finished for reading in readable):
            self._parents = None  # there may be other shards by now
        return records, readable

    def _readable(self) -> list[_Reading]:
        """Return the unfinished shards whose parents are finished or gone."""
        if self._parents is None:
            self._parents = {}
            for description in self._describe():
                self._parents[description["ShardId"]] = description.get("ParentShardId")
            self._readings = {shard: self._reading_of(shard) for shard in self._parents}
        unfinished = set()
        for shard, reading in self._readings.items():
            if not reading.checkpoint.finished:
                unfinished.add(shard)
        # A parent that is not described any more is gone with its records, which were read or lost.
        readable = []
        for shard, parent in self._parents.items():
            if shard in unfinished and parent not in unfinished:
                readable.append(self._readings[shard])
        return readable

    def _reading_of(self, shard: str) -> _Reading:
        """Return how far a shard was read here, or by its checkpoint."""
        if shard in self._readings:
            return self._readings[shard]
        return _Reading(shard, self._checkpoints.load(self._arn, shard))

    def _describe(self) -> Iterator[Mapping[str, Any]]:
        """Yield the descriptions of all shards of the stream."""
        start: dict[str, str] = {}
        while True:
            described = self._api.describe_stream(StreamArn=self._arn, **start)["StreamDescription"]
            yield from described["Shards"]
            stop = described.get("LastEvaluatedShardId")
            if not stop:
                return
            start = {"ExclusiveStartShardId": stop}

    def _read_and_apply(self, reading: _Reading) -> int:
        """Read, apply and checkpoint the next records of a shard; return their number."""
        answer = self._next_records(reading)
        if answer is None:
            return 0
        records = answer["Records"]
        sequence_number = reading.checkpoint.sequence_number
        if records:
            self._apply(records)
            reading.idle = 0
            last = records[-1]["dynamodb"]
            sequence_number = last["SequenceNumber"]
            reading.newest = last.get("ApproximateCreationDateTime")
        else:
            reading.idle += 1
        reading.iterator = answer.get("NextShardIterator")
        checkpoint = Checkpoint(sequence_number, finished=reading.iterator is None)
        # After the records were applied, so that none is skipped where this process is killed.
        if checkpoint != reading.checkpoint:
            self._checkpoints.save(self._arn, reading.shard, checkpoint)
            reading.checkpoint = checkpoint
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
        # An iterator that is expired, after 15 minutes, is simply made anew.
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

    def _report(self, sentence: str) -> None:
        if self._report_to is not None:
            self._report_to(sentence)

    def _iterator(self, reading: _Reading) -> str:
        """Return an iterator behind what was read of a shard, or at its oldest record."""
        after = reading.checkpoint.sequence_number
        where = {"ShardIteratorType": "TRIM_HORIZON"}
        if after is not None:
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": after}
        answer = self._api.get_shard_iterator(StreamArn=self._arn, ShardId=reading.shard, **where)
        iterator: str = answer["ShardIterator"]
        return iterator
