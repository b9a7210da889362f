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
from comments.keys import comment_key
from comments.models import Comment
from comments.posting.services import delete_comment
from comments.signals import (
    announce,
    comment_hidden,
    comment_kept,
    comment_picked,
    comment_posted,
    comment_restored,
)
from comments.store.comments import NoSuchComment, StoredComment, load_comment
from comments.store.states import (
    Revision,
    State,
    changes_to_list,
    changes_to_withhold,
    is_listed,
    product_id_of,
)
from comments.store.table import (
    Changes,
    change,
    changed,
    read_item,
    retry,
    write_if_condition_holds,
)
from comments.store.writing import CommentChange, write_comments
from comments.work import finish_owed_or_log
from dynapages.errors import DynamoError
from dynapages.lists import sort_key_of
from dynapages.process import client
from dynapages.pynamodb import unchanged, update
from dynapages.writes import write_item

_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_PICKED = Comment.featured_partition.attr_name
_DECISIVE = (
    Comment.pk,
    Comment.version,
    Comment.product_partition,
    Comment.moderation_partition,
    Comment.reports,
    Comment.reply,
)
"""What must not have changed in a comment for a decision on it to be right."""
_MEANWHILE = gettext_lazy(
    "This comment was changed, reported or decided on after you loaded the page. Check it again."
)
_REFUSAL_BY_STATE = {
    State.HELD: gettext_lazy("A comment that waits is published, rejected or deleted."),
    State.HIDDEN: gettext_lazy("A hidden comment is restored or deleted."),
    State.REPORTED: gettext_lazy("A reported comment is kept, hidden or deleted."),
    State.LISTED: gettext_lazy("A comment that is in its lists is hidden or deleted."),
}
"""Why a decision is refused that does not lead from the state that the comment is in."""


class Decision(TextChoices):
    """What staff may decide on a comment."""

    PUBLISH = "publish", gettext_lazy("Publish")
    REJECT = "reject", gettext_lazy("Reject")
    KEEP = "keep", gettext_lazy("Keep")
    HIDE = "hide", gettext_lazy("Hide")
    RESTORE = "restore", gettext_lazy("Restore")
    DELETE = "delete", gettext_lazy("Delete")

    @property
    def is_primary(self) -> bool:
        """Whether it is the first choice for a comment that waits for staff."""
        return self in {Decision.PUBLISH, Decision.KEEP, Decision.RESTORE}


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


class DecisionNotPossible(NotAsSeen):
    """The decision does not lead from the state that the comment is in; ``allowed`` do."""

    def __init__(self, state: State) -> None:
        super().__init__(str(_REFUSAL_BY_STATE[state]))
        allowed = [decision for decision, (sources, *_) in _STEPS.items() if state in sources]
        self.allowed = (*allowed, Decision.DELETE)


def target_of(decision: Decision) -> State:
    """Return the state that a decision leads to; there is none for a deletion."""
    _sources, target, _signal = _STEPS[decision]
    return target


# Decisions


def carry_out(
    decision: Decision,
    *,
    comment_id: str,
    seen: Revision | None = None,
    who: str = "",
    now: datetime,
    stored: StoredComment | None = None,
) -> bool:
    """Carry out a decision as `decide` does, or delete a comment.

    Returns False for a decision that was made already.
    """
    if decision is Decision.DELETE:
        return _delete(comment_id, seen, who=who, now=now, stored=stored)
    before = decide(decision, comment_id=comment_id, seen=seen, who=who, now=now, stored=stored)
    return before is not None


def decide(
    decision: Decision,
    *,
    comment_id: str,
    seen: Revision | None = None,
    who: str = "",
    now: datetime,
    stored: StoredComment | None = None,
) -> StoredComment | None:
    """Decide on the revision that was ``seen``, or (None) on the comment as it is; not to delete.

    ``who`` is the decider's user name for the signal, empty for a command. ``stored`` is the
    comment as it was just read; without it, it is read. Returns the comment as it was before, which
    `comments.moderation.undoing` needs; None for a decision that was made already. Raises
    NotAsSeen, DecisionNotPossible, NoSuchComment and Contended.
    """
    sources, target, signal = _STEPS[decision]
    just_read = [stored] if stored is not None else []

    def attempt() -> tuple[StoredComment, bool]:
        """Write the decision; return the comment as it was before, and whether it is new."""
        # A second attempt reads what has made the first one fail.
        current = just_read.pop() if just_read else load_comment(comment_id)
        if current.state is target:
            # Who saw it so has decided on nothing.
            if seen is not None and seen.state not in sources:
                raise DecisionNotPossible(current.state)
            # Two members of staff who decide alike are both right.
            return current, False
        _require_as_seen(current, seen)
        if current.state not in sources:
            raise DecisionNotPossible(current.state)
        _write_decision(current, target, now=now)
        return current, True

    before, is_new = retry(attempt)
    if not is_new:
        finish_owed_or_log(comment_id)
        return None
    announce(signal, comment_id, by=who, moment=now, comment=before.comment, was=before.state)
    return before


def _delete(
    comment_id: str,
    seen: Revision | None,
    *,
    who: str,
    now: datetime,
    stored: StoredComment | None,
) -> bool:
    # Deleting again finishes what was cut off, so a comment that is gone is no reason to stop.
    with suppress(NoSuchComment):
        if stored is None:
            stored = load_comment(comment_id)
        _require_as_seen(stored, seen)
    return delete_comment(comment_id, by=who, now=now, stored=stored)


def _require_as_seen(stored: StoredComment, seen: Revision | None) -> None:
    if seen is not None and seen != Revision.of(stored.item):
        raise NotAsSeen(str(_MEANWHILE))


def _write_decision(stored: StoredComment, target: State, *, now: datetime) -> None:
    """Bring a comment into another state. Raises ConditionFailed where it is not as ``stored``."""
    comment = stored.comment
    changes: Changes
    if target.is_listed and stored.state.is_listed:
        changes = {_QUEUE: None, _QUEUE_PLACE: None}
    elif target.is_listed:
        changes = changes_to_list(comment)
    else:
        # One that is in the queue keeps its place there.
        since = stored.item.get(_QUEUE_PLACE, {"S": sort_key_of(now, comment.id)})
        changes = changes_to_withhold(comment, since=since)
    write_changes(stored, changes)


def write_changes(stored: StoredComment, changes: Changes) -> None:
    """Write changes of a comment, with its counts and ranks, on condition that it is as ``stored``.

    Raises ConditionFailed where it is not, and Contended.
    """
    comment = stored.comment
    same = unchanged(stored.item, *_DECISIVE)
    after = changed(stored.item, changes)
    decided = CommentChange(stored.item, after, comment.body, comment.body)
    write_comments([decided], [change(comment_key(comment.id), changes, same)])


# Picks


def feature(comment_id: str, *, by: str = "", now: datetime) -> bool:
    """Pick a comment; return whether it was not picked before.

    Raises NoSuchComment, also for one that is in no list, and Contended.
    """
    key = comment_key(comment_id)

    def attempt() -> bool:
        item = read_item(key)
        if not is_listed(item):
            raise NoSuchComment(comment_id)
        # The partition is by product, which an import may change at the same time.
        pick = Comment.featured_partition.set(keys.featured(product_id_of(item)))
        same_product = unchanged(item, Comment.product_partition)
        write_item(client(), update(Comment, key, [pick], same_product))
        return _PICKED not in item

    is_new = retry(attempt)
    if is_new:
        announce(comment_picked, comment_id, by=by, moment=now, is_pick=True)
    return is_new


def unfeature(comment_id: str, *, by: str = "", now: datetime) -> bool:
    """Remove the pick of a comment; return whether it was one."""
    picked = Comment.featured_partition
    action = update(Comment, comment_key(comment_id), [picked.remove()], picked.exists())
    was_picked = write_if_condition_holds(action)
    if was_picked:
        announce(comment_picked, comment_id, by=by, moment=now, is_pick=False)
    return was_picked
