"""What users left among comments: what they wrote, their votes, reports and replies.

Votes, reports and replies have keys of the index ``by_author``, in partitions of their own. The
index is eventually consistent: what was written a moment ago is found by a second run.
"""

from collections.abc import Iterator
from contextlib import suppress

from comments import keys
from comments.models import TABLE, ByAuthor, Comment, CommentReply
from comments.posting.services import delete_comment
from comments.store.comments import NOT_DELETED, NoSuchComment
from comments.store.table import comment_key, query_pages
from comments.votes.services import rank_or_log, take_back
from dynamo.calls.client import client
from dynamo.writes.actions import Action, delete, update
from dynamo.writes.transactions import ConditionFailed, write_together
from dynamo.writes.updates import write_one

_COMMENT = 0
"""Number of the transaction's action on the comment."""


def comments_listed_in(partition: str) -> Iterator[str]:
    """Yield the ids of the comments in a partition of ``by_author``."""
    index = ByAuthor.Meta.index_name
    for page in query_pages(ByAuthor.partition == partition, IndexName=index):
        for item in page["Items"]:
            yield keys.comment_id_in(item["pk"]["S"])


def delete_written(*, comment_id: str, username: str) -> None:
    """Delete a comment of a user who is erased.

    Until all of it is gone, ranks included, it is listed in ``keys.erased(username)``. Raises
    Contended, and botocore's errors.
    """
    delete_comment(comment_id, found_by=keys.erased(username))
    delete_comment(comment_id)  # finishes what the first time only logged
    _forget(comment_id)


def delete_vote(*, comment_id: str, username: str) -> None:
    """Delete a user's vote, and count it out, also where the comment is deleted.

    Raises Contended, and botocore's errors.
    """
    try:
        take_back(comment_id=comment_id, username=username)
    except NoSuchComment:
        _delete_item(comment_id, keys.vote(username))
    finally:
        rank_or_log(comment_id)  # in any case: a second run would not find the vote


def delete_report(*, comment_id: str, username: str) -> None:
    """Delete a user's report, and count it out; the comment stays in the queue if it is there.

    Raises Contended, and botocore's errors.
    """
    report = delete(Comment, comment_key(comment_id, keys.report(username)), Comment.pk.exists())
    uncount = update(Comment, comment_key(comment_id), [Comment.reports.add(-1)], NOT_DELETED)
    try:
        write_together(client(), [uncount, report])
    except ConditionFailed as error:
        if _COMMENT in error.failed:
            _delete_item(comment_id, keys.report(username))


def delete_signature(*, comment_id: str, username: str) -> None:
    """Remove the name of its author from a reply, which is the shop's and stays.

    Its version is raised, so that a change of the reply under way fails and cannot restore the
    name. Raises Contended, and botocore's errors.
    """
    partition = CommentReply.replier_partition
    changes = [
        partition.remove(),
        CommentReply.place.remove(),
        CommentReply.author.remove(),
        CommentReply.version.add(1),
    ]
    signed = partition == keys.replier(username)
    _update(update(CommentReply, comment_key(comment_id, keys.REPLY), changes, signed))


def _forget(comment_id: str) -> None:
    """Remove the keys that list the tombstone of an erased comment."""
    changes = [Comment.author_partition.remove(), Comment.place.remove()]
    _update(update(Comment, comment_key(comment_id), changes, Comment.expires_at.exists()))


def _update(action: Action) -> None:
    """Update an item that is still as expected; else it was changed before, or is gone."""
    with suppress(ConditionFailed):
        write_one(client(), action)


def _delete_item(comment_id: str, sort_key: str) -> None:
    write_one(client(), delete(TABLE, comment_key(comment_id, sort_key)))
