"""What happens to comments, in the activity log of the shop: a receiver of their signals."""

from datetime import datetime
from typing import Any

from django.dispatch import Signal

from comments import signals
from comments.store.comments import State
from shop.activity.entries import Kind, LogEntry, LogVerb, record

VERBS = {
    signals.comment_posted: LogVerb.POSTED,
    signals.comment_held: LogVerb.HELD,
    signals.comment_edited: LogVerb.EDITED,
    signals.comment_deleted: LogVerb.DELETED,
    signals.comment_hidden: LogVerb.HIDDEN,
    signals.comment_restored: LogVerb.RESTORED,
    signals.comment_kept: LogVerb.KEPT,
    signals.comment_picked: LogVerb.PICKED,
    signals.comment_replied: LogVerb.REPLIED,
}
"""What is logged. Votes and reports are not: the log would name who reported."""
BECAME = {LogVerb.HIDDEN: State.HIDDEN, LogVerb.DELETED: ""}


def log_comment(
    signal: Signal,
    comment_id: str,
    by: str,
    moment: datetime,
    **said: Any,  # noqa: ANN401 - each signal's own
) -> None:
    """Record what an author did with a comment of their own, or staff with anybody's."""
    comment: Any = said.get("comment")
    verb = VERBS[signal]
    is_own = comment is not None and by == comment.user_id != ""
    was, became = said.get("was") or "", BECAME.get(verb, State.LISTED)
    if verb is LogVerb.EDITED:
        was, became = str(said["before"].rating), str(comment.rating)
        if was == became:
            was = became = ""
    elif verb is LogVerb.HELD or (verb is LogVerb.POSTED and is_own):
        was, became = "", str(comment.rating)
    elif verb is LogVerb.POSTED:
        verb = LogVerb.PUBLISHED
    elif verb is LogVerb.HIDDEN and was is State.HELD:
        verb = LogVerb.REJECTED
    elif verb is LogVerb.PICKED and not said["is_pick"]:
        verb = LogVerb.UNPICKED
    elif verb is LogVerb.REPLIED and said["text"] is None:
        verb = LogVerb.REPLY_DELETED
    if comment is None or (is_own and verb is LogVerb.DELETED):
        was = became = ""
    kind = Kind.COMMENT if is_own else Kind.MODERATION
    about = comment.product_id if comment else ""
    record(LogEntry(kind, verb, moment, by, comment_id, about, was, became))


for each in VERBS:
    each.connect(log_comment)
