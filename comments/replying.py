"""Writes of the shop's replies: one to each comment, by staff.

The reply is an item beside the comment; whether there is one is said by the comment itself, in
the same transaction. From then on the reply is staff's: an import does not touch it again.
"""

from datetime import datetime
from typing import Any

from comments import keys
from comments.models import Comment, CommentReply
from comments.replies import Reply, find_reply
from comments.stored import NoSuchComment
from comments.votes import THERE
from comments.writing import NEW, Condition, delete, put, unchanged, update
from dynamo.client import client
from dynamo.errors import DynamoError
from dynamo.places import timestamp
from dynamo.runs import Item
from dynamo.transactions import Action, ConditionFailed, write_together

LONGEST_REPLY = 4_000
"""Characters."""
BY_STAFF = b"staff"
"""In place of the digest of an imported reply: an import must leave this comment's reply alone."""
_COMMENT = 0
"""Number of the transactions' action on the comment."""
_REPLIED = Comment.replied.attr_name
_DIGEST = Comment.reply_digest.attr_name
_LISTED = Condition("attribute_exists(#a)", {"#a": Comment.product_partition.attr_name})


class ReplyChanged(DynamoError):
    """Another reply is there than the one that was seen; ``reply`` is it, None if it is gone."""

    def __init__(self, reply: Reply | None) -> None:
        super().__init__("Somebody else has written, changed or deleted the reply meanwhile.")
        self.reply = reply


def reply_to(*, comment_id: str, text: str, author: str, seen: Reply | None, now: datetime) -> None:
    """Reply to a comment, or change the reply that was ``seen``; doing so again changes nothing.

    Raises NoSuchComment, also for one that is hidden, ReplyChanged, Contended, and botocore's
    errors.
    """
    moment = timestamp(now)
    item = CommentReply(
        pk=keys.comment(comment_id),
        sk=keys.REPLY,
        text=text,
        author=author if seen is None else seen.author or None,
        replied_at=moment if seen is None else seen.replied_iso or None,
        edited_at=moment if seen else None,
        version=seen.version + 1 if seen else 1,
    ).serialize()
    same = NEW if seen is None else unchanged({"n": {"N": str(seen.version)}}, "n")
    try:
        _write(_flag(comment_id, there=True), put(item, same))
    except ConditionFailed as error:
        _require_comment(comment_id, error)
        found = find_reply(comment_id)
        if found is None or found.text != text:
            raise ReplyChanged(found) from error


def delete_reply(comment_id: str) -> None:
    """Delete the reply to a comment; that there is none is success.

    Raises NoSuchComment, Contended, and botocore's errors.
    """
    key = {"pk": {"S": keys.comment(comment_id)}, "sk": {"S": keys.REPLY}}
    try:
        _write(_flag(comment_id, there=False), delete(key, Condition("attribute_exists(pk)")))
    except ConditionFailed as error:
        _require_comment(comment_id, error)


def _flag(comment_id: str, *, there: bool) -> Action:
    """Spell what a comment says of its reply; that of a hidden one can only be deleted."""
    value = {"S": keys.comment(comment_id)}
    changes: dict[str, Any] = {
        _REPLIED: {"BOOL": True} if there else None,
        _DIGEST: {"B": BY_STAFF},
    }
    key: Item = {"pk": value, "sk": value}
    return update(key, changes, _LISTED if there else THERE)


def _write(*actions: Action) -> None:
    write_together(client(), actions)


def _require_comment(comment_id: str, error: ConditionFailed) -> None:
    if _COMMENT in error.failed:
        raise NoSuchComment(comment_id) from error
