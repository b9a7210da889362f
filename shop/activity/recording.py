"""Recording: one call where something happens, which does not wait for it to be written.

See `dynamo.writes.background` for what is promised. `record` puts an entry into a queue; a thread of this
process writes it, at most a moment later.
"""

import atexit
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from dynamo.calls.backoff import Backoff
from dynamo.calls.batches import Batches
from dynamo.calls.client import background_client, pool
from dynamo.calls.faults import FAILURES, NotSetUp, fault_in
from dynamo.errors import DynamoError
from dynamo.writes.background import BackgroundWrites
from shop.activity.entries import LogEntry
from shop.activity.months import Month
from shop.activity.tables import forget_shards, settle_shards

HINT = "“manage.py rotate_activity_tables” makes the log's tables; run it every day."
AT_EXIT_SECONDS = 5.0
PATIENCE = Backoff(attempts=4)
"""Within one attempt; the queue tries again."""


class NoTable(DynamoError):
    """An entry is of a month that has no table, and will get none."""


def write_entries(entries: Iterable[LogEntry]) -> None:
    """Write entries, each to its month's table. Writing one again changes nothing.

    Raises NoTable, BatchIncomplete, and botocore's errors when a table is missing or DynamoDB is
    away; then some may be written.
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
            _require_that_it_will_be_there(month)
        raise


def _require_that_it_will_be_there(month: Month) -> None:
    """Raise NoTable for a month that nobody makes a table for any more: waiting is in vain."""
    this = Month.of(datetime.now(UTC))
    if month not in {this, this.plus(1)}:
        raise NoTable(f"There is no table {month.table}.") from None


BATCH = 25
"""One call's worth: at the end of a process, there are no threads for several at once."""
LOG: BackgroundWrites[LogEntry] = BackgroundWrites(
    write_entries,
    name="The activity log",
    hint=HINT,
    batch=BATCH,
    alike=lambda entry: entry.month,
)
"""This process's queue."""
atexit.register(LOG.close, seconds=AT_EXIT_SECONDS)


def record(entry: LogEntry) -> None:
    """Have an entry written soon. Takes microseconds, never fails."""
    LOG.put(entry)
