"""The log entries by a user, or about their orders: no key leads to them, so all are read."""

from collections.abc import Iterator

from dynamo.calls import clock
from dynamo.calls.client import client
from dynamo.items import table_key
from dynamo.lists.merging import Entry as Found
from dynamo.lists.reader import every_entry
from dynamo.upkeep.erasure import Kept, Trace
from dynamo.writes.transactions import delete, write_one
from shop.activity.entries import Kind, entry_in
from shop.activity.queries import list_activity
from shop.activity.recording import LOG
from shop.activity.tables import Activity

AT_ONCE = 300
FLUSH_SECONDS = 5.0
_JOINT = "|"
"""A character that is in no table's name and no partition key of the log."""


def entries_about(username: str) -> Iterator[str]:
    """Yield the names of the entries by or about a user, also those queued or kept here."""
    LOG.resume()
    LOG.flush(seconds=FLUSH_SECONDS)
    now = clock.now()
    for found in every_entry(lambda asked: list_activity((), asked, now=now).page, at_once=AT_ONCE):
        if _is_about(found, username):
            yield _name(found)


def _is_about(found: Found, username: str) -> bool:
    entry = entry_in(found.item)
    return username == entry.who or (entry.kind is Kind.ORDER and username == entry.about)


def _name(found: Found) -> str:
    return _JOINT.join((found.run.index.table, found.run.partition, found.position.place))


def _delete_entry(_username: str, name: str) -> None:
    table, partition, place = name.split(_JOINT, 2)
    write_one(client(), delete(table, table_key(partition, place)))


def _entry(_username: str, name: str) -> list[Kept]:
    table, partition, place = name.split(_JOINT, 2)
    return [(Activity, table, table_key(partition, place))]


ACTIVITY = Trace("activity", entries_about, _delete_entry, _entry)
