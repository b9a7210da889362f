"""What follows a change of comments in other tables: the one place that writes both.

The primaries of the read model ``sets`` are written in the transaction that changes their comments,
and their copies by a stream (`comments.sets.copies`). The postings by which comments are searched
are written after it (`comments.search.writer`); where that fails, the change remains, and so does
what tells of it.
"""

from collections.abc import Sequence

from comments.search.postings import is_searchable
from comments.search.writer import CommentChange, WordWriter
from comments.sets.copies import follow, is_followed
from comments.store import counts
from comments.store.counts import CountChanges
from comments.store.derived import bulk_batches
from dynapages.process import page_batches
from dynapages.writes import Action


def is_anything_following() -> bool:
    """Return whether a change of what lists show must be made from the whole item."""
    return is_followed() or is_searchable()


def write(
    actions: Sequence[Action],
    followed: Sequence[CommentChange],
    counted: CountChanges | None = None,
) -> None:
    """Write actions that change comments, what follows from them, and the counts they change.

    The actions must require that version, product and reply of each comment are as they were
    before. Raises like `comments.store.counts.write`.
    """
    following = [action for one in followed for action in follow(one.before, one.after)]
    writer = None
    if is_searchable():
        batches = page_batches() if len(followed) == 1 else bulk_batches()
        writer = WordWriter.following(followed, batches)
    if writer:
        following.append(writer.put())
    counts.write([*actions, *following], counted or CountChanges())
    if writer:
        writer.write_or_log()
