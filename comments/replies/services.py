"""Writes of the shop's replies: one to each comment, by staff.

The reply is an item beside the comment; whether there is one is said by the comment itself, in
the same transaction, and by what lists show of it. From then on the reply is staff's: an import
does not touch it again.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from comments import keys
from comments.models import TABLE, Comment, CommentReply
from comments.replies.queries import Reply, find_reply
from comments.sets.following import follow, is_followed
from comments.store.comments import NoSuchComment
from comments.store.transactions import NEW, THERE, Condition, delete, put, unchanged, update
from dynamo.calls.client import client
from dynamo.errors import DynamoError
from dynamo.items import Item
from dynamo.lists.places import timestamp
from dynamo.writes.actions import Action
from dynamo.writes.transactions import ConditionFailed, Contended, write_together

LONGEST_REPLY = 4_000
"""Characters."""
BY_STAFF = b"staff"
"""In place of the digest of an imported reply: an import must leave this comment's reply alone."""
ATTEMPTS = 5
_COMMENT = 0
"""Number of the transactions' action on the comment."""
_REPLIED = Comment.replied.attr_name
_DIGEST = Comment.reply_digest.attr_name
_PRODUCT = Comment.product_partition.attr_name
_LISTED = Condition(f"attribute_exists(#{_PRODUCT})", {f"#{_PRODUCT}": _PRODUCT})
_SHOWN_BY = (Comment.version.attr_name, _PRODUCT, _REPLIED)
"""What changes with whatever a list shows of a comment."""


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
    signed = author if seen is None else seen.author
    replied_at = moment if seen is None else seen.replied_iso
    item = CommentReply(
        pk=keys.comment(comment_id),
        sk=keys.REPLY,
        replier_partition=keys.replier(signed) if signed else None,
        place=keys.replied(replied_at, comment_id) if signed else None,
        text=text,
        author=signed or None,
        replied_at=replied_at or None,
        edited_at=moment if seen else None,
        version=seen.version + 1 if seen else 1,
    ).serialize()
    same = NEW if seen is None else unchanged({"n": {"N": str(seen.version)}}, "n")
    try:
        _write(comment_id, put(item, same), there=True)
    except ConditionFailed as error:
        _require_comment(comment_id, error)
        found = find_reply(comment_id)
        if found is None or found.text != text:
            raise ReplyChanged(found) from error


def delete_reply(comment_id: str) -> bool:
    """Delete the reply to a comment, and tell whether there was one; that there is none is success.

    Raises NoSuchComment, Contended, and botocore's errors.
    """
    key = {"pk": {"S": keys.comment(comment_id)}, "sk": {"S": keys.REPLY}}
    try:
        _write(comment_id, delete(key, Condition("attribute_exists(pk)")), there=False)
    except ConditionFailed as error:
        _require_comment(comment_id, error)
        return False
    return True


def _write(comment_id: str, reply: Action, *, there: bool) -> None:
    """Write a reply with what its comment says of it; to that of a hidden one, only its deletion.

    The comment need not be read for that, unless a primary item follows it (`comments.sets`).
    """
    says: Mapping[str, Any] = {
        _REPLIED: {"BOOL": True} if there else None,
        _DIGEST: {"B": BY_STAFF},
    }
    required = _LISTED if there else THERE
    if not is_followed():
        write_together(client(), [update(_key(comment_id), says, required), reply])
        return
    for _ in range(ATTEMPTS):
        before = _read(comment_id)
        after = {n: value for n, value in {**before, **says}.items() if value is not None}
        flag = update(_key(comment_id), says, required & unchanged(before, *_SHOWN_BY))
        try:
            write_together(client(), [flag, reply, *follow(before, after)])
        except ConditionFailed as error:
            if _COMMENT not in error.failed or _read(comment_id) == before:
                raise
        else:
            return
    raise Contended("This comment is being changed by others at the moment.")


def _read(comment_id: str) -> Item:
    answer = client().get_item(TableName=TABLE, Key=_key(comment_id), ConsistentRead=True)
    return answer.get("Item", {})


def _key(comment_id: str) -> Item:
    value = {"S": keys.comment(comment_id)}
    return {"pk": value, "sk": value}


def _require_comment(comment_id: str, error: ConditionFailed) -> None:
    if _COMMENT in error.failed:
        raise NoSuchComment(comment_id) from error
