"""What happens to comments, recorded in the activity log of the shop: a receiver of signals."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.dispatch import Signal

from comments import signals
from comments.store.states import State
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import record

VERBS = {
    signals.comment_posted: LogVerb.POSTED,
    signals.comment_held: LogVerb.HELD,
    signals.comment_edited: LogVerb.EDITED,
    signals.comment_deleted: LogVerb.DELETED,
    signals.comment_hidden: LogVerb.HIDDEN,
    signals.comment_restored: LogVerb.RESTORED,
    signals.comment_kept: LogVerb.KEPT,
    signals.comment_queued: LogVerb.UNDECIDED,
    signals.comment_picked: LogVerb.PICKED,
    signals.comment_replied: LogVerb.REPLIED,
}
"""What is logged. Votes and reports are not: the log would name who reported."""
STATES_AFTER = {
    LogVerb.HIDDEN: State.HIDDEN,
    LogVerb.HELD: State.HELD,
    LogVerb.UNDECIDED: State.REPORTED,
    LogVerb.DELETED: "",
}
"""The state of a comment after what staff did; after all else it is listed."""


def log_comment(
    signal: Signal,
    comment_id: str,
    by: str,
    moment: datetime,
    **sent: Any,  # noqa: ANN401 - each signal's own
) -> None:
    """Record what an author did with a comment of their own, or staff with anybody's."""
    # An imported comment has no user: nobody is its author.
    comment: Any = sent.get("comment")
    is_own = comment is not None and by == comment.user_id != ""
    verb = _verb(VERBS[signal], sent, is_own=is_own)
    was, became = _change(VERBS[signal], sent, is_own=is_own)
    kind = Kind.COMMENT if is_own else Kind.MODERATION
    about = comment.product_id if comment else ""
    record(LogEntry(kind, verb, moment, by, comment_id, about, was, became))


def _verb(verb: LogVerb, sent: Mapping[str, Any], *, is_own: bool) -> LogVerb:
    """Return what is logged of a signal, more exactly than the signal's own verb says."""
    if verb is LogVerb.POSTED and not is_own:
        return LogVerb.PUBLISHED
    if verb is LogVerb.HIDDEN and sent.get("was") is State.HELD:
        return LogVerb.REJECTED
    if verb is LogVerb.HELD and "was" in sent:
        return LogVerb.UNDECIDED
    if verb is LogVerb.PICKED and not sent["is_pick"]:
        return LogVerb.UNPICKED
    if verb is LogVerb.REPLIED and sent["text"] is None:
        return LogVerb.REPLY_DELETED
    return verb


def _change(verb: LogVerb, sent: Mapping[str, Any], *, is_own: bool) -> tuple[str, str]:
    """Return what a comment was before and became: its rating, or its state; empty for nothing.

    Authors change ratings, staff states. ``verb`` is the signal's own.
    """
    comment: Any = sent.get("comment")
    if comment is None or (is_own and verb is LogVerb.DELETED):
        return "", ""
    if verb is LogVerb.EDITED:
        before, after = str(sent["before"].rating), str(comment.rating)
        return ("", "") if before == after else (before, after)
    if _is_new(verb, sent, is_own=is_own):
        return "", str(comment.rating)
    return sent.get("was") or "", STATES_AFTER.get(verb, State.LISTED)


def _is_new(verb: LogVerb, sent: Mapping[str, Any], *, is_own: bool) -> bool:
    """Return whether an author has just written a comment: days are counted by its rating.

    An edit that a gate holds, or lets through, makes none; and an imported one has no author here.
    """
    if not is_own or sent.get("was") is not None:
        return False
    if verb is LogVerb.HELD:
        return not sent.get("is_edit")
    return verb is LogVerb.POSTED


def log_topic(
    by: str,
    moment: datetime,
    **sent: Any,  # noqa: ANN401 - the signal's own
) -> None:
    """Record that staff banned a word as a topic, or allowed it again."""
    verb = LogVerb.TOPIC_BANNED if sent["is_banned"] else LogVerb.TOPIC_ALLOWED
    word = f"{sent['stem']} ({sent['language']})"
    record(LogEntry(Kind.MODERATION, verb, moment, by, word, sent["product_id"]))


for each in VERBS:
    each.connect(log_comment)
signals.topic_banned.connect(log_topic)
