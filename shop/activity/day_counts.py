"""How many orders were placed and comments written on each day, as the activity log has them.

A month's table has one counter besides its entries (`dynapages.writes.counters`). A day (UTC) has
three cells: ``28o`` counts its orders, ``28c`` its comments, and ``28s`` the stars of these. An
entry and its count are written, and deleted, in one transaction: the counter is exact whenever the
log is. It counts what was done: a comment that is deleted later was still written that day.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from dynapages.calls import Batches, NotSetUp, Pool, fault_in, labelled_calls
from dynapages.process import page_batches, pool
from dynapages.pynamodb import FAILURES
from dynapages.writes import Counters
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.months import Month

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

COUNTER = "DAYS"
"""The name of each month's counter, and how the keys of its shards begin."""
DAYS_SHOWN = 30
MOST_SHARDS = 4
"""Of a month's counter, where many write at once; the next month begins with one again."""
ORDERS, COMMENTS, STARS = "o", "c", "s"
"""What cells count; one letter keeps a month's item below 1 KB."""
WRITTEN = frozenset({LogVerb.POSTED, LogVerb.HELD})
"""What is logged of a new comment; one that is held first is written once as well."""
_ONE_AT_A_TIME = Pool(1)


@dataclass(frozen=True, slots=True)
class DayCount:
    """What was done on a day (UTC): orders placed, comments written, and the stars of these."""

    day: date
    orders: int = 0
    comments: int = 0
    stars: int = 0

    @property
    def average(self) -> float | None:
        """The mean rating of the day's comments, None without any."""
        if not self.comments:
            return None
        return self.stars / self.comments


def cells_of(entry: LogEntry) -> dict[str, int]:
    """Return what an entry adds to the counter of its month; most entries add nothing."""
    day = entry.moment.astimezone(UTC).strftime("%d")
    if entry.kind is Kind.ORDER and entry.action is LogVerb.PLACED:
        return {f"{day}{ORDERS}": 1}
    if entry.action in WRITTEN and entry.became.isdecimal():
        return {f"{day}{COMMENTS}": 1, f"{day}{STARS}": int(entry.became)}
    return {}


def without(cells: Mapping[str, int]) -> dict[str, int]:
    """Return what takes back what an entry has added."""
    return {cell: -number for cell, number in cells.items()}


def counters_of(month: Month, client: "DynamoDBClient") -> Counters:
    """Return the counters of a month's table, to be changed by a client."""
    return _counters(month.table, client)


def read_days(now: datetime, days: int = DAYS_SHOWN) -> list[DayCount]:
    """Read the counts of the last days, today's last, in one round: half a unit for each month.

    A month without a table has none. Eventually consistent.
    """
    today = now.astimezone(UTC).date()
    dates = [today - timedelta(days=back) for back in reversed(range(days))]
    months = sorted({Month(day.year, day.month) for day in dates})
    with labelled_calls("days"):
        sums = dict(zip(months, pool().map(_sums_of, months), strict=True))
    return [_count_of(day, sums[Month(day.year, day.month)]) for day in dates]


def counted(entries: Iterator[LogEntry]) -> dict[str, int]:
    """Count the entries of a month anew."""
    cells: Counter[str] = Counter()
    for entry in entries:
        cells.update(cells_of(entry))
    return dict(cells)


def _count_of(day: date, cells: Mapping[str, int]) -> DayCount:
    name = f"{day:%d}"
    return DayCount(
        day,
        # A counter may be below zero for a moment, while transactions meet.
        orders=max(cells.get(name + ORDERS, 0), 0),
        comments=max(cells.get(name + COMMENTS, 0), 0),
        stars=max(cells.get(name + STARS, 0), 0),
    )


def _sums_of(month: Month) -> Mapping[str, int]:
    """Read a month's counter; empty where the month has no table."""
    try:
        return _page_counters(page_batches(), month.table).read(COUNTER)
    except FAILURES as failure:
        if isinstance(fault_in(failure), NotSetUp):
            return {}
        raise


def _key(name: str, shard: int) -> Mapping[str, str]:
    key = f"{name}#{shard}"
    return {"pk": key, "sk": key}


@lru_cache(maxsize=64)
def _page_counters(batches: Batches, table: str) -> Counters:
    # Once for each client and month: they remember how far they are spread.
    return Counters(batches, table, _key, most_shards=MOST_SHARDS)


@lru_cache(maxsize=16)
def _counters(table: str, client: "DynamoDBClient") -> Counters:
    return Counters(Batches(client, _ONE_AT_A_TIME), table, _key, most_shards=MOST_SHARDS)
