"""The check of the activity log: the counts of its days, compared with its entries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from dynapages.calls import NotSetUp, clock, fault_in
from dynapages.process import client, write_actions
from dynapages.pynamodb import FAILURES
from dynapages.upkeep import Candidate, Difference, Handlers, Kind, compare
from dynapages.writes import ConditionFailed
from shop.activity.day_counts import COUNTER, counted, counters_of
from shop.activity.entries import Kind as EntryKind
from shop.activity.entries import LogEntry, entry_in, partition_key
from shop.activity.months import Month, retained_months
from shop.activity.shards import find_shards


def activity_kinds() -> Sequence[Kind]:
    """Return the counts of the months that the log keeps."""
    return (_DayCounts(),)


@dataclass(frozen=True, slots=True)
class _DayCounts:
    """The counter of each month's table, and what its entries say.

    Each month's entries are read twice: the table ``shop`` has nothing of them.
    """

    def handlers(self) -> Handlers:
        return {}

    def candidates(self) -> Iterator[Candidate]:
        for month in retained_months(clock.now()):
            yield Candidate(partial(_differences, month))


def _differences(month: Month) -> Iterator[Difference]:
    """Compare a month's counter with its entries; nothing for a month without a table."""
    try:
        yield from _compared(month)
    except FAILURES as failure:
        if not isinstance(fault_in(failure), NotSetUp):
            raise


def _compared(month: Month) -> Iterator[Difference]:
    counters = counters_of(month, client())
    before = counters.read(COUNTER, consistent=True)
    cells = counted(_entries_of(month))
    if counters.read(COUNTER, consistent=True) != before:
        yield Difference.busy("counts", _subject(month))
        return
    yield from compare(
        "counts",
        _subject(month),
        before,
        cells,
        repair=partial(_correct, month, before),
        missing=0,
    )


def _correct(month: Month, seen: Mapping[str, int], cells: Mapping[str, int]) -> None:
    """Set cells of a month's counter unless it is not as ``seen`` any more."""
    counters = counters_of(month, client())
    # Built first: they fail if a shard is changed between this read and the write.
    actions = counters.set_sums(COUNTER, cells)
    if counters.read(COUNTER, consistent=True) != seen:
        raise ConditionFailed({})
    if actions:
        write_actions(actions)


def _entries_of(month: Month) -> Iterator[LogEntry]:
    """Yield all entries of a month, strongly read."""
    shards = find_shards(month, client=client())
    pages = client().get_paginator("query")
    for series in sorted({kind.series for kind in EntryKind}):
        for shard in range(shards):
            answers = pages.paginate(
                TableName=month.table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": partition_key(series, shard)}},
                ConsistentRead=True,
            )
            for answer in answers:
                for item in answer["Items"]:
                    yield entry_in(item)


def _subject(month: Month) -> str:
    return f"the days of {month}"
