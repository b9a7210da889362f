"""Checkpoints of streams (see `dynamo.streams.walk`): in a table, or in memory."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dynamo.items import wire_key
from dynamo.streams.walk import Checkpoint
from dynamo.writes.actions import put
from dynamo.writes.updates import write_one

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

KEPT_SECONDS = 7 * 24 * 3600
"""How long a checkpoint is kept after its last change; records are kept for one day."""

_SEQUENCE_NUMBER, _FINISHED = "sequence_number", "finished"


@dataclass(frozen=True, slots=True)
class TableCheckpoints:
    """Checkpoints as items of a table, which must not be the one whose stream is read.

    ``key(stream, shard)`` returns the table key of a checkpoint. With ``expiry_attribute`` DynamoDB
    deletes them long after their shards are gone; a missing one only means a replay.
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
        write_one(self.client, put(self.table, item))


@dataclass(frozen=True, slots=True)
class MemoryCheckpoints:
    """Checkpoints in memory, for measurements and tests."""

    kept: dict[tuple[str, str], Checkpoint] = field(default_factory=dict)

    def load(self, stream: str, shard: str) -> Checkpoint:
        return self.kept.get((stream, shard), Checkpoint())

    def save(self, stream: str, shard: str, checkpoint: Checkpoint) -> None:
        self.kept[stream, shard] = checkpoint
