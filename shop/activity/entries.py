"""Entries of the activity log, and the items they are stored as.

=================  ====================  ===============================
item               partition key ``pk``  sort key ``sk``
=================  ====================  ===============================
entry of the log   ``<series>#<shard>``  ``<moment>#<subject>.<action>``
shards of a month  ``SHARDS``            ``SHARDS``
=================  ====================  ===============================

The other attributes are the fields of `LogEntry`. By its sort key, writing an entry twice gives one
item. The series is ``MODERATION`` for what moderators did, and ``MAIN`` for all other entries: one
for each kind in months that version 0.1.0 began.

`record` queues an entry, and a thread of this process writes it; see `shop.background` for what is
guaranteed. An entry replaces none: what has its key already is the same entry, sent twice because
an answer was lost.
"""

import atexit
import json
import logging
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from django.conf import settings

from dynapages.calls import NotSetUp, clock, fault_in
from dynapages.errors import DynamoError
from dynapages.items import Item, table_key
from dynapages.lists import moment_at, sort_key_of
from dynapages.process import background_client
from dynapages.pynamodb import FAILURES
from dynapages.writes import ConditionFailed, put, write_item
from shop import keys
from shop.activity.tables import MAIN, Activity, Layout, Month, forget_layout, settle_layout
from shop.background import BackgroundWrites, Spool
from shop.keys import shard_of
from shop.models import Product
from shop.table import TABLE

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


class Kind(StrEnum):
    """What the log can be narrowed to."""

    ORDER = "ORDER"
    COMMENT = "COMMENT"
    MODERATION = "MODERATION"

    def series(self, layout: Layout) -> str:
        """Return the first part of the partition key of entries of this kind."""
        is_apart = layout.is_by_kind or self is Kind.MODERATION
        return self.value if is_apart else MAIN


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


TEXTS = ("who", "subject", "about", "was", "became", "name")
"""Attributes of an item that are fields of an entry."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What somebody did. ``who`` is a user name, empty for a command; ``moment`` is aware.

    ``subject`` is the id of the order or comment, ``about`` the order's customer or the comment's
    product. ``was`` and ``became`` are the status, rating or state before and after, or empty.
    ``name`` is the product's when the entry was written, empty if it was not known.
    """

    kind: Kind
    action: LogVerb
    moment: datetime
    who: str
    subject: str
    about: str
    was: str = ""
    became: str = ""
    name: str = ""

    @property
    def place(self) -> str:
        """The sort key: unique, and the same each time the entry is written."""
        return sort_key_of(self.moment, f"{self.subject}.{self.action.name}")

    @property
    def month(self) -> Month:
        return Month.of(self.moment)

    def item(self, layout: Layout) -> Item:
        """Build the item; its shard follows from its place."""
        shard = shard_of(self.place, layout.shards)
        texts = {
            "pk": partition(self.kind.series(layout), shard),
            "sk": self.place,
            "kind": self.kind.value,
            "action": self.action.name,
            **{name: getattr(self, name) for name in TEXTS},
        }
        return {name: {"S": text} for name, text in texts.items() if text}


def partition(series: str, shard: int) -> str:
    """Return the partition key of a series' entries in one shard."""
    return f"{series}#{shard}"


def entry_in(item: Item) -> LogEntry:
    """Read an entry from its item."""
    texts = {name: value["S"] for name, value in item.items()}
    return LogEntry(
        kind=Kind(texts.get("kind") or texts["pk"].partition("#")[0]),
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

    With the product's name, which is half a unit more to read. Where there is another entry with
    its key, that one stays, and a warning is logged. Raises NoTable and botocore's errors.
    """
    month = entry.month
    try:
        _put_new(_with_name(entry, client), settle_layout(month, client=client), client)
    except FAILURES as failure:
        if isinstance(fault_in(failure), NotSetUp):
            forget_layout(month)
            this = Month.of(clock.now())
            if month not in {this, this.plus(1)}:  # which get a table, if they have none
                raise NoTable(f"There is no table {month.table}.") from None
        raise


def _with_name(entry: LogEntry, client: "DynamoDBClient") -> LogEntry:
    if entry.kind is Kind.ORDER or entry.name or not entry.about:
        return entry
    key = table_key(*[keys.product(entry.about)] * 2)
    found = client.get_item(TableName=TABLE, Key=key).get("Item", {})
    return replace(entry, name=found.get(Product.name.attr_name, {"S": ""})["S"])


def _put_new(entry: LogEntry, layout: Layout, client: "DynamoDBClient") -> None:
    is_new = Activity.pk.does_not_exist()
    try:
        write_item(client, put(entry.month.table, entry.item(layout), is_new, return_item=True))
    except ConditionFailed as error:
        if replace(entry_in(error.failed[0]), name=entry.name) != entry:
            _log.warning(
                "The activity log: %s is not written, because another entry is stored there.",
                entry.place,
            )


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
