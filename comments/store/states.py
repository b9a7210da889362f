"""What a comment's item says of its state, and the changes that put it into lists or take it out.

A comment is *listed*: it has the keys of its lists, and is counted. Or it is withheld, held by a
gate or hidden by staff: it lacks these keys, and is in the index ``moderation``. A deleted one
leaves a *tombstone* with its product, until that expires.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from comments import keys
from comments.items import NewComment, derived_keys
from comments.models import Comment
from comments.store.table import LIST_KEYS
from dynapages.items import Item, Value

NEW = Comment.pk.does_not_exist()
"""There is no such item."""
NOT_DELETED = Comment.pk.exists() & Comment.expires_at.does_not_exist()
"""The comment has not been deleted, though it may be hidden or held."""
NEW_OR_DELETED = Comment.pk.does_not_exist() | Comment.expires_at.exists()
"""There is no such comment, or only the tombstone of one."""
LISTED = Comment.product_partition.exists()
"""The comment is in its lists: neither deleted nor hidden nor held."""

EXPIRY = Comment.expires_at.attr_name
_LISTED_PRODUCT = Comment.product_partition.attr_name
_WITHHELD_PRODUCT = Comment.hidden_product.attr_name
_HOLD_REASON = Comment.hold_reason.attr_name
_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_VERSION = Comment.version.attr_name
_REPORTS = Comment.reports.attr_name
_IMPORTED_VOTES = Comment.imported_votes.attr_name
_NO_TEXT = {"S": ""}
_ZERO = {"N": "0"}
_ONLY_OF_LISTED = (
    *LIST_KEYS.values(),
    Comment.rank_partition.attr_name,
    Comment.rank_place.attr_name,
    Comment.helpful_votes.attr_name,
    Comment.featured_partition.attr_name,
)
"""What a comment that is in no list does not have, whether or not it had it before."""
_ONLY_OF_WITHHELD = (_WITHHELD_PRODUCT, _HOLD_REASON, _QUEUE, _QUEUE_PLACE)
"""What a comment that is listed, and was not reported, does not have."""


def is_listed(item: Item) -> bool:
    """Return whether an item is a comment that is in its lists: neither hidden nor a tombstone."""
    return _LISTED_PRODUCT in item


def is_tombstone(item: Item) -> bool:
    """Return whether an item is the tombstone of a deleted comment."""
    return EXPIRY in item


def product_id_of(item: Item) -> str:
    """Return the product of a comment's item, which may be hidden, held or a tombstone."""
    if is_listed(item):
        return keys.product_id_in(item[_LISTED_PRODUCT]["S"])
    product_id: str = item.get(_WITHHELD_PRODUCT, _NO_TEXT)["S"]
    return product_id


def imported_votes(item: Item) -> int:
    """Return the helpful votes that an import has brought, which no item of a vote stands for."""
    return int(item.get(_IMPORTED_VOTES, _ZERO)["N"])


def hold_reason(item: Item) -> str | None:
    """Return why a comment is held; None where it is not."""
    if _HOLD_REASON not in item:
        return None
    reason: str = item[_HOLD_REASON]["S"]
    return reason


class State(StrEnum):
    """The state of a comment; the first three are partitions of the index ``moderation``."""

    HELD = "HELD"
    REPORTED = "REPORTED"
    HIDDEN = "HIDDEN"
    LISTED = "LISTED"

    @property
    def is_listed(self) -> bool:
        """Whether a comment in this state is in its lists, counted, and seen by everybody."""
        return self in {State.REPORTED, State.LISTED}

    @classmethod
    def of(cls, item: Item) -> "State":
        """Return that of an item of the table or of the index ``moderation``."""
        # Reported comments stay in their lists until staff decide.
        if is_listed(item):
            return cls.REPORTED if _QUEUE in item else cls.LISTED
        return cls.HIDDEN if hold_reason(item) is None else cls.HELD


@dataclass(frozen=True, slots=True)
class Revision:
    """A comment's state, its version, and how often it was reported; ``str`` is for forms."""

    state: State
    version: int
    reports: int

    @classmethod
    def of(cls, item: Item) -> "Revision":
        version = int(item.get(_VERSION, _ZERO)["N"])
        reports = int(item.get(_REPORTS, _ZERO)["N"])
        return cls(State.of(item), version, reports)

    @classmethod
    def parse(cls, text: str) -> "Revision":
        """Parse what ``str`` returned. Raises ValueError."""
        state, version, reports = text.split(".")
        return cls(State(state), int(version), int(reports))

    def __str__(self) -> str:
        return f"{self.state}.{self.version}.{self.reports}"


# Changes of attributes, for `comments.store.table.change`


def changes_to_withhold(
    comment: NewComment, *, since: Value, reason: str | None = None
) -> dict[str, Value | None]:
    """Return the changes that take a comment out of its lists: hidden, or held for a ``reason``.

    ``since`` is its place in the index ``moderation``.
    """
    state = State.HIDDEN if reason is None else State.HELD
    # Without rank and pick too: both are of what everybody sees.
    changes: dict[str, Value | None] = dict.fromkeys(_ONLY_OF_LISTED)
    changes[_WITHHELD_PRODUCT] = {"S": comment.product_id}
    changes[_HOLD_REASON] = None if reason is None else {"S": reason}
    changes[_QUEUE] = {"S": keys.moderation(state)}
    changes[_QUEUE_PLACE] = since
    return changes


def changes_to_list(comment: NewComment) -> Mapping[str, Value | None]:
    """Return the changes that put a comment into its lists, out of the index ``moderation``."""
    changes: dict[str, Value | None] = {}
    derived = derived_keys(comment)
    for name, attribute in LIST_KEYS.items():
        changes[attribute] = {"S": derived[name]}
    changes |= dict.fromkeys(_ONLY_OF_WITHHELD)
    return changes
