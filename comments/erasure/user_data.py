"""The data of a user among the comments: comments, votes, reports and names on replies."""

from collections.abc import Callable, Iterator

from comments import keys
from comments.gates import block_key, is_blocked, unblock_author
from comments.models import (
    TABLE,
    BlockedAuthor,
    ByAuthor,
    Comment,
    CommentBody,
    CommentItem,
    CommentReply,
    CommentReport,
    CommentVote,
)
from comments.posting.services import delete_comment
from comments.profiles.queries import ids_written_by
from comments.store.comments import NoSuchComment
from comments.store.states import NOT_DELETED
from comments.store.table import comment_key, query_pages, write_if_condition_holds
from comments.votes.rank import rank_or_log
from comments.votes.services import withdraw_vote
from comments.work import finish_owed
from dynapages.lists import id_at
from dynapages.process import client
from dynapages.pynamodb import update
from dynapages.upkeep import StoredItem, Trace
from dynapages.writes import ConditionFailed, delete, write_item, write_transaction

_COMMENT = 0
"""Number of the transaction's action on the comment."""


def comments_listed_in(partition: str) -> Iterator[str]:
    """Yield the ids of the comments in a partition of ``by_author``."""
    index = ByAuthor.Meta.index_name
    for page in query_pages(ByAuthor.partition == partition, IndexName=index):
        for item in page["Items"]:
            yield id_at(item[ByAuthor.place.attr_name]["S"])


def delete_written(user_id: str, comment_id: str) -> None:
    """Delete a comment of a user who is erased; until all is gone, ``keys.erased`` lists it."""
    delete_comment(comment_id, erased_in=keys.erased(user_id))
    finish_owed(comment_id)  # and raise what the deletion has only logged
    _forget(comment_id)


def delete_vote(user_id: str, comment_id: str) -> None:
    """Delete a user's vote, and count it out, also where the comment is deleted."""
    try:
        withdraw_vote(comment_id=comment_id, user_id=user_id)
    except NoSuchComment:
        write_item(client(), delete(TABLE, comment_key(comment_id, keys.vote(user_id))))
    finally:
        rank_or_log(comment_id)  # in any case: a second run would not find the vote


def delete_report(user_id: str, comment_id: str) -> None:
    """Delete a user's report, and count it out; the comment stays in the queue if it is there."""
    report = delete(Comment, comment_key(comment_id, keys.report(user_id)), Comment.pk.exists())
    uncount = update(Comment, comment_key(comment_id), [Comment.reports.add(-1)], NOT_DELETED)
    try:
        write_transaction(client(), [uncount, report])
    except ConditionFailed as error:
        if _COMMENT in error.failed:
            write_item(client(), delete(TABLE, comment_key(comment_id, keys.report(user_id))))


def delete_signature(user_id: str, comment_id: str) -> None:
    """Remove the name of its author from a reply, which is the shop's and stays.

    Its version is raised, so that a change under way cannot restore the name.
    """
    partition = CommentReply.replier_partition
    changes = [
        partition.remove(),
        CommentReply.place.remove(),
        CommentReply.user_id.remove(),
        CommentReply.author.remove(),
        CommentReply.version.add(1),
    ]
    signed = partition == keys.replier(user_id)
    write_if_condition_holds(
        update(CommentReply, comment_key(comment_id, keys.REPLY), changes, signed)
    )


def _forget(comment_id: str) -> None:
    """Remove the keys that list the tombstone of an erased comment."""
    changes = [Comment.author_partition.remove(), Comment.place.remove()]
    write_if_condition_holds(
        update(Comment, comment_key(comment_id), changes, Comment.expires_at.exists())
    )


def _written_by(user_id: str) -> Iterator[str]:
    """Yield the ids of comments, after those whose erasure was interrupted."""
    yield from comments_listed_in(keys.erased(user_id))
    yield from ids_written_by(user_id)


def _listed_in(partition_of: Callable[[str], str]) -> Callable[[str], Iterator[str]]:
    return lambda user_id: comments_listed_in(partition_of(user_id))


def written(_user_id: str, comment_id: str) -> list[StoredItem]:
    """Return the keys of a comment and of its long text."""
    return [
        (Comment, TABLE, comment_key(comment_id)),
        (CommentBody, TABLE, comment_key(comment_id, keys.BODY)),
    ]


def _beside(
    model: type[CommentItem], sort_key: Callable[[str], str]
) -> Callable[..., list[StoredItem]]:
    return lambda user_id, comment_id: [(model, TABLE, comment_key(comment_id, sort_key(user_id)))]


VOTES, REPORTS = _beside(CommentVote, keys.vote), _beside(CommentReport, keys.report)
REPLIES = _beside(CommentReply, lambda _user_id: keys.REPLY)
BLOCK = Trace(
    "blocks",
    lambda user_id: [user_id] * is_blocked(user_id),
    lambda user_id, _name: unblock_author(user_id),
    lambda user_id, _name: [(BlockedAuthor, TABLE, block_key(user_id))],
)
TRACES = (
    BLOCK,
    Trace("comments", _written_by, delete_written, written),
    Trace("votes", _listed_in(keys.voter), delete_vote, VOTES),
    Trace("reports", _listed_in(keys.reporter), delete_report, REPORTS),
    Trace("names on replies", _listed_in(keys.replier), delete_signature, REPLIES),
)
"""All kinds of data of a user in the table ``comments``."""
