"""Entries of the activity log, and the items they are stored as.

=================  ====================  ===============================
item               partition key ``pk``  sort key ``sk``
=================  ====================  ===============================
entry of the log   ``<kind>#<shard>``    ``<moment>#<subject>.<action>``
shards of a month  ``SHARDS``            ``SHARDS``
=================  ====================  ===============================

The other attributes are the fields of `LogEntry`. By its sort key, writing an entry twice gives one
item.
"""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum

from dynapages.items import Item
from dynapages.lists import moment_at, sort_key_of
from shop.activity.tables import Month
from shop.keys import shard_of


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
