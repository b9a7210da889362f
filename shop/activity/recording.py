"""Recording of log entries: `record` queues one, and a thread of this process writes it.

See `shop.background` for what is guaranteed. An entry replaces none: what has its key
already is the same entry, sent twice because an answer was lost.
"""

import atexit
import logging
from typing import TYPE_CHECKING

from django.conf import settings

from dynapages.calls import NotSetUp, clock, fault_in
from dynapages.errors import DynamoError
from dynapages.items import Item
from dynapages.process import background_client
from dynapages.pynamodb import FAILURES
from dynapages.writes import ConditionFailed, put, write_one
from shop.activity.entries import LogEntry, entry_in_line, line_of
from shop.activity.tables import Activity, Month, forget_shards, settle_shards
from shop.background import BackgroundWrites, Spool

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

HINT = "“manage.py rotate_activity_tables” makes the log's tables; run it every day."
AT_EXIT_SECONDS = 5.0
_log = logging.getLogger(__name__)


class NoTable(DynamoError):
    """The entry's month has no table, and will get none."""


def write_entry(entry: LogEntry, *, client: "DynamoDBClient") -> None:
    """Write an entry to its month's table; repeatable, one capacity unit each time.

    Where there is another one with its key, that one stays, and a warning is logged. Raises NoTable
    and botocore's errors.
    """
    month = entry.month
    try:
        _put_new(month.table, entry.item(shards=settle_shards(month, client=client)), client)
    except FAILURES as failure:
        if isinstance(fault_in(failure), NotSetUp):
            forget_shards(month)
            _require_future_table(month)
        raise


def _put_new(table: str, item: Item, client: "DynamoDBClient") -> None:
    is_new = Activity.pk.does_not_exist()
    try:
        write_one(client, put(table, item, is_new, return_item=True))
    except ConditionFailed as error:
        if error.failed[0] != item:
            _log.warning(
                "The activity log: %s is not written, because another entry is stored there.",
                item["sk"]["S"],
            )


def _require_future_table(month: Month) -> None:
    this = Month.of(clock.now())
    if month not in {this, this.plus(1)}:
        raise NoTable(f"There is no table {month.table}.") from None


LOG: BackgroundWrites[LogEntry] = BackgroundWrites(
    lambda entry: write_entry(entry, client=background_client()),
    name="The activity log",
    hint=HINT,
    spool=Spool(lambda: settings.VAR_DIR, name="activity-log", dump=line_of, load=entry_in_line),
)
"""This process's queue."""
atexit.register(LOG.close, seconds=AT_EXIT_SECONDS)


def record(entry: LogEntry) -> None:
    """Queue an entry to be written; takes microseconds and never fails."""
    LOG.put(entry)
