"""Decisions of staff on comments, carried out and logged."""

from datetime import datetime
from enum import StrEnum

from comments.activity_log import moderated
from comments.moderation.services import delete, hide, keep, restore
from comments.store.comments import StoredComment
from comments.store.revision import Revision, State
from shop.activity.entries import LogVerb


class Decision(StrEnum):
    """What staff may decide on a comment."""

    KEEP = "keep"
    HIDE = "hide"
    RESTORE = "restore"
    DELETE = "delete"


_LOGGED = {
    Decision.KEEP: (LogVerb.KEPT, State.LISTED),
    Decision.HIDE: (LogVerb.HIDDEN, State.HIDDEN),
    Decision.RESTORE: (LogVerb.RESTORED, State.LISTED),
    Decision.DELETE: (LogVerb.DELETED, ""),
}
"""The action in the activity log of a decision, and the state it leads to."""


def carry_out(
    decision: Decision,
    *,
    comment_id: str,
    seen: Revision | None = None,
    who: str = "",
    now: datetime,
) -> None:
    """Carry out a decision on the revision that was ``seen``, or (None) on the comment as it is.

    ``who`` is the user name of the decider for the activity log, empty for a command. A decision
    that was made already is not logged again. Raises NotAsSeen, NoSuchComment, Contended, and
    botocore's errors.
    """
    before = _decide(decision, comment_id, seen, now)
    if before is None:
        return
    action, state = _LOGGED[decision]
    moderated(
        action,
        comment_id=comment_id,
        product_id=before.comment.product_id,
        who=who,
        was=State.of(before.item),
        became=state,
        at=now,
    )


def _decide(
    decision: Decision, comment_id: str, seen: Revision | None, now: datetime
) -> StoredComment | None:
    if decision is Decision.KEEP:
        return keep(comment_id=comment_id, seen=seen)
    if decision is Decision.RESTORE:
        return restore(comment_id=comment_id, seen=seen)
    return (hide if decision is Decision.HIDE else delete)(
        comment_id=comment_id, seen=seen, now=now
    )
