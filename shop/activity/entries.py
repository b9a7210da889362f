"""Entries of the activity log, and the items they are stored as.

=================  ====================  ===============================
item               partition key ``pk``  sort key ``sk``
=================  ====================  ===============================
entry of the log   ``<series>#<shard>``  ``<moment>#<subject>.<action>``
shards of a month  ``SHARDS``            ``SHARDS``
share of a count   ``DAYS#<n>``          ``DAYS#<n>``
=================  ====================  ===============================

The other attributes are the fields of `LogEntry`. By its sort key, writing an entry twice gives one
item. The series is ``MODERATION`` for what moderators did, and ``MAIN`` for all other entries.

How entries are written says `shop.activity.recording`; what is counted of them,
`shop.activity.day_counts`.
"""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum

from dynapages.items import Item
from dynapages.lists import moment_at, sort_key_of
from shop.activity.months import Month
from shop.keys import shard_of

MAIN_SERIES = "MAIN"
"""The series of entries that are of no kind apart."""
TEXT_FIELDS = ("who", "subject", "about", "was", "became", "name")
"""Attributes of an item that are fields of an entry."""


class Kind(StrEnum):
    """What the log can be narrowed to."""

    ORDER = "ORDER"
    COMMENT = "COMMENT"
    MODERATION = "MODERATION"

    @property
    def series(self) -> str:
        """The first part of the partition key of entries of this kind."""
        if self is Kind.MODERATION:
            return self.value
        return MAIN_SERIES


class LogVerb(StrEnum):
    """What can be done with an order, a comment or a topic; the values are in files of entries."""

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
    UNDECIDED = "took back the decision on"
    PICKED = "picked"
    UNPICKED = "took back the pick of"
    REPLIED = "replied to"
    REPLY_DELETED = "deleted the reply to"
    TOPIC_BANNED = "banned the topic"
    TOPIC_ALLOWED = "allowed the topic"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What somebody did. ``who`` is a user name, empty for a command; ``moment`` is aware.

    ``subject`` is the id of the order or comment, or the word of a topic, ``about`` the order's
    customer or the comment's product; a topic of all products has none. ``was`` and ``became`` are
    the status, rating or state before and after, or empty. ``name`` is the product's when the entry
    was written, empty if it was not known.
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

    def item(self, shards: int) -> Item:
        """Build the item, in one of so many shards; which one follows from its place."""
        # From the key, so that writing it again goes to the same partition.
        shard = shard_of(self.place, shards)
        texts = {
            "pk": partition_key(self.kind.series, shard),
            "sk": self.place,
            "kind": self.kind.value,
            "action": self.action.name,
        }
        for name in TEXT_FIELDS:
            texts[name] = getattr(self, name)
        return {name: {"S": text} for name, text in texts.items() if text}


# Entries as items, and as lines of JSON


def partition_key(series: str, shard: int) -> str:
    """Return the partition key of a series' entries in one shard."""
    return f"{series}#{shard}"


def entry_in(item: Item) -> LogEntry:
    """Return the entry that an item stores."""
    texts = {name: value["S"] for name, value in item.items()}
    return LogEntry(
        # Items of the first months have no attribute for it.
        kind=Kind(texts.get("kind") or texts["pk"].partition("#")[0]),
        action=LogVerb[texts["action"]],
        moment=moment_at(texts["sk"]),
        **{name: texts.get(name, "") for name in TEXT_FIELDS},
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
        # A line of an older version may lack fields; those with a default do no harm.
        return LogEntry(**{**fields, **typed})
    except (KeyError, TypeError) as error:
        raise ValueError(f"Not an entry of the log: {line}") from error
