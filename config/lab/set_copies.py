"""The copies of part 1's design, made behind each write by the handler of the table's stream.

The stream is switched on when the table is full. What is read from it calls the very code that the
Lambda and ``run_stream`` call, without a pause between two looks: Lambda looks four times a second.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from comments.sets.applying import TABLE, CopyWriter
from config.lab.tables import SOON, Lab, LabTable
from dynamo.batches import Batches
from dynamo.client import build_streams_client, client, patient_client, pool
from dynamo.streams import Checkpoint, Record, StreamWalk, stream_of


@dataclass(frozen=True, slots=True)
class _Remembered:
    """Checkpoints in memory: the table lives no longer than this process."""

    kept: dict[str, Checkpoint] = field(default_factory=dict)

    def load(self, stream: str, shard: str) -> Checkpoint:
        del stream
        return self.kept.get(shard, Checkpoint())

    def save(self, stream: str, shard: str, checkpoint: Checkpoint) -> None:
        del stream
        self.kept[shard] = checkpoint


def _apply(records: Sequence[Record]) -> None:
    CopyWriter(Batches(client(), pool())).apply(records)


def following(lab: Lab, table: LabTable) -> Callable[[], object]:
    """Switch on the stream of a full table; give what makes the copies of all that came since."""
    patient = patient_client()
    patient.update_table(
        TableName=table.name,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    patient.get_waiter("table_exists").wait(TableName=table.name, WaiterConfig=SOON)
    with lab.redirection.to(table.in_place):
        arn = stream_of(client(), TABLE)
    walk = StreamWalk(
        api=build_streams_client(),
        arn=arn,
        checkpoints=_Remembered(),
        apply=_apply,
        pause=0.0,
    )
    return lambda: walk.drain(looks=1)
