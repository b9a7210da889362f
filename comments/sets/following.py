"""The primary item follows its comment: written in the comment's own transaction.

Every write that changes what a list shows of a comment adds the actions of `follow` to its
transaction, so that comment and primary cannot differ; the copies come later, by the stream.
Where the lists are read by the indexes of ``comments`` there is nothing to follow, and nothing is
written.
"""

from django.conf import settings

from comments.sets.copies import primary_of
from comments.sets.models import CommentSetItem
from dynamo.items import Item
from dynamo.writes.actions import Action, delete, put

SETS = "sets"
"""What the setting ``COMMENTS_READ_MODEL`` is when lists are read from ``comment_sets``."""


def is_followed() -> bool:
    """Tell whether primaries are written at all: whether the read model is ``sets``."""
    return bool(settings.COMMENTS_READ_MODEL == SETS)


def follow(before: Item | None, after: Item | None) -> list[Action]:
    """Give the actions that a transaction adds which turns a comment's item into another.

    ``before`` and ``after`` are items of the table ``comments``, whole; None where there is none.
    The transaction must require that ``before`` is what is stored: its version, whether it is
    listed, and whether it is replied to. None are needed where the primary stays as it is; one
    where it changes; two where the comment moves to another product.
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
