"""``bench checks``: the cost of checking all copies of comments, and those of recent changes alone.

The sample shop's comments are loaded with their copies, and then some are posted, edited and
deleted. One copy is taken away, which every check must find. What larger tables take is computed:
a check of everything grows with the table, one of recent changes with these.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from time import perf_counter
from typing import Any

from django.conf import settings
from django.test import override_settings

from comments import keys
from comments.data.writer import BulkWriter, bounded_chunks
from comments.filters import RATINGS
from comments.host import SETS
from comments.integrity.comments import comment_differences
from comments.items import NewComment
from comments.models import Comment
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.sets.copies import AUTO, Consumer, copies_of
from comments.sets.integrity import set_differences
from comments.sets.models import TABLE, CommentSetItem
from comments.sets.recent import recent_differences
from comments.store.comments import load_comment
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from dynapages.calls import Batches, metered
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.lists import timestamp
from dynapages.process import client, connected, current_connection, pool
from dynapages.streams import StreamsApi, build_streams_client
from dynapages.tables import create_missing
from dynapages.upkeep import Difference, every_item
from lab.bench.engines import engine_version, local_connection, require_binary, running_engine
from lab.bench.readers import WrongAnswer
from lab.designs.measuring import put_items, query_by_key
from lab.sets.figures import RECENT, WHOLE_COMMENTS, WHOLE_SETS, Check, CheckFigures
from shop.activity.tables import make_tables
from shop.catalogue.services import ensure_products
from shop.models import ShopItem

COMMENTS = 6_000
POSTED, EDITED, RATED, DELETED = 40, 10, 5, 5
"""The changes of an hour."""
_FURTHER_BACK = timedelta(days=1)
"""By how much the stream of the lab is taken for older than it is: no check would begin else."""


# The shop.


@contextmanager
def loaded_shop(comments: Sequence[NewComment], now: datetime) -> Iterator[None]:
    """Load comments with their copies into an engine in memory, and switch the stream on."""
    sets = {**settings.COMMENTS, "READ_MODEL": SETS}
    with (
        running_engine() as url,
        connected(local_connection(url)),
        override_settings(COMMENTS=sets),
    ):
        create_missing([ShopItem, Comment, CommentSetItem], client=client(), streams=False)
        make_tables(client=client(), now=now)
        ensure_products(product_ids={comment.product_id for comment in comments})
        writer = BulkWriter(Batches(client(), pool()))
        for chunk in bounded_chunks(comments):
            writer.write(chunk)
        writer.finish(Progress(shown=False))
        put_items(TABLE, _missing_copies())
        create_missing([CommentSetItem], client=client())
        yield


def _missing_copies() -> Iterator[Item]:
    # Read whole before the first is put: else the Scan would come upon what is put.
    primaries = list(every_item(client(), TABLE))
    for primary in primaries:
        yield from copies_of(primary)


def change_some(comments: Sequence[NewComment], now: datetime) -> int:
    """Post, edit and delete comments as their authors do; return the number of changes."""
    changed = iter(comments)
    for number in range(POSTED):
        comment = next(changed)
        add_comment(replace(comment, id=f"posted-{number}", created_at=now))
    for _ in range(EDITED):
        edit_comment(load_comment(next(changed).id), now=now, title="Written again")
    for _ in range(RATED):
        stored = load_comment(next(changed).id)
        edit_comment(stored, now=now, rating=stored.comment.rating % len(RATINGS) + 1)
    for _ in range(DELETED):
        delete_comment(next(changed).id, now=now)
    Consumer(pause=0.0).walk().drain()
    return POSTED + EDITED + RATED + DELETED


def lose_a_copy(comment_id: str) -> None:
    """Delete a copy, as if the stream's handler had not written it."""
    stored = query_by_key(TABLE, {"pk": {"S": keys.comment(comment_id)}})
    copy = next(item for item in stored if AUTO in item)
    client().delete_item(TableName=TABLE, Key={"pk": copy["pk"], "sk": copy["sk"]})


# The stream.


class CountedStreams:
    """DynamoDB Streams with what is read of them: calls of GetRecords, records, their bytes."""

    def __init__(self, api: StreamsApi) -> None:
        self._api = api
        self.calls = 0
        self.records = 0
        self.bytes = 0

    def describe_stream(self, **parameters: Any) -> Mapping[str, Any]:  # noqa: ANN401 - botocore's
        description = self._api.describe_stream(**parameters)["StreamDescription"]
        created_at = description["CreationRequestDateTime"] - _FURTHER_BACK
        return {"StreamDescription": {**description, "CreationRequestDateTime": created_at}}

    def get_shard_iterator(self, **parameters: Any) -> Mapping[str, Any]:  # noqa: ANN401 - same
        return self._api.get_shard_iterator(**parameters)

    def get_records(self, **parameters: Any) -> Mapping[str, Any]:  # noqa: ANN401 - same
        answer = self._api.get_records(**parameters)
        self.calls += 1
        for record in answer["Records"]:
            self.records += 1
            self.bytes += record["dynamodb"]["SizeBytes"]
        return answer


# The measuring.


def measure_checks(*, now: datetime, progress: Progress) -> CheckFigures:
    """Measure the checks. Raises EngineError, and WrongAnswer where one finds something else."""
    quiet = Progress(shown=False)
    comments = list(sample_comments(sample_catalogue(), count=COMMENTS, now=now))
    with (
        progress.step("Loading and checking", total=4, unit=" steps") as advance,
        loaded_shop(comments, now),
    ):
        changes = change_some(comments, now)
        lose_a_copy("posted-0")
        advance(1)
        stream = CountedStreams(build_streams_client(current_connection()))
        recent = measure(RECENT, partial(recent_differences, 1, quiet, stream), "posted-0")
        advance(1)
        whole_sets = measure(WHOLE_SETS, partial(set_differences, quiet), "posted-0")
        advance(1)
        whole_comments = measure(WHOLE_COMMENTS, comment_differences, None)
        advance(1)
    return CheckFigures(
        taken_at=timestamp(now),
        engine=f"{engine_version(require_binary())} in memory",
        comments=COMMENTS + POSTED - DELETED,
        changes=changes,
        records=stream.records,
        record_bytes=stream.bytes,
        checks=(whole_comments, whole_sets, recent),
    )


def measure(name: str, check: Callable[[], Iterable[Difference]], lost: str | None) -> Check:
    """Measure a check, which must find the lost copy of that comment, and nothing else."""
    began = perf_counter()
    with metered() as meter:
        found = [difference for difference in check() if not difference.is_hint]
    seconds = perf_counter() - began
    subjects = [difference.subject for difference in found]
    if subjects != ([] if lost is None else [f"comment {lost}"]):
        raise WrongAnswer(f"The check of {name} found {subjects}.")
    return Check(name, meter.calls, meter.amazon_units, round(seconds, 1))
