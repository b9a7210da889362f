"""Checkpoints: how far the shards of streams were read, in a table or in memory."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dynapages.calls.client_types import ItemClient
from dynapages.items import wire_key
from dynapages.writes.transactions import put, write_item

CHECKPOINT_SECONDS = 7 * 24 * 3600
"""How long a checkpoint stays after its last change; records stay for one day."""
_SEQUENCE_NUMBER = "sequence_number"
_FINISHED = "finished"


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


@dataclass(frozen=True, slots=True)
class TableCheckpoints:
    """Checkpoints as items of a table, which must not be the one whose stream is read.

    With ``expiry_attribute`` DynamoDB deletes them long after their shards are gone.
    """

    client: ItemClient = field(repr=False)
    table: str
    key: Callable[[str, str], Mapping[str, str]] = field(repr=False)
    expiry_attribute: str | None = None
    clock: Callable[[], float] = field(default=time.time, repr=False)

    def load(self, stream: str, shard: str) -> Checkpoint:
        """Return the checkpoint, read strongly. Raises botocore's errors."""
        key = wire_key(self.key(stream, shard))
        # Strongly: an older checkpoint would have records applied again.
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
            item[self.expiry_attribute] = {"N": str(int(self.clock()) + CHECKPOINT_SECONDS)}
        write_item(self.client, put(self.table, item))


@dataclass(frozen=True, slots=True)
class MemoryCheckpoints:
    """Checkpoints in memory, for measurements and tests."""

    saved: dict[tuple[str, str], Checkpoint] = field(default_factory=dict)

    def load(self, stream: str, shard: str) -> Checkpoint:
        return self.saved.get((stream, shard), Checkpoint())

    def save(self, stream: str, shard: str, checkpoint: Checkpoint) -> None:
        self.saved[stream, shard] = checkpoint
