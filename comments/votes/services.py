"""Helpful votes: one for each user and comment, to be taken back at will (AP13).

The vote is an item beside the comment, counted in the transaction that puts or deletes it, so
that casting it twice, at once or after a lost answer, counts once. The comment's rank is derived
from the tally after the commit. Where that fails, the vote remains, and the next vote or
`check_integrity` corrects the rank.
"""

import logging

from comments import keys
from comments.models import Comment, CommentVote
from comments.store.comments import NEW, NOT_DELETED, NoSuchComment, OwnComment
from comments.store.dependents import delete_dependents
from comments.store.table import comment_key, read_item, retry
from comments.votes.rank import refresh_comment
from comments.votes.tally import HELPFUL, helpful_votes, tallies
from dynamo.calls.client import client
from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.writes.actions import Action, check, delete, put, unchanged
from dynamo.writes.counters import write_counted
from dynamo.writes.transactions import ConditionFailed, Transactions

logger = logging.getLogger(__name__)

_COMMENT = 0
"""Number of the transactions' action on the comment."""
_LISTED = Comment.product_partition.attr_name
_USERNAME = Comment.username.attr_name


def vote(*, comment_id: str, username: str) -> int | None:
    """Cast a user's vote that a comment is helpful; casting it again changes nothing.

    Returns the number of votes, None where it could not be read. Raises NoSuchComment, also for
    a hidden comment, OwnComment, Contended, and botocore's errors.
    """

    def attempt() -> None:
        comment = _votable(comment_id, username)
        product_id = keys.product_id_in(comment[_LISTED]["S"])
        vote_item = CommentVote(
            pk=keys.comment(comment_id),
            sk=keys.vote(username),
            voter_partition=keys.voter(username),
            place=keys.about(product_id, comment_id),
        )
        same_product = unchanged(comment, Comment.product_partition)
        actions = [
            check(Comment, comment_key(comment_id), same_product),
            put(Comment, vote_item.serialize(), NEW),
        ]
        _write(actions, comment_id, 1)

    retry(attempt)
    return rank_or_log(comment_id)


def take_back(*, comment_id: str, username: str) -> int | None:
    """Take a user's vote back, if there is one. Returns and raises like `vote`.

    The vote on a comment that was hidden since can be taken back, too.
    """
    vote_key = comment_key(comment_id, keys.vote(username))
    actions = [
        check(Comment, comment_key(comment_id), NOT_DELETED),
        delete(Comment, vote_key, Comment.pk.exists()),
    ]
    try:
        _write(actions, comment_id, -1)
    except ConditionFailed as error:
        raise NoSuchComment(comment_id) from error
    return rank_or_log(comment_id)


def rank_or_log(comment_id: str) -> int | None:
    """Rank a comment by its tally after a commit; return the tally if it was read.

    A failure is logged and not raised. To be called also after a vote that was there already,
    because its rank may be missing.
    """
    read: list[int] = []

    def tally() -> int:
        read.append(helpful_votes(comment_id))
        return read[-1]

    try:
        if not refresh_comment(comment_id, tally=tally):
            return helpful_votes(comment_id)
    except FAILURES as failure:
        sentence = "The rank of comment %s was left behind: %s"
        logger.warning(sentence, comment_id, sentence_about(failure))
    return read[-1] if read else None


def _votable(comment_id: str, username: str) -> Item:
    with labelled_calls("comment"):
        item = read_item(comment_key(comment_id))
    if _LISTED not in item:
        raise NoSuchComment(comment_id)
    if item.get(_USERNAME) == {"S": username}:
        raise OwnComment("A vote on one's own comment does not count.")
    return item


def _write(actions: list[Action], comment_id: str, change: int) -> None:
    """Write a vote with its tally. Raises ConditionFailed where that on the comment fails."""
    try:
        write_counted(
            actions,
            {comment_id: {HELPFUL: change}},
            transactions=Transactions(client()),
            counters=lambda _comment_id: tallies(),
        )
    except ConditionFailed as error:
        if _COMMENT in error.failed:
            # The comment may have been deleted before its tally got a shard for this vote.
            delete_dependents(comment_id)
            raise
