"""Events of comments, for webhooks: owed in the transaction of the change, ids and facts alone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy

from comments.items import CONTENT
from comments.models import Comment
from comments.store.states import State, is_tombstone
from comments.store.writing import CommentChange
from dynapages.calls import clock
from dynapages.items import Item
from dynapages.work import Owed
from shop.webhooks.events import Event
from shop.webhooks.known import types_heard
from shop.webhooks.owing import owed_events

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

POSTED = "comment.posted"
HELD = "comment.held"
EDITED = "comment.edited"
HIDDEN = "comment.hidden"
RESTORED = "comment.restored"
DELETED = "comment.deleted"
COMMENT_MEANINGS: dict[str, "StrPromise"] = {
    POSTED: gettext_lazy("A comment is in its lists for the first time."),
    HELD: gettext_lazy("A comment waits for the shop, a new one or an edited one."),
    EDITED: gettext_lazy("The words, the rating or the language of a comment were changed."),
    HIDDEN: gettext_lazy("A comment was taken out of its lists, or rejected."),
    RESTORED: gettext_lazy("A hidden comment is in its lists again."),
    DELETED: gettext_lazy("A comment was deleted."),
}
"""What a webhook can be told of comments. Votes, reports, replies and picks are no events."""
_DELETED = "deleted"
_RATING = Comment.rating.attr_name
_LANGUAGE = Comment.language.attr_name
_VERSION = Comment.version.attr_name
_VERIFIED = Comment.verified.attr_name


def owed_by_comments(changes: Sequence[CommentChange]) -> list[Owed]:
    """Return what changes of comments owe: a hook of `comments.store.writing`."""
    if not types_heard():
        return []
    now = clock.now()
    events = []
    for change in changes:
        event_type = _type_of(change)
        if event_type:
            events.append(Event.at(now, event_type, _facts_of(change)))
    return owed_events(events)


def _type_of(change: CommentChange) -> str:
    """Return the type of event that a change is; empty for one that is none."""
    before, after = _state(change.before), _state(change.after)
    if after == before:
        return EDITED if _has_new_content(change) else ""
    if after == _DELETED:
        # What was deleted before, or never there, is not deleted now.
        return DELETED if before else ""
    if after == State.HELD:
        return HELD
    if after == State.HIDDEN:
        return HIDDEN
    return RESTORED if before == State.HIDDEN else POSTED


def _state(item: Item | None) -> str:
    """Return a comment's state by its item; empty for none.

    A reported comment is listed: who reports one tells the shop alone.
    """
    if item is None:
        return ""
    if is_tombstone(item):
        return _DELETED
    state = State.of(item)
    return State.LISTED if state.is_listed else state


def _has_new_content(change: CommentChange) -> bool:
    """Return whether what its author chose or wrote is another now."""
    before, after = change.before or {}, change.after or {}
    return any(before.get(name) != after.get(name) for name in CONTENT)


def _facts_of(change: CommentChange) -> dict[str, Any]:
    """Return what an event says of a comment: nothing of what it says, or of who wrote it."""
    # A tombstone has nothing of what it was.
    item = (change.before if change.is_deletion else change.after) or {}
    facts = {
        "comment_id": change.comment_id,
        "product_id": change.product_id,
        "language": item[_LANGUAGE]["S"],
        "rating": int(item[_RATING]["N"]),
        "is_verified_purchase": item.get(_VERIFIED, {}).get("BOOL", False),
        "state": _state(change.after).lower(),
        "previous_state": _state(change.before).lower() or None,
    }
    if _VERSION in item:
        facts["version"] = int(item[_VERSION]["N"])
    return facts
