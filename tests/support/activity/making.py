"""Entries made up for tests, and the plain answers that the log must agree with."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from dynapages.lists import PageRequest, PageResult, Toward
from dynapages.process import client
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.months import Month
from shop.activity.queries import list_activity
from shop.activity.recording import LOG, write_entry
from shop.days import ALL_DAYS, Days
from tests.support.chance import unique

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
THIS = Month(2026, 11)
ACTIONS = {Kind.ORDER: LogVerb.MOVED, Kind.COMMENT: LogVerb.POSTED, Kind.MODERATION: LogVerb.HIDDEN}


def made_entry(moment: datetime = NOW, kind: Kind = Kind.ORDER, **fields: str) -> LogEntry:
    told = {"who": "sam", "subject": unique("subject"), "about": "alex", **fields}
    return LogEntry(kind=kind, action=ACTIONS[kind], moment=moment, **told)


def write_entries(entries: Iterable[LogEntry]) -> None:
    for entry in entries:
        write_entry(entry, client=client())


def begin_as_another_process_did(month: Month, *, shards: int) -> None:
    """Begin a month in so many shards, without this process knowing."""
    item = {"_shards": {"N": str(shards)}, "pk": {"S": "SHARDS"}, "sk": {"S": "SHARDS"}}
    client().put_item(TableName=month.table, Item=item)


def newest_first(entries: Iterable[LogEntry], *kinds: Kind) -> list[LogEntry]:
    chosen = [entry for entry in entries if not kinds or entry.kind in kinds]
    return sorted(chosen, key=lambda entry: entry.place, reverse=True)


def whole_log(*kinds: Kind, now: datetime | None = None) -> list[LogEntry]:
    """Everything in the log, as it is after what waits to be written has been."""
    assert LOG.flush(seconds=10)
    found = list_activity(kinds, PageRequest(200), now=now or datetime.now(UTC))
    assert not found.page.has_next
    return list(found.items)


def walk(
    kinds: Sequence[Kind], request: PageRequest, *, now: datetime, days: Days = ALL_DAYS
) -> Iterator[PageResult[LogEntry]]:
    """Turn pages in the direction of the request until there is no further one."""
    onward = request.toward is Toward.NEXT
    for _ in range(500):
        found = list_activity(kinds, request, now=now, days=days)
        yield found
        page = found.page
        if not (page.has_next if onward else page.has_previous):
            return
        edge = page.entries[-1 if onward else 0]
        request = PageRequest(request.size, edge.position, request.toward)
    message = "the walk does not end"
    raise AssertionError(message)
