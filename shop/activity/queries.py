"""Reads of the activity log: a page of it, merged from the series and shards of its months."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from botocore.exceptions import ClientError

from dynapages.calls import NotSetUp, fault_in, labelled_calls
from dynapages.lists import (
    OneOf,
    PageRequest,
    PageResult,
    Run,
    Segment,
    SegmentsPlan,
    first_reads_of,
)
from dynapages.process import client, pool, read_in_segments
from shop.activity.entries import Kind, LogEntry, entry_in, partition_key
from shop.activity.months import Month, retained_months
from shop.activity.shards import find_shards
from shop.days import ALL_DAYS, Days
from shop.table import BY_KEY

PLAN = "activity"
"""The name of the log in explanations."""
MOST_UNITS = 4.0
"""Of a page of some kinds, which may have to drop many others: it is short then, and goes on."""
LARGEST_ENTRY = 256
"""Bytes of an entry, for that limit."""
READ_FOR_ONE = {Kind.ORDER: 2, Kind.COMMENT: 6}
"""Entries of the main series read for one of a kind: an order makes several, a comment one."""


def list_activity(
    kinds: Sequence[Kind], request: PageRequest, *, now: datetime, days: Days = ALL_DAYS
) -> PageResult[LogEntry]:
    """Read a page of the log, newest first: one query for each series and shard of a month.

    Entries of the series that are of other ``kinds`` are dropped. Of months without any of the
    ``days`` nothing is read.
    """
    # Places begin with the date: a day sorts in front of all that happened on it.
    since = days.since.isoformat() if days.since else None
    until = days.until.isoformat() if days.until else None
    months = {str(month): month for month in retained_months(now)}

    def plan_of(segments: Sequence[Segment], needed: int) -> SegmentsPlan:
        """Return the runs of some months, and how many entries each reads first."""
        series = _series_of([months[segment.name] for segment in segments], kinds)
        runs: list[Run] = []
        first_reads: list[int] = []
        for each in series:
            runs += each.runs(since=since, until=until)
            first_reads += each.first_reads(needed)
        return SegmentsPlan(runs, first_reads)

    segments = _segments_between(months.values(), since, until)
    page = read_in_segments(segments, plan_of, request, may_miss_tables=True)
    return PageResult(tuple(entry_in(entry.item) for entry in page.entries), page)


def within_limit(request: PageRequest, kinds: Sequence[Kind]) -> PageRequest:
    """Return the request of a page of some kinds that drops no more than `MOST_UNITS` pay for."""
    if not kinds:
        return request
    return replace(request, most_units=MOST_UNITS, largest_item=LARGEST_ENTRY)


def _segments_between(
    months: Iterable[Month], since: str | None, until: str | None
) -> list[Segment]:
    """Return the segments of the months that have some of the days, both ends as ISO dates."""
    segments = []
    for month in months:
        # Compared as texts: dates in ISO form sort as they follow one another.
        begins_in_time = until is None or f"{month}-01" < until
        ends_in_time = since is None or month.segment.until > since
        if begins_in_time and ends_in_time:
            segments.append(month.segment)
    return segments


@dataclass(frozen=True, slots=True)
class _Series:
    """A series of a month, and the kinds that are to be kept of its entries; () for all."""

    month: Month
    name: str
    shards: int
    kept_kinds: tuple[Kind, ...]

    def runs(self, *, since: str | None, until: str | None) -> list[Run]:
        """Return the run of each shard, with a filter where some kinds are dropped."""
        # All month tables have the keys of the table ``shop``.
        index = replace(BY_KEY, table=self.month.table)
        keep: tuple[OneOf, ...] = ()
        if self.kept_kinds:
            keep = (OneOf("kind", tuple({"S": kind.value} for kind in self.kept_kinds)),)
        return [
            Run(
                index=index,
                partition=partition_key(self.name, shard),
                keep=keep,
                since=since,
                until=until,
            )
            for shard in range(self.shards)
        ]

    def first_reads(self, needed: int) -> list[int]:
        """Return how many entries each shard reads first, of a page that needs so many."""
        reads_for_one = 1
        if self.kept_kinds:  # the page may be of the first of them alone
            reads_for_one = READ_FOR_ONE[self.kept_kinds[0]]
        return [limit * reads_for_one for limit in first_reads_of(needed, [1] * self.shards)]


def _series_of(months: Sequence[Month], kinds: Sequence[Kind]) -> list[_Series]:
    """Return the series of the months' logs that hold entries of ``kinds``; () is all kinds.

    How many shards a month has is read once in a process. Months without a table have no series.
    """
    with labelled_calls("shards"):
        # `_shards_or_none` remembers them: a month's number of shards never changes.
        numbers = pool().map(_shards_or_none, months)
    series = []
    for month, shards in zip(months, numbers, strict=True):
        if shards:
            for name, kept_kinds in _kinds_by_series(kinds):
                series.append(_Series(month, name, shards, kept_kinds))
    return series


def _kinds_by_series(kinds: Sequence[Kind]) -> Iterator[tuple[str, tuple[Kind, ...]]]:
    """Yield the series that hold some kinds, each with those to keep of it; () for all."""
    chosen = kinds or tuple(Kind)
    for name in dict.fromkeys(kind.series for kind in chosen):
        in_series = [kind for kind in Kind if kind.series == name]
        kept = tuple(kind for kind in in_series if kind in chosen)
        yield name, () if len(kept) == len(in_series) else kept


def _shards_or_none(month: Month) -> int:
    """Return in how many shards a month's entries are; 0 where it has no table."""
    try:
        return find_shards(month, client=client())
    except ClientError as error:
        if isinstance(fault_in(error), NotSetUp):
            return 0
        raise
