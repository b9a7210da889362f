"""Consuming the stream of ``comment_sets`` in a process, on any engine that has streams.

On AWS a Lambda does the same (`comments.sets.handler`); both may run at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from comments import keys
from comments.models import Comment
from comments.sets.applying import POOL, Applied, CopyWriter
from comments.sets.models import TABLE
from dynamo.calls.batches import Batches
from dynamo.calls.client import build_streams_client, client
from dynamo.streams.checkpoints import TableCheckpoints
from dynamo.streams.walk import Record, StreamWalk, stream_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

RECORDS_AT_ONCE = 100
"""Records between two checkpoints, which may ask for 31 writes each."""


@dataclass(slots=True)
class Consumer:
    """Writes the copies that the stream asks for, and counts them.

    It continues from the checkpoints of the last consumer, which are in the table ``comments``: in
    ``comment_sets`` they would cause records of their own. ``pause`` is the time in seconds between
    two reads of an empty stream; ``report`` is called with a sentence when records were lost.
    Calls have the time limits of a page: a connection gone silent is given up within half a minute.
    """

    pause: float = 1.0
    report: Callable[[str], None] = lambda _sentence: None
    records: int = 0
    applied: Applied = field(default_factory=Applied)
    client: "DynamoDBClient" = field(default_factory=client)

    def walk(self) -> StreamWalk:
        """Return the walk from the checkpoints. Raises NoStream, and botocore's errors."""
        return StreamWalk(
            api=build_streams_client(),
            arn=stream_of(self.client, TABLE),
            checkpoints=TableCheckpoints(
                client=self.client,
                table=Comment.Meta.table_name,
                key=keys.checkpoint,
                expiry_attribute=Comment.expires_at.attr_name,
            ),
            apply=self._apply,
            limit=RECORDS_AT_ONCE,
            pause=self.pause,
            report=self.report,
        )

    def _apply(self, records: Sequence[Record]) -> None:
        self.applied += CopyWriter(Batches(self.client, POOL)).apply(records)
        self.records += len(records)

    def as_dict(self) -> dict[str, int]:
        """Return the counts for a report."""
        return {
            "records": self.records,
            "comments": self.applied.primaries,
            "copies_put": self.applied.puts,
            "copies_deleted": self.applied.deletes,
        }
