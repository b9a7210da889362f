"""The integrity of copies that were written lately: of the comments that the table's stream names.

Whatever changes ``comment_sets`` leaves a record, whoever wrote it: a comment's transaction, the
stream's consumer, a repair. So of all comments whose items were changed within some hours none is
left out, deleted ones included. Each is compared whole, as `comments.sets.integrity` does.
What no record tells of is not seen: a comment that was written without its primary, as by a site
that reads its lists by the indexes, and whatever is older.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from comments.sets.integrity import COMPARED_AT_ONCE, StoredSets, reread
from comments.sets.models import TABLE
from comments.store.differences import describe_comments
from dynapages.calls import clock, in_chunks
from dynapages.django.options import Advance, Progress
from dynapages.errors import DynamoError
from dynapages.process import client, current_connection, pool
from dynapages.streams import (
    MemoryCheckpoints,
    Record,
    StreamsApi,
    StreamWalk,
    build_streams_client,
    stream_of,
)
from dynapages.upkeep import Difference

MOST_HOURS = 23
"""A stream keeps its records for 24: in the last of them they disappear while they are read."""
SETTLED = timedelta(minutes=1)
"""How long copies may take to follow. What was written later may differ and yet be in order."""
LOOKS, PAUSE = 10, 0.2
"""How often in a row a shard must be empty, and the seconds between two looks.

Amazon may have no answer for a part of a shard without records, and some behind it.
"""


class StreamIsYounger(DynamoError):
    """The stream does not reach back as far as a check would."""

    def __init__(self, created_at: datetime) -> None:
        super().__init__(
            f"The stream of comment_sets exists since {created_at.isoformat(timespec='seconds')}: "
            "of what was written before there is no record. Check the whole table: "
            "“manage.py check_integrity --model sets”."
        )


@dataclass(slots=True)
class LatestWrites:
    """The keys of comments, each with the moment of the latest record of one of its items.

    Records before ``since`` are passed over. ``advance`` is called with the number of those read.
    """

    since: datetime
    advance: Advance
    moments: dict[str, datetime] = field(default_factory=dict)

    def add(self, records: Sequence[Record]) -> None:
        """Note the comments of records."""
        for record in records:
            change = record["dynamodb"]
            moment: datetime = change["ApproximateCreationDateTime"]
            if moment >= self.since:
                key: str = change["Keys"]["pk"]["S"]
                self.moments[key] = max(moment, self.moments.get(key, moment))
        self.advance(len(records))


def recent_differences(
    hours: int, progress: Progress, api: StreamsApi | None = None
) -> Iterator[Difference]:
    """Compare the set items of the comments that were written within so many hours.

    ``hours`` are 1 to `MOST_HOURS`. What differs and was written within the last minute is yielded
    as busy: a later check, whose hours overlap with these, looks at it again. ``api`` is by default
    a client of DynamoDB Streams. Raises NoStream, StreamIsYounger and botocore's errors.
    """
    began = clock.now()
    # Records are dated to the second, rounded down.
    since = (began - timedelta(hours=hours)).replace(microsecond=0)
    api = api or build_streams_client(current_connection())
    moments = _latest_writes(api, since, began, progress)
    with progress.step("Comparing", total=len(moments), unit=" comments") as advance:
        for some in in_chunks(sorted(moments), COMPARED_AT_ONCE):
            for sets in pool().map(StoredSets.read, some):
                if not sets.differs():
                    continue
                if moments[sets.key] > began - SETTLED:
                    yield Difference.busy("copies", describe_comments([sets.key]))
                else:
                    yield from reread(sets.key)
            advance(len(some))


def _latest_writes(
    api: StreamsApi, since: datetime, began: datetime, progress: Progress
) -> dict[str, datetime]:
    arn = stream_of(client(), TABLE)
    described = api.describe_stream(StreamArn=arn)["StreamDescription"]
    created_at: datetime = described["CreationRequestDateTime"]
    if created_at > since:
        raise StreamIsYounger(created_at)
    with progress.step("Reading the stream", total=0, unit=" records") as advance:
        latest = LatestWrites(since, advance)
        # From its oldest record on: a stream cannot be entered at a moment.
        walk = StreamWalk(
            api=api, arn=arn, checkpoints=MemoryCheckpoints(), apply=latest.add, pause=PAUSE
        )
        walk.drain(looks=LOOKS, until=began)
    return latest.moments
