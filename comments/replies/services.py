"""The shop's replies, one to each comment: read, written, changed and deleted.

What lists show of a reply is in its comment's item, and changes in the same transaction.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _
from pynamodb.expressions.condition import Condition

from comments import keys
from comments.items import LONG_REPLY, reply_shown
from comments.keys import comment_key
from comments.models import Comment, CommentReply
from comments.search.writer import finish_postings
from comments.signals import announce, comment_replied, owed_by, reply_owes
from comments.store.comments import NoSuchComment
from comments.store.states import LISTED, NEW, NOT_DELETED, product_id_of
from comments.store.table import ATTEMPTS, BEING_CHANGED, Changes, change, changed, read_item
from comments.store.writing import CommentChange, has_derived_tables, write_comments
from comments.users import author_name
from dynapages.calls import clock, labelled_calls, sentence_about
from dynapages.errors import DynamoError
from dynapages.items import Item, Value
from dynapages.lists import parse_timestamp, timestamp
from dynapages.process import client
from dynapages.pynamodb import FAILURES, unchanged
from dynapages.work import Owed, worker
from dynapages.writes import Action, ConditionFailed, Contended, delete, put, write_transaction

LONGEST_REPLY = 4_000
"""Characters."""
BY_STAFF = b"staff"
"""In place of the digest of an imported reply: an import must leave this comment's reply alone."""
_COMMENT = 0
"""Number of the transactions' action on the comment."""
_TEXT = CommentReply.text.attr_name
_AUTHOR = CommentReply.author.attr_name
_REPLIED_AT = CommentReply.replied_at.attr_name
_EDITED_AT = CommentReply.edited_at.attr_name
_VERSION = CommentReply.version.attr_name
_USER_ID = CommentReply.user_id.attr_name
_NO_TEXT: Value = {"S": ""}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of the shop's; an imported one has no user, and perhaps no date.

    ``author`` is the name of the user who wrote it. In a list ``text`` is an excerpt when
    ``is_long``, without user, ``author`` and ``version``.
    """

    text: str
    author: str = ""
    replied: datetime | None = None
    edited: datetime | None = None
    version: int = 0
    is_long: bool = False
    user_id: str = ""

    @property
    def author_name(self) -> str:
        """What pages for staff call who wrote it, in the active language."""
        return author_name(self)

    @property
    def replied_iso(self) -> str:
        return timestamp(self.replied) if self.replied else ""


def find_reply(comment_id: str) -> Reply | None:
    """Read the reply to a comment, strongly."""
    with labelled_calls("replies"):
        item = read_item(comment_key(comment_id, keys.REPLY))
    return reply_in(item) if item else None


def reply_in(item: Item) -> Reply:
    """Build a reply from its item, or from what lists show of it."""
    return Reply(
        text=item[_TEXT]["S"],
        author=item.get(_AUTHOR, _NO_TEXT)["S"],
        replied=_moment_in(item, _REPLIED_AT),
        edited=_moment_in(item, _EDITED_AT),
        version=int(item.get(_VERSION, {"N": "0"})["N"]),
        is_long=LONG_REPLY in item,
        user_id=item.get(_USER_ID, _NO_TEXT)["S"],
    )


def _moment_in(item: Item, attribute: str) -> datetime | None:
    if attribute not in item:
        return None
    return parse_timestamp(item[attribute]["S"])


# Writing


class ReplyChanged(DynamoError):
    """The reply is not the one that was seen; ``reply`` is it as it is, None if it is deleted."""

    def __init__(self, reply: Reply | None) -> None:
        super().__init__(_("Somebody else has written, changed or deleted the reply meanwhile."))
        self.reply = reply


def reply_to(
    *,
    comment_id: str,
    text: str,
    user_id: str,
    author: str = "",
    seen: Reply | None,
    now: datetime,
) -> None:
    """Reply to a comment, or change the reply that was ``seen``; doing so again changes nothing.

    ``author`` is the name of the user who replies, empty for one without. A reply stays signed by
    who wrote it first. Raises NoSuchComment, also for a hidden one, ReplyChanged and Contended.
    """
    is_new = seen is None
    same: Condition
    owes: Sequence[Owed] = ()
    if seen is None:
        reply = Reply(text, author=author, replied=now, version=1, user_id=user_id)
        same = NEW
        owes = owed_by(reply_owes, comment_id, by=user_id, moment=now)
    else:
        reply = replace(seen, text=text, edited=now, version=seen.version + 1)
        same = CommentReply.version == seen.version
    # What lists show is an excerpt of a long reply, in the same transaction.
    item = _item_of(reply, comment_id)
    put_reply = put(CommentReply, item, same)
    try:
        _write_reply(comment_id, put_reply, shown={"M": reply_shown(item)}, owes=owes)
    except ConditionFailed as error:
        _require_comment(comment_id, error)
        stored = find_reply(comment_id)
        if stored is None or stored.text != text:
            raise ReplyChanged(stored) from error
        finish_reply(comment_id)
        return
    # An e-mail to the author, say: the worker of this process sends it at once.
    for owed in owes:
        worker().wake(owed)
    announce(comment_replied, comment_id, by=user_id, moment=now, text=text, is_new=is_new)


def _item_of(reply: Reply, comment_id: str) -> Item:
    """Build the item of a reply, with the keys that list it by its author, if it has one."""
    partition = place = None
    if reply.user_id:
        partition = keys.replier(reply.user_id)
        place = keys.replied(reply.replied_iso, comment_id)
    stored = CommentReply(
        pk=keys.comment(comment_id),
        sk=keys.REPLY,
        replier_partition=partition,
        place=place,
        text=reply.text,
        user_id=reply.user_id or None,
        author=reply.author or None,
        replied_at=reply.replied_iso or None,
        edited_at=timestamp(reply.edited) if reply.edited else None,
        version=reply.version,
    )
    return stored.serialize()


def delete_reply(comment_id: str, *, by: str = "", now: datetime | None = None) -> bool:
    """Delete the reply to a comment; return whether there was one. Raises like `reply_to`."""
    key = comment_key(comment_id, keys.REPLY)
    deletion = delete(CommentReply, key, CommentReply.pk.exists())
    try:
        _write_reply(comment_id, deletion, shown=None)
    except ConditionFailed as error:
        _require_comment(comment_id, error)
        finish_reply(comment_id)
        return False
    moment = now or clock.now()
    announce(comment_replied, comment_id, by=by, moment=moment, text=None, is_new=False)
    return True


def finish_reply(comment_id: str) -> None:
    """Finish what an earlier attempt at the same reply may have left behind.

    What fails is logged, and left to the worker.
    """
    try:
        item = read_item(comment_key(comment_id))
        if item:
            finish_postings(product_id_of(item), comment_id)
    except FAILURES as failure:
        sentence = "What comment %s owes was left behind: %s"
        logger.warning(sentence, comment_id, sentence_about(failure))


def _write_reply(
    comment_id: str, reply: Action, *, shown: Value | None, owes: Sequence[Owed] = ()
) -> None:
    """Write a reply, with what its comment's lists show of it; a hidden one's is only deleted.

    ``owes`` is what the project owes then.
    """
    # From now on imports leave this reply alone.
    changes: Changes = {
        Comment.reply.attr_name: shown,
        Comment.reply_digest.attr_name: {"B": BY_STAFF},
    }
    required = LISTED if shown else NOT_DELETED
    actions = [reply, *(owed.action for owed in owes)]
    if has_derived_tables():
        _write_from_whole_item(comment_id, changes, required, actions)
    else:
        # Nothing is derived from the rest of the comment: it need not be read.
        in_lists = change(comment_key(comment_id), changes, required)
        write_transaction(client(), [in_lists, *actions])


def _write_from_whole_item(
    comment_id: str, changes: Changes, required: Condition, actions: Sequence[Action]
) -> None:
    """Make changes of a comment as it is then, with other actions; try again where others do."""
    key = comment_key(comment_id)
    for _attempt in range(ATTEMPTS):
        before = read_item(key)
        # These change with whatever a list shows of a comment.
        same = unchanged(before, Comment.version, Comment.product_partition, Comment.reply)
        in_lists = change(key, changes, required & same)
        replied = [CommentChange(before, changed(before, changes))] if before else []
        try:
            write_comments(replied, [in_lists, *actions])
        except ConditionFailed as error:
            if _COMMENT not in error.failed or read_item(key) == before:
                raise
        else:
            return
    raise Contended(BEING_CHANGED)


def _require_comment(comment_id: str, error: ConditionFailed) -> None:
    if _COMMENT in error.failed:
        raise NoSuchComment(comment_id) from error
