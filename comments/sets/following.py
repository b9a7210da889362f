"""The primary item is written in the transaction of its comment; copies follow by the stream."""

from django.conf import settings

from comments.sets.copies import primary_of
from comments.sets.models import CommentSetItem
from dynamo.items import Item
from dynamo.writes.transactions import Action, delete, put

SETS = "sets"
"""What the setting ``COMMENTS_READ_MODEL`` is when lists are read from ``comment_sets``."""


def is_followed() -> bool:
    """Return whether primaries are written: whether the read model is ``sets``."""
    return bool(settings.COMMENTS_READ_MODEL == SETS)


def follow(before: Item | None, after: Item | None) -> list[Action]:
    """Build the actions for a transaction that turns a comment's item into another, or None.

    The transaction must require that version, product and reply of ``before`` are still stored.
    """
    if not is_followed():
        return []
    old = primary_of(before) if before else None
    new = primary_of(after) if after else None
    if old == new:
        return []
    actions: list[Action] = []
    if old and (new is None or new["sk"] != old["sk"]):
        actions.append(delete(CommentSetItem, {"pk": old["pk"], "sk": old["sk"]}))
    if new:
        actions.append(put(CommentSetItem, new))
    return actions
