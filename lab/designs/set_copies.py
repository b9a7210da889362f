"""The copies of part 1's design, made behind each write by the handler of the table's stream.

The stream is switched on when the table is full. Its records are handled by the code that the
Lambda and ``run_stream`` call, read without a pause: a Lambda polls four times a second.
"""

from collections.abc import Callable, Sequence

from comments.sets.applying import CopyWriter, batches
from comments.sets.models import TABLE
from dynamo.calls.client import build_streams_client, client, patient_client
from dynamo.streams.checkpoints import MemoryCheckpoints
from dynamo.streams.walk import Record, StreamWalk, stream_of
from lab.designs.tables import SOON, Lab, LabTable


def _apply(records: Sequence[Record]) -> None:
    """Write with the client whose calls are redirected and counted."""
    CopyWriter(batches()).apply(records)


def following(lab: Lab, table: LabTable) -> Callable[[], object]:
    """Switch on the stream of a full table; return a function that makes the copies due since."""
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
        checkpoints=MemoryCheckpoints(),
        apply=_apply,
        pause=0.0,
    )
    return lambda: walk.drain(looks=1)
