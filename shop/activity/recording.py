"""Recording of log entries: `record` queues one, and a thread of this process writes it.

See `dynamo.writes.background` for what is guaranteed.
"""

import atexit
from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.conf import settings

from dynamo.calls import clock
from dynamo.calls.backoff import Backoff
from dynamo.calls.batches import Batches
from dynamo.calls.client import background_client, pool
from dynamo.calls.faults import FAILURES, NotSetUp, fault_in
from dynamo.errors import DynamoError
from dynamo.writes.background import BackgroundWrites
from dynamo.writes.leftovers import LeftoverFiles
from shop.activity.entries import LogEntry, entry_in_line, line_of
from shop.activity.months import Month
from shop.activity.tables import forget_shards, settle_shards

HINT = "“manage.py rotate_activity_tables” makes the log's tables; run it every day."
AT_EXIT_SECONDS = 5.0
PATIENCE = Backoff(attempts=4)
"""Of one attempt; the queue tries again."""


class NoTable(DynamoError):
    """The entry's month has no table, and will get none."""


def write_entries(entries: Iterable[LogEntry]) -> None:
    """Write entries, each to its month's table; repeatable.

    Raises NoTable, BatchIncomplete and botocore's errors; some entries may be written then.
    """
    by_month: dict[Month, dict[str, LogEntry]] = defaultdict(dict)
    for entry in entries:
        by_month[entry.month][entry.place] = entry
    for month, unique in by_month.items():
        _write(month, list(unique.values()))


def _write(month: Month, entries: Sequence[LogEntry]) -> None:
    client = background_client()
    batches = Batches(client, pool(), backoff=PATIENCE)
    try:
        shards = settle_shards(month, client=client)
        batches.put(month.table, [entry.item(shards=shards) for entry in entries])
    except FAILURES as failure:
        if isinstance(fault_in(failure), NotSetUp):
            forget_shards(month)
            _require_future_table(month)
        raise


def _require_future_table(month: Month) -> None:
    this = Month.of(clock.now())
    if month not in {this, this.plus(1)}:
        raise NoTable(f"There is no table {month.table}.") from None


BATCH = 25
"""What one call takes: there are no threads for several at the end of a process."""
LOG: BackgroundWrites[LogEntry] = BackgroundWrites(
    write_entries,
    name="The activity log",
    hint=HINT,
    batch=BATCH,
    alike=lambda entry: entry.month,
    leftovers=LeftoverFiles(
        lambda: settings.VAR_DIR, name="activity-log", dump=line_of, load=entry_in_line
    ),
)
"""This process's queue."""
atexit.register(LOG.close, seconds=AT_EXIT_SECONDS)


def record(entry: LogEntry) -> None:
    """Queue an entry to be written; takes microseconds and never fails."""
    LOG.put(entry)
