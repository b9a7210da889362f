"""The recording of entries of the activity log.

`record` queues an entry, and a thread of this process writes it; see `shop.background` for what is
guaranteed. An entry replaces none: what has its key already is the same entry, sent twice because
an answer was lost.
"""

import atexit
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from dynapages.calls import NotSetUp, clock, fault_in
from dynapages.errors import DynamoError
from dynapages.items import table_key
from dynapages.process import background_client
from dynapages.pynamodb import FAILURES
from dynapages.writes import (
    Action,
    ConditionFailed,
    Transactions,
    delete,
    put,
    write_item,
    write_with_counters,
)
from shop import keys
from shop.activity.day_counts import COUNTER, cells_of, counters_of, without
from shop.activity.entries import Kind, LogEntry, entry_in, entry_in_line, line_of
from shop.activity.months import Month, months_ahead
from shop.activity.shards import forget_shards, settle_shards
from shop.activity.tables import Activity
from shop.background import BackgroundWrites
from shop.models import Product
from shop.spool import Spool
from shop.table import TABLE, Key

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

logger = logging.getLogger(__name__)

HINT = "“manage.py rotate_activity_tables” makes the log's tables; run it every day."
AT_EXIT_SECONDS = 5.0
"""How long a process that ends waits for its last entries."""


class NoTable(DynamoError):
    """The entry's month has no table, and will get none."""


def write_entry(entry: LogEntry, *, client: "DynamoDBClient") -> None:
    """Write an entry to its month's table; repeatable, one capacity unit each time.

    One that `shop.activity.day_counts` counts is written with its count, in a transaction of four
    units. With the product's name, which is half a unit more to read. Where there is another entry
    with its key, that one stays, and a warning is logged. Raises NoTable and botocore's errors.
    """
    month = entry.month
    try:
        # The name is read here, not where the entry was queued: that page need not wait.
        named = _with_name(entry, client)
        shards = settle_shards(month, client=client)
        _put_new(named, shards, client)
    except FAILURES as failure:
        if isinstance(fault_in(failure), NotSetUp):
            forget_shards(month)
            if month not in months_ahead(clock.now()):  # which get a table, if they have none
                raise NoTable(f"There is no table {month.table}.") from None
        raise


def _with_name(entry: LogEntry, client: "DynamoDBClient") -> LogEntry:
    """Return the entry with the name of its product, if it has a product and no name yet."""
    if entry.kind is Kind.ORDER or entry.name or not entry.about:
        return entry
    product_key = keys.product(entry.about)
    answer = client.get_item(TableName=TABLE, Key=table_key(product_key, product_key))
    name = answer.get("Item", {}).get(Product.name.attr_name)
    return replace(entry, name=name["S"] if name else "")


def _put_new(entry: LogEntry, shards: int, client: "DynamoDBClient") -> None:
    """Write an entry unless there is one with its key; log a warning if that is another entry."""
    # Sent twice after a lost answer, the second put must not replace the first.
    is_new = Activity.pk.does_not_exist()
    month = entry.month
    action = put(month.table, entry.item(shards), is_new, return_item=True)
    cells = cells_of(entry)
    try:
        if cells:
            _write_counted(action, month, cells, client)
        else:
            write_item(client, action)
    except ConditionFailed as error:
        if replace(entry_in(error.failed[0]), name=entry.name) != entry:
            logger.warning(
                "The activity log: %s is not written, because another entry is stored there.",
                entry.place,
            )


def _write_counted(
    action: Action, month: Month, cells: Mapping[str, int], client: "DynamoDBClient"
) -> None:
    """Write or delete an entry together with what that changes in the month's counter."""
    write_with_counters(
        [action],
        {COUNTER: cells},
        transactions=Transactions(client),
        counters=lambda _name: counters_of(month, client),
    )


def delete_entry(table: str, key: Key, *, client: "DynamoDBClient") -> None:
    """Delete an entry by the keys of a month's table, and count it out; nothing if it is gone."""
    item = client.get_item(TableName=table, Key=table_key(*key), ConsistentRead=True).get("Item")
    if item is None:
        return
    entry = entry_in(item)
    action = delete(table, table_key(*key), Activity.pk.exists())
    cells = without(cells_of(entry))
    # Somebody else has deleted it: that is what was wanted.
    with suppress(ConditionFailed):
        if cells:
            _write_counted(action, entry.month, cells, client)
        else:
            write_item(client, action)


def _write_in_background(entry: LogEntry) -> None:
    write_entry(entry, client=background_client())


def _spool_folder() -> Path:
    return settings.VAR_DIR


LOG: BackgroundWrites[LogEntry] = BackgroundWrites(
    _write_in_background,
    name="The activity log",
    hint=HINT,
    spool=Spool(_spool_folder, name="activity-log", dump=line_of, load=entry_in_line),
)
"""This process's queue."""
atexit.register(LOG.close, seconds=AT_EXIT_SECONDS)


def record(entry: LogEntry) -> None:
    """Queue an entry to be written; takes microseconds and never fails."""
    LOG.put(entry)
