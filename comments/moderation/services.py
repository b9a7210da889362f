"""What staff do with a comment: keep, hide, restore or delete it, or pick it for its product.

======== ==================================== ===========================================
decision the comment was                      and is then
======== ==================================== ===========================================
keep     reported                             out of the queue; its reports stay
hide     reported, or simply there            in no list, not counted, in no ranking, no
                                              pick of the shop's; among the hidden ones
restore  hidden                               in its lists again, and counted
delete   any of these                         gone, with its dependents
======== ==================================== ===========================================

A decision is about the `Revision` that was seen: it is refused where somebody else has decided on,
edited or reported the comment since. One that was made already is success, and changes nothing.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from enum import StrEnum

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from comments import keys
from comments.items import derived_keys
from comments.models import Comment
from comments.posting.services import delete_comment
from comments.rankings.derivation import Touch, rankings_of_comment
from comments.rankings.services import refresh_ranks
from comments.sets.copies import follow
from comments.store.comments import (
    NoSuchComment,
    Revision,
    State,
    StoredComment,
    load_comment,
    product_id_of,
)
from comments.store.counts import CountChanges, write
from comments.store.table import LIST_KEYS, Changes, change, changed, comment_key, read_item, retry
from comments.votes.services import rank_or_log
from dynapages.errors import DynamoError
from dynapages.lists import sort_key_of
from dynapages.process import client
from dynapages.pynamodb import unchanged, update
from dynapages.writes import ConditionFailed, write_one
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import record

_HIDDEN_PRODUCT = Comment.hidden_product.attr_name
_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_ONLY_LISTED = (
    *LIST_KEYS.values(),
    Comment.rank_partition.attr_name,
    Comment.rank_place.attr_name,
    Comment.featured_partition.attr_name,
)
"""What a hidden comment does not have, whether or not it had it before."""

_MEANWHILE = gettext_lazy(
    "Somebody has decided on this comment, reported or changed it since you looked. Look again."
)
_NOT_FROM = {
    State.HIDDEN: gettext_lazy("A hidden comment is restored or deleted, not kept."),
    State.REPORTED: gettext_lazy("A reported comment is kept, hidden or deleted, not restored."),
}


class Decision(StrEnum):
    """What staff may decide on a comment."""

    KEEP = "keep"
    HIDE = "hide"
    RESTORE = "restore"
    DELETE = "delete"

    @property
    def label(self) -> str:
        return str(_LABELS[self])


_LABELS = {
    Decision.KEEP: gettext_lazy("Keep"),
    Decision.HIDE: gettext_lazy("Hide"),
    Decision.RESTORE: gettext_lazy("Restore"),
    Decision.DELETE: gettext_lazy("Delete"),
}

_LOGGED = {
    Decision.KEEP: (LogVerb.KEPT, State.LISTED),
    Decision.HIDE: (LogVerb.HIDDEN, State.HIDDEN),
    Decision.RESTORE: (LogVerb.RESTORED, State.LISTED),
    Decision.DELETE: (LogVerb.DELETED, ""),
}
"""The action in the activity log of a decision, and the state it leads to."""


class NotAsSeen(DynamoError):
    """The comment has changed since the decision was made."""

    def __init__(self, sentence: str) -> None:
        nothing = _("Nothing was done.")
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

    ``who`` is the decider's user name for the activity log, empty for a command. Returns False
    for a decision that was made already. Raises NotAsSeen, NoSuchComment and Contended.
    """
    if decision is Decision.KEEP:
        before = keep(comment_id=comment_id, seen=seen)
    elif decision is Decision.HIDE:
        before = hide(comment_id=comment_id, seen=seen, now=now)
    elif decision is Decision.RESTORE:
        before = restore(comment_id=comment_id, seen=seen)
    else:
        before = delete(comment_id=comment_id, seen=seen, now=now)
    if before is None:
        return False
    action, state = _LOGGED[decision]
    about, was = before.comment.product_id, State.of(before.item)
    record(LogEntry(Kind.MODERATION, action, now, who, comment_id, about, was, state))
    return True


def keep(*, comment_id: str, seen: Revision | None = None) -> StoredComment | None:
    """Take a reported comment out of the queue; a new report brings it back.

    Returns the comment as it was before, None where it was decided so already. Raises like
    `carry_out`, as the other decisions do.
    """

    def decide(stored: StoredComment) -> None:
        _write(stored, {_QUEUE: None, _QUEUE_PLACE: None})

    before = _decide(comment_id, seen, until=State.LISTED, decide=decide, never_from=State.HIDDEN)
    return _unless(State.LISTED, before)


def hide(*, comment_id: str, seen: Revision | None = None, now: datetime) -> StoredComment | None:
    """Take a comment out of its lists, counts and rankings."""

    def decide(stored: StoredComment) -> None:
        queued = {"S": sort_key_of(now, comment_id)}
        changes: Changes = {
            **dict.fromkeys(_ONLY_LISTED),
            _HIDDEN_PRODUCT: {"S": stored.comment.product_id},
            _QUEUE: {"S": keys.moderation(State.HIDDEN)},
            _QUEUE_PLACE: stored.item.get(_QUEUE_PLACE, queued),
        }
        _write(stored, changes, counted=-1)

    before = _decide(comment_id, seen, until=State.HIDDEN, decide=decide)
    comment = before.comment
    rankings = rankings_of_comment(comment.rating)
    refresh_ranks({comment.product_id: Touch()}, rankings=rankings, log_failures=True)
    return _unless(State.HIDDEN, before)


def restore(*, comment_id: str, seen: Revision | None = None) -> StoredComment | None:
    """Put a hidden comment back into its lists."""

    def decide(stored: StoredComment) -> None:
        derived = derived_keys(stored.comment)
        changes: Changes = {
            **{attribute: {"S": derived[name]} for name, attribute in LIST_KEYS.items()},
            **dict.fromkeys((_HIDDEN_PRODUCT, _QUEUE, _QUEUE_PLACE)),
        }
        _write(stored, changes, counted=1)

    before = _decide(comment_id, seen, until=State.LISTED, decide=decide, never_from=State.REPORTED)
    comment = before.comment
    rank_or_log(comment_id)
    refresh_ranks(
        {comment.product_id: Touch(sort_key_of(comment.created_at, comment.id))},
        rankings=rankings_of_comment(comment.rating),
        log_failures=True,
    )
    return _unless(State.LISTED, before)


def delete(*, comment_id: str, seen: Revision | None = None, now: datetime) -> StoredComment | None:
    """Delete a comment with its dependents; return it as it was, None where it was deleted."""
    stored = None
    with suppress(NoSuchComment):
        stored = load_comment(comment_id)
    if stored and seen not in {None, Revision.of(stored.item)}:
        raise NotAsSeen(str(_MEANWHILE))
    return stored if delete_comment(comment_id, now=now) else None


def _decide(
    comment_id: str,
    seen: Revision | None,
    *,
    until: State,
    decide: Callable[[StoredComment], None],
    never_from: State | None = None,
) -> StoredComment:
    """Decide unless the comment's state is ``until`` already; return it as it was before."""

    def attempt() -> StoredComment:
        stored = load_comment(comment_id)
        revision = Revision.of(stored.item)
        if revision.state == until:
            return stored
        if seen is not None and seen != revision:
            raise NotAsSeen(str(_MEANWHILE))
        if revision.state is never_from:
            raise NotAsSeen(str(_NOT_FROM[never_from]))
        decide(stored)
        return stored

    return retry(attempt)


def _unless(state: State, before: StoredComment) -> StoredComment | None:
    return None if State.of(before.item) is state else before


def _write(stored: StoredComment, changes: Changes, *, counted: int = 0) -> None:
    same = unchanged(
        stored.item,
        Comment.pk,
        Comment.version,
        Comment.product_partition,
        Comment.moderation_partition,
        Comment.reports,
        Comment.reply,
    )
    counts = CountChanges()
    comment = stored.comment
    counts.add(comment.product_id, stored.cell, comment.created_at, counted)
    decided = change(comment_key(stored.comment.id), changes, same)
    write([decided, *follow(stored.item, changed(stored.item, changes))], counts)


_LISTED = Comment.product_partition.attr_name
_FEATURED = Comment.featured_partition.attr_name


def feature(comment_id: str) -> bool:
    """Pick a comment; return whether it was not picked before.

    Raises NoSuchComment, also for one that is hidden, and Contended.
    """
    key = comment_key(comment_id)

    def attempt() -> bool:
        item = read_item(key)
        if _LISTED not in item:
            raise NoSuchComment(comment_id)
        pick = Comment.featured_partition.set(keys.featured(product_id_of(item)))
        same_product = unchanged(item, Comment.product_partition)
        write_one(client(), update(Comment, key, [pick], same_product))
        return _FEATURED not in item

    return retry(attempt)


def unfeature(comment_id: str) -> bool:
    """Take a pick back; return whether it was one."""
    picked = Comment.featured_partition
    action = update(Comment, comment_key(comment_id), [picked.remove()], picked.exists())
    try:
        write_one(client(), action)
    except ConditionFailed:
        return False
    return True
