"""The building of a comment's items, the only place where their keys are derived."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from hashlib import blake2b
from typing import Any, Final

from comments import keys
from comments.models import Comment, CommentBody, CommentReply
from dynapages.items import Item
from dynapages.lists import sort_key_of, timestamp

LONGEST_LISTED_TEXT = 320
"""Bytes of UTF-8 up to which a text travels in lists; a longer one is an item of its own."""
EXCERPT = 240
"""Bytes of UTF-8 that lists show of a longer text, at most."""
LONG_REPLY = "m"
"""Marks what lists show of a reply as an excerpt."""
CONTENT = frozenset(
    {
        Comment.language.attr_name,
        Comment.rating.attr_name,
        Comment.title.attr_name,
        Comment.text.attr_name,
        Comment.body_bytes.attr_name,
        Comment.body_digest.attr_name,
    }
)
"""The attributes of an item that hold what its author chose and wrote."""
_TEXT = CommentReply.text.attr_name
_REPLY_DATES = (CommentReply.replied_at.attr_name, CommentReply.edited_at.attr_name)


@dataclass(frozen=True, slots=True)
class NewReply:
    """A reply of the shop's that an import brings."""

    text: str
    replied_at: datetime | None = None


class UnknownReply(Enum):
    """What stands for a reply where it is not known whether there is one."""

    UNKNOWN_REPLY = "unknown reply"


UNKNOWN_REPLY: Final = UnknownReply.UNKNOWN_REPLY


class NewState(StrEnum):
    """The state in which an import brings a comment."""

    PUBLISHED = "published"
    HIDDEN = "hidden"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class NewComment:
    """A comment without keys; ``created_at`` is aware.

    ``user_id`` is empty for an imported comment. ``verified`` means that the author was known to
    have bought the product. Only imports say whether there is a ``reply``, None for none.

    So do votes and ``state``. ``helpful`` is the number of votes in another system, and
    ``exported_votes`` that of all votes in the shop that has exported it, which counts only where
    the comment is new. Each is None where it is not known.
    """

    id: str
    product_id: str
    language: str
    rating: int
    created_at: datetime
    author: str = ""
    title: str = ""
    body: str = ""
    user_id: str = ""
    verified: bool = False
    reply: NewReply | UnknownReply | None = UNKNOWN_REPLY
    helpful: int | None = None
    exported_votes: int | None = None
    state: NewState = NewState.PUBLISHED


def items_of(comment: NewComment) -> tuple[Comment, CommentBody | None]:
    """Build the comment's item and, when its text is long, the item of its body."""
    key = keys.comment(comment.id)
    verified: bool | None = comment.verified
    if not comment.user_id and not comment.verified:
        # Of an imported comment it is not known that it is no buyer's.
        verified = None
    item = Comment(
        pk=key,
        sk=keys.COMMENT,
        language=comment.language,
        rating=comment.rating,
        author=comment.author or None,
        user_id=comment.user_id or None,
        verified=verified,
        title=comment.title or None,
        **text_shown(comment.body),
    )
    for name, value in derived_keys(comment).items():
        setattr(item, name, value)
    if item.body_bytes is None:
        return item, None
    return item, CommentBody(pk=key, sk=keys.BODY, text=comment.body)


def text_shown(body: str) -> dict[str, Any]:
    """Derive what lists show of a text, by attribute of the comment, None for those it lacks."""
    encoded = body.encode()
    if len(encoded) <= LONGEST_LISTED_TEXT:
        return {"text": body or None, "body_bytes": None, "body_digest": None}
    return {
        "text": excerpt(body),
        "body_bytes": len(encoded),
        "body_digest": blake2b(encoded, digest_size=8).digest(),
    }


def reply_of(comment: NewComment) -> CommentReply | None:
    """Build the item of the reply that an import brings along, if it does."""
    if comment.reply is None or comment.reply is UNKNOWN_REPLY:
        return None
    replied_at = comment.reply.replied_at
    return CommentReply(
        pk=keys.comment(comment.id),
        sk=keys.REPLY,
        text=comment.reply.text,
        replied_at=timestamp(replied_at) if replied_at else None,
    )


def reply_shown(reply: Item) -> Item:
    """Build what lists show of a reply's item: its dates, and its text or an excerpt of it."""
    text = reply[_TEXT]["S"]
    is_long = len(text.encode()) > LONGEST_LISTED_TEXT
    shown = {name: reply[name] for name in _REPLY_DATES if name in reply}
    if is_long:
        return {**shown, _TEXT: {"S": excerpt(text)}, LONG_REPLY: {"BOOL": True}}
    return {**shown, _TEXT: reply[_TEXT]}


def derived_keys(comment: NewComment) -> dict[str, str]:
    """Derive the list keys: one partition for each index, and the place they share."""
    product, language, rating = comment.product_id, comment.language, comment.rating
    derived = {
        "place": sort_key_of(comment.created_at, comment.id),
        "product_partition": keys.product_partition(product),
        "language_partition": keys.product_partition(product, language),
        "rating_partition": keys.product_partition(product, rating),
        "language_rating_partition": keys.product_partition(product, language, rating),
    }
    if comment.user_id:
        derived["author_partition"] = keys.author(comment.user_id)
    return derived


def excerpt(text: str, *, most: int = EXCERPT) -> str:
    """Cut a long text at a word, or else at a character, with an ellipsis behind ``most`` bytes."""
    # Bytes are what DynamoDB charges; a character that is cut in two is left out.
    start = text.encode()[:most].decode(errors="ignore")
    words, _, _ = start.rpartition(" ")
    return f"{words or start}…"
