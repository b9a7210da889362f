"""Consuming the stream of ``comment_sets`` from a process of ours, on any engine that has streams.

On AWS a Lambda does the same (`comments.sets.handler`); both at once do no harm.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from comments import keys
from comments.models import Comment
from comments.sets.applying import POOL, Applied, CopyWriter
from comments.sets.models import TABLE
from dynamo.calls.batches import Batches
from dynamo.calls.client import build_streams_client, patient_client
from dynamo.streams.checkpoints import TableCheckpoints
from dynamo.streams.walk import Record, StreamWalk, stream_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

RECORDS_AT_ONCE = 100
"""Records between two checkpoints, which may ask for 31 writes each."""


@dataclass(slots=True)
class Consumer:
    """Makes the copies that the stream asks for, and counts them.

    It goes on where the last consumer of this stream was, whose checkpoints are in the table
    ``comments``: in ``comment_sets`` they would make records of their own. ``pause`` is the time
    in seconds between two looks at a stream that gave nothing; ``report`` is told in a sentence
    when records were lost.
    """

    pause: float = 1.0
    report: Callable[[str], None] = lambda _sentence: None
    records: int = 0
    applied: Applied = field(default_factory=Applied)
    client: "DynamoDBClient" = field(default_factory=patient_client)

    def walk(self) -> StreamWalk:
        """Begin where the checkpoints are. Raises NoStream, and botocore's errors."""
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
        """Give the counts for a report."""
        return {
            "records": self.records,
            "comments": self.applied.primaries,
            "copies_put": self.applied.puts,
            "copies_deleted": self.applied.deletes,
        }
