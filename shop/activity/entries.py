"""Entries of the activity log, and the items they are stored as.

=================  ====================  ===============================
item               partition key ``pk``  sort key ``sk``
=================  ====================  ===============================
entry of the log   ``<kind>#<shard>``    ``<moment>#<subject>.<action>``
shards of a month  ``SHARDS``            ``SHARDS``
=================  ====================  ===============================

The other attributes are the fields of `LogEntry`. By its sort key, writing an entry twice gives one
item.

`record` queues an entry, and a thread of this process writes it; see `shop.background` for what is
guaranteed. An entry replaces none: what has its key already is the same entry, sent twice because
an answer was lost.
"""

import atexit
import json
import logging
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from django.conf import settings

from dynapages.calls import NotSetUp, clock, fault_in
from dynapages.errors import DynamoError
from dynapages.items import Item
from dynapages.lists import moment_at, sort_key_of
from dynapages.process import background_client
from dynapages.pynamodb import FAILURES
from dynapages.writes import ConditionFailed, put, write_one
from shop.activity.tables import Activity, Month, forget_shards, settle_shards
from shop.background import BackgroundWrites, Spool
from shop.keys import shard_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


class Kind(StrEnum):
    """What the log can be narrowed to; part of the partition key."""

    ORDER = "ORDER"
    COMMENT = "COMMENT"
    MODERATION = "MODERATION"


class LogVerb(StrEnum):
    """What can be done with an order or a comment; the values are in files of entries."""

    PLACED = "placed"
    MOVED = "moved"
    POSTED = "posted"
    HELD = "had to wait with"
    PUBLISHED = "published"
    REJECTED = "rejected"
    EDITED = "edited"
    DELETED = "deleted"
    KEPT = "kept"
    HIDDEN = "hid"
    RESTORED = "restored"
    PICKED = "picked"
    UNPICKED = "took back the pick of"
    REPLIED = "replied to"
    REPLY_DELETED = "deleted the reply to"


TEXTS = ("who", "subject", "about", "was", "became")
"""Attributes of an item that are fields of an entry."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What somebody did. ``who`` is a user name, empty for a command; ``moment`` is aware.

    ``subject`` is the id of the order or comment, ``about`` the order's customer or the comment's
    product. ``was`` and ``became`` are the status, rating or state before and after, or empty.
    """

    kind: Kind
    action: LogVerb
    moment: datetime
    who: str
    subject: str
    about: str
    was: str = ""
    became: str = ""

    @property
    def place(self) -> str:
        """The sort key: unique, and the same each time the entry is written."""
        return sort_key_of(self.moment, f"{self.subject}.{self.action.name}")

    @property
    def month(self) -> Month:
        return Month.of(self.moment)

    def item(self, *, shards: int) -> Item:
        """Build the item; its shard follows from its place."""
        texts = {
            "pk": partition(self.kind, shard_of(self.place, shards)),
            "sk": self.place,
            "action": self.action.name,
            **{name: getattr(self, name) for name in TEXTS},
        }
        return {name: {"S": text} for name, text in texts.items() if text}


def partition(kind: Kind, shard: int) -> str:
    """Return the partition key of a kind's entries in one shard."""
    return f"{kind.value}#{shard}"


def kind_in(partition_key: str) -> str:
    """Return the kind in a partition key."""
    return partition_key.partition("#")[0]


def entry_in(item: Item) -> LogEntry:
    """Read an entry from its item."""
    texts = {name: value["S"] for name, value in item.items()}
    return LogEntry(
        kind=Kind(kind_in(texts["pk"])),
        action=LogVerb[texts["action"]],
        moment=moment_at(texts["sk"]),
        **{name: texts.get(name, "") for name in TEXTS},
    )


def line_of(entry: LogEntry) -> str:
    """Format an entry as a line of JSON."""
    return json.dumps({**asdict(entry), "moment": entry.moment.isoformat()})


def entry_in_line(line: str) -> LogEntry:
    """Parse what `line_of` formats. Raises ValueError."""
    fields = json.loads(line)
    try:
        typed = {
            "kind": Kind(fields["kind"]),
            "action": LogVerb(fields["action"]),
            "moment": datetime.fromisoformat(fields["moment"]),
        }
        return LogEntry(**{**fields, **typed})
    except (KeyError, TypeError) as error:
        raise ValueError(f"Not an entry of the log: {line}") from error


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
