"""What staff do with a comment: publish, keep, hide, restore or delete it, or pick it.

======== ==================================== ===========================================
decision the comment was                      and is then
======== ==================================== ===========================================
publish  held                                 in its lists, and counted
reject   held                                 among the hidden ones
keep     reported                             out of the queue; its reports stay
hide     reported, or simply there            in no list, not counted, in no ranking, no
                                              pick of the shop's; among the hidden ones
restore  hidden                               in its lists again, and counted
delete   any of these                         gone, with its dependents
======== ==================================== ===========================================

A decision is about the `Revision` that was seen: it is refused where somebody else has decided on,
edited or reported the comment since. One that was made already is success, and changes nothing.
"""

from contextlib import suppress
from datetime import datetime

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from comments import keys
from comments.models import Comment
from comments.posting.services import delete_comment, owes_of_move, rank_moved
from comments.search.writer import CommentChange, write
from comments.signals import (
    announce,
    comment_hidden,
    comment_kept,
    comment_picked,
    comment_posted,
    comment_restored,
)
from comments.store.comments import (
    NoSuchComment,
    Revision,
    State,
    StoredComment,
    is_listed,
    listed,
    load_comment,
    product_id_of,
    withheld,
)
from comments.store.counts import CountChanges
from comments.store.owed import NOTHING, Committed
from comments.store.table import Changes, change, changed, comment_key, read_item, retry, write_if
from comments.work import finish_owed_or_log
from dynapages.errors import DynamoError
from dynapages.lists import sort_key_of
from dynapages.process import client
from dynapages.pynamodb import unchanged, update
from dynapages.writes import write_item

_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name

_MEANWHILE = gettext_lazy(
    "This comment was changed, reported or decided on after you loaded the page. Check it again."
)
_NOT_FROM = {
    State.HELD: gettext_lazy("A comment that waits is published, rejected or deleted."),
    State.HIDDEN: gettext_lazy("A hidden comment is restored or deleted, not kept."),
    State.REPORTED: gettext_lazy("A reported comment is kept, hidden or deleted, not restored."),
    State.LISTED: _MEANWHILE,
}


class Decision(TextChoices):
    """What staff may decide on a comment."""

    PUBLISH = "publish", gettext_lazy("Publish")
    REJECT = "reject", gettext_lazy("Reject")
    KEEP = "keep", gettext_lazy("Keep")
    HIDE = "hide", gettext_lazy("Hide")
    RESTORE = "restore", gettext_lazy("Restore")
    DELETE = "delete", gettext_lazy("Delete")


_STEPS = {
    Decision.PUBLISH: ({State.HELD}, State.LISTED, comment_posted),
    Decision.REJECT: ({State.HELD}, State.HIDDEN, comment_hidden),
    Decision.KEEP: ({State.REPORTED}, State.LISTED, comment_kept),
    Decision.HIDE: ({State.REPORTED, State.LISTED}, State.HIDDEN, comment_hidden),
    Decision.RESTORE: ({State.HIDDEN}, State.LISTED, comment_restored),
}
"""The states that a decision leads from, the one it leads to, and what is sent then."""


class NotAsSeen(DynamoError):
    """The comment has changed since the decision was made."""

    def __init__(self, sentence: str) -> None:
        nothing = _("Nothing was changed.")
        super().__init__(f"{sentence} {nothing}")


def carry_out(
    decision: Decision,
    *,
    comment_id: str,
    seen: Revision | None = None,
    who: str = "",
    now: datetime,
) -> bool:
    """Carry out a decision on the revision that was ``seen``, or (None) on the comment as it is.

    ``who`` is the decider's user name for the signal, empty for a command. Returns False for a
    decision that was made already. Raises NotAsSeen, NoSuchComment and Contended.
    """
    if decision is Decision.DELETE:
        return _delete(comment_id, seen, who=who, now=now)
    sources, target, signal = _STEPS[decision]

    def attempt() -> tuple[StoredComment, Committed | None]:
        stored = load_comment(comment_id)
        if stored.state is target:
            return stored, None
        if seen not in {None, Revision.of(stored.item)}:
            raise NotAsSeen(str(_MEANWHILE))
        if stored.state not in sources:
            raise NotAsSeen(str(_NOT_FROM[stored.state]))
        return stored, _write(stored, target, now=now)

    before, committed = retry(attempt)
    comment, was = before.comment, before.state
    if committed is None:
        finish_owed_or_log(comment_id)
        return False
    is_moved = was.is_listed != target.is_listed
    committed.end(not is_moved or rank_moved(comment, is_listed=target.is_listed))
    announce(signal, comment_id, by=who, moment=now, comment=comment, was=was)
    return True


def _delete(comment_id: str, seen: Revision | None, *, who: str, now: datetime) -> bool:
    with suppress(NoSuchComment):
        if seen not in {None, Revision.of(load_comment(comment_id).item)}:
            raise NotAsSeen(str(_MEANWHILE))
    return delete_comment(comment_id, by=who, now=now)


def _write(stored: StoredComment, target: State, *, now: datetime) -> Committed:
    comment, counts = stored.comment, CountChanges()
    if target.is_listed and stored.state.is_listed:
        changes: Changes = {_QUEUE: None, _QUEUE_PLACE: None}
    elif target.is_listed:
        changes = listed(comment)
        counts.add(comment.product_id, stored.cell, comment.created_at, 1)
    else:
        queued = stored.item.get(_QUEUE_PLACE, {"S": sort_key_of(now, comment.id)})
        changes = withheld(comment, since=queued)
        if stored.state.is_listed:
            counts.add(comment.product_id, stored.cell, comment.created_at, -1)
    same = unchanged(
        stored.item,
        Comment.pk,
        Comment.version,
        Comment.product_partition,
        Comment.moderation_partition,
        Comment.reports,
        Comment.reply,
    )
    decided = change(comment_key(comment.id), changes, same)
    after = changed(stored.item, changes)
    text = CommentChange(stored.item, after, comment.body, comment.body)
    is_moved = stored.state.is_listed != target.is_listed
    owes = owes_of_move(after, is_listed=target.is_listed) if is_moved else NOTHING
    return write([decided], [text], counts, owes)


_FEATURED = Comment.featured_partition.attr_name


def feature(comment_id: str, *, by: str = "", now: datetime) -> bool:
    """Pick a comment; return whether it was not picked before.

    Raises NoSuchComment, also for one that is in no list, and Contended.
    """
    key = comment_key(comment_id)

    def attempt() -> bool:
        item = read_item(key)
        if not is_listed(item):
            raise NoSuchComment(comment_id)
        pick = Comment.featured_partition.set(keys.featured(product_id_of(item)))
        same_product = unchanged(item, Comment.product_partition)
        write_item(client(), update(Comment, key, [pick], same_product))
        return _FEATURED not in item

    if is_new := retry(attempt):
        announce(comment_picked, comment_id, by=by, moment=now, is_pick=True)
    return is_new


def unfeature(comment_id: str, *, by: str = "", now: datetime) -> bool:
    """Take a pick back; return whether it was one."""
    picked = Comment.featured_partition
    action = update(Comment, comment_key(comment_id), [picked.remove()], picked.exists())
    if is_gone := write_if(action):
        announce(comment_picked, comment_id, by=by, moment=now, is_pick=False)
    return is_gone
