"""Decisions of staff on comments, carried out and told to the activity log."""

from datetime import datetime
from enum import StrEnum

from comments.activity_log import moderated
from comments.moderation.services import delete, hide, keep, restore
from comments.store.comments import StoredComment
from comments.store.revision import Seen, State
from shop.activity.entries import Action


class Decision(StrEnum):
    """What staff may decide on a comment."""

    KEEP = "keep"
    HIDE = "hide"
    RESTORE = "restore"
    DELETE = "delete"


_TOLD = {
    Decision.KEEP: (Action.KEPT, State.LISTED),
    Decision.HIDE: (Action.HIDDEN, State.HIDDEN),
    Decision.RESTORE: (Action.RESTORED, State.LISTED),
    Decision.DELETE: (Action.DELETED, ""),
}
"""What the activity log calls a decision, and the state it leads to."""


def carry_out(
    decision: Decision,
    *,
    comment_id: str,
    seen: Seen | None = None,
    who: str = "",
    now: datetime,
) -> None:
    """Do what was decided on a comment as it was ``seen``, or (None) as it is.

    ``who`` has decided, for the activity log; empty where it is no user. What was decided before
    is not told again. Raises NotAsSeen, NoSuchComment, Contended, and botocore's errors.
    """

    def done(before: StoredComment) -> None:
        action, state = _TOLD[decision]
        moderated(
            action,
            comment_id=comment_id,
            product_id=before.comment.product_id,
            who=who,
            was=State.of(before.item),
            became=state,
            at=now,
        )

    if decision is Decision.KEEP:
        keep(comment_id=comment_id, seen=seen, done=done)
    elif decision is Decision.HIDE:
        hide(comment_id=comment_id, seen=seen, now=now, done=done)
    elif decision is Decision.RESTORE:
        restore(comment_id=comment_id, seen=seen, done=done)
    else:
        delete(comment_id=comment_id, seen=seen, now=now, done=done)
