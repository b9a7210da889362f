"""Reads of the activity log, month by month, no further back than a page needs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from botocore.exceptions import ClientError

from dynamo.calls.client import client, pool
from dynamo.calls.faults import NotSetUp, fault_in
from dynamo.calls.meter import labelled_calls
from dynamo.lists.reader import PageRequest, PageResult, Segment, SegmentsPlan, read_in_segments
from dynamo.lists.runs import Run
from dynamo.writes.counters import share_of
from shop.activity.entries import Kind, LogEntry, entry_in, kind_in, partition
from shop.activity.tables import Month, months_kept, shards_of
from shop.catalogue.queries import ProductTile, find_tiles
from shop.table import BY_KEY

PLAN = "activity"


def list_activity(
    kinds: Sequence[Kind], request: PageRequest, *, now: datetime
) -> PageResult[LogEntry]:
    """Read a page of the log, newest first: one query for each shard of the kinds in a month."""
    months = {str(month): month for month in months_kept(now)}

    def plan_of(segments: Sequence[Segment], needed: int) -> SegmentsPlan:
        runs = _runs([months[segment.name] for segment in segments], kinds or tuple(Kind))
        return SegmentsPlan(runs, _shares(runs, needed))

    segments = [month.segment for month in months.values()]
    page = read_in_segments(segments, plan_of, request, may_miss_tables=True)
    return PageResult(tuple(entry_in(entry.item) for entry in page.entries), page)


def products_in(entries: Iterable[LogEntry]) -> dict[str, ProductTile]:
    """Read the products that entries are about, half a unit each; deleted ones are left out."""
    with labelled_calls("product names"):
        return find_tiles(e.about for e in entries if e.about and e.kind is not Kind.ORDER)


def _runs(months: Sequence[Month], kinds: Sequence[Kind]) -> list[Run]:
    with labelled_calls("shards"):
        shards = pool().gather([partial(_shards, month) for month in months])
    return [
        Run(index=replace(BY_KEY, table=month.table), partition=partition(kind, shard))
        for month, number in zip(months, shards, strict=True)
        for kind in kinds
        for shard in range(number)
    ]


def _shards(month: Month) -> int:
    try:
        return shards_of(month, client=client())
    except ClientError as error:
        if isinstance(fault_in(error), NotSetUp):
            return 0
        raise


def _shares(runs: Sequence[Run], needed: int) -> list[int]:
    # Of a page that may be of one kind alone.
    shards = Counter(map(_stretch, runs))
    return [share_of(needed, shards[_stretch(run)]) for run in runs]


def _stretch(run: Run) -> tuple[str, str]:
    return run.index.table, kind_in(run.partition)
