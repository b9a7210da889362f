"""Comments read whole and strongly from the table, as a write starts from them."""

import logging
from dataclasses import dataclass
from enum import StrEnum

from comments import keys
from comments.items import NewComment, derived_keys
from comments.models import TABLE, Comment, CommentBody
from comments.store.counts import Cell, tallies
from comments.store.table import (
    ATTEMPTS,
    BEING_CHANGED,
    LIST_KEYS,
    comment_key,
    is_comment,
    query_pages,
)
from dynapages.calls import in_chunks, sentence_about
from dynapages.errors import DynamoError
from dynapages.items import Item, Value
from dynapages.lists import id_at, moment_at
from dynapages.process import client, page_batches
from dynapages.pynamodb import FAILURES
from dynapages.writes import (
    MOST_ACTIONS,
    Action,
    ConditionFailed,
    Contended,
    check,
    delete,
    write_transaction,
)

logger = logging.getLogger(__name__)

NEW = Comment.pk.does_not_exist()
"""There is no such item."""
NOT_DELETED = Comment.pk.exists() & Comment.expires_at.does_not_exist()
"""The comment has not been deleted, though it may be hidden or held."""
NEW_OR_DELETED = Comment.pk.does_not_exist() | Comment.expires_at.exists()
"""There is no such comment, or only the tombstone of one."""
LISTED = Comment.product_partition.exists()
"""The comment is in its lists: neither deleted nor hidden nor held."""

EXPIRY = Comment.expires_at.attr_name
_LISTED = Comment.product_partition.attr_name
_WITHHELD = Comment.hidden_product.attr_name
_HOLD_REASON = Comment.hold_reason.attr_name
_NOTHING = {"S": ""}
_QUEUE = Comment.moderation_partition.attr_name


class NoSuchComment(LookupError):
    """There is no such comment; ``product_id`` is that of one deleted lately, else empty."""

    def __init__(self, comment_id: str, *, product_id: str = "") -> None:
        super().__init__(comment_id)
        self.product_id = product_id


@dataclass(frozen=True, slots=True)
class StoredComment:
    """A comment with its item as it was read; ``version`` rises from 0 with every change."""

    comment: NewComment
    item: Item

    @property
    def version(self) -> int:
        return int(self.item.get(Comment.version.attr_name, {"N": "0"})["N"])

    @property
    def cell(self) -> Cell:
        """The language and rating it is counted under, if it is listed."""
        return self.comment.language, self.comment.rating

    @property
    def state(self) -> "State":
        return State.of(self.item)

    @property
    def is_hidden(self) -> bool:
        """Whether it is in no list of its product, and not counted: hidden or held."""
        return not is_listed(self.item)

    @property
    def has_long_body(self) -> bool:
        return Comment.body_bytes.attr_name in self.item


def load_comment(comment_id: str) -> StoredComment:
    """Read a comment and its long body, strongly. Raises NoSuchComment."""
    wanted = [comment_key(comment_id), comment_key(comment_id, keys.BODY)]
    items = {item["sk"]["S"]: item for item in page_batches().get(TABLE, wanted)}
    item = items.get(keys.COMMENT)
    if item is None:
        raise NoSuchComment(comment_id)
    if is_tombstone(item):
        raise NoSuchComment(comment_id, product_id=product_id_of(item))
    return StoredComment(comment_in(item, items.get(keys.BODY)), item)


def is_listed(item: Item) -> bool:
    """Return whether an item is a comment that is in its lists: neither hidden nor a tombstone."""
    return _LISTED in item


def is_tombstone(item: Item) -> bool:
    """Return whether an item is the tombstone of a deleted comment."""
    return EXPIRY in item


def product_id_of(item: Item) -> str:
    """Return the product of a comment's item, which may be hidden, held or a tombstone."""
    if is_listed(item):
        return keys.product_id_in(item[_LISTED]["S"])
    product_id: str = item.get(_WITHHELD, _NOTHING)["S"]
    return product_id


def hold_reason(item: Item) -> str | None:
    """Return why a comment is held; None where it is not."""
    reason: str | None = item.get(_HOLD_REASON, {}).get("S")
    return reason


def comment_in(item: Item, body: Item | None = None) -> NewComment:
    """Build a comment from its item and that of its long body; without this, with the excerpt."""
    comment = Comment.from_raw_data(dict(item))
    long_text = CommentBody.from_raw_data(dict(body)).text if body else None
    return NewComment(
        id=id_at(comment.place),
        product_id=product_id_of(item),
        language=comment.language,
        rating=int(comment.rating),
        created_at=moment_at(comment.place),
        author=comment.author or "",
        title=comment.title or "",
        body=(comment.text or "") if long_text is None else long_text,
        user_id=comment.user_id or "",
        verified=bool(comment.verified),
    )


_ONLY_LISTED = (
    *LIST_KEYS.values(),
    Comment.rank_partition.attr_name,
    Comment.rank_place.attr_name,
    Comment.featured_partition.attr_name,
)
"""What a comment that is in no list does not have, whether or not it had it before."""
_ONLY_WITHHELD = (
    _WITHHELD,
    _HOLD_REASON,
    _QUEUE,
    Comment.moderation_place.attr_name,
)
"""What a comment that is listed, and was not reported, does not have."""


def withheld(
    comment: NewComment, *, since: Value, reason: str | None = None
) -> dict[str, Value | None]:
    """Return the changes that take a comment out of its lists: hidden, or held for a ``reason``.

    ``since`` is its place in the index ``moderation``.
    """
    state = State.HIDDEN if reason is None else State.HELD
    return {
        **dict.fromkeys(_ONLY_LISTED),
        _WITHHELD: {"S": comment.product_id},
        _HOLD_REASON: None if reason is None else {"S": reason},
        _QUEUE: {"S": keys.moderation(state)},
        Comment.moderation_place.attr_name: since,
    }


def listed(comment: NewComment) -> dict[str, Value | None]:
    """Return the changes that put a comment into its lists, out of the index ``moderation``."""
    derived = derived_keys(comment)
    return {
        **{attribute: {"S": derived[name]} for name, attribute in LIST_KEYS.items()},
        **dict.fromkeys(_ONLY_WITHHELD),
    }


class OwnComment(DynamoError):
    """A user voted on or reported a comment of their own."""


_NUMBERS = (Comment.version.attr_name, Comment.reports.attr_name)


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
        if not is_listed(item):
            return cls.HIDDEN if hold_reason(item) is None else cls.HELD
        return cls.REPORTED if _QUEUE in item else cls.LISTED


@dataclass(frozen=True, slots=True)
class Revision:
    """A comment's state, its version, and how often it was reported; ``str`` is for forms."""

    state: State
    version: int
    reports: int

    @classmethod
    def of(cls, item: Item) -> "Revision":
        numbers = [item.get(name, {"N": "0"})["N"] for name in _NUMBERS]
        return cls(State.of(item), *map(int, numbers))

    @classmethod
    def parse(cls, text: str) -> "Revision":
        """Parse what ``str`` returned. Raises ValueError."""
        state, version, reports = text.split(".")
        return cls(State(state), int(version), int(reports))

    def __str__(self) -> str:
        return f"{self.state}.{self.version}.{self.reports}"


_COMMENT = 0
"""Number of the transactions' action on the comment."""


def delete_dependents(comment_id: str) -> None:
    """Delete the dependents of a deleted comment; those of one that exists are kept.

    Raises Contended; what was deleted stays deleted.
    """
    is_deleted = check(Comment, comment_key(comment_id), NEW_OR_DELETED)
    for _ in range(ATTEMPTS):
        try:
            for some in in_chunks(leftovers(comment_id), MOST_ACTIONS - 1):
                write_transaction(client(), [is_deleted, *some])
        except ConditionFailed as error:
            if _COMMENT not in error.failed:  # a vote was cast
                continue
        return
    raise Contended(BEING_CHANGED)


def delete_dependents_or_log(comment_id: str) -> bool:
    """Delete the dependents of a deleted comment; return False where that failed, which is logged.

    The worker does it then.
    """
    try:
        delete_dependents(comment_id)
    except (*FAILURES, ConditionFailed) as failure:
        sentence = "What belongs to comment %s was left behind: %s"
        logger.warning(sentence, comment_id, sentence_about(failure))
        return False
    return True


def leftovers(comment_id: str) -> list[Action]:
    """Build the actions that delete the dependents, the tally last; none if the comment exists."""
    tally, deletions = tallies().deletions(comment_id), list[Action]()
    in_partition = Comment.pk == keys.comment(comment_id)
    pages = query_pages(in_partition, ConsistentRead=True)
    for item in (item for page in pages for item in page["Items"]):
        if not is_comment(item):
            deletions.append(delete(Comment, {"pk": item["pk"], "sk": item["sk"]}))
        elif not is_tombstone(item):
            return []
    return [*deletions, *tally]
