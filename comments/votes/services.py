"""Helpful votes: one for each user and comment, to be taken back at will (AP13).

The vote is an item beside the comment, counted in the transaction that puts or deletes it, so
that casting it twice, at once or after a lost answer, counts once. The comment's rank is derived
from the tally after the commit. Where that fails, the vote remains, and the next vote or
`check_integrity` corrects the rank.

Voters do not meet on the comment: only the transaction that begins its tally checks that it
exists. Every other vote requires the tally instead, or rather the shard that counts it. So

- *while the comment is deleted*, a vote is cast as long as its tally exists. It changes the tally,
  on which the deletion of the tally and of the votes depends (`comments.store.dependents`): that
  reads again, and finds the vote. Once the tally is deleted, none can be cast, because only a
  comment that is not deleted gets another;
- *while it is hidden*, or moved to another product by an import, a vote is cast as if just before.
  Hidden comments keep their votes, and restoring one derives its rank from the tally; a moved
  comment keeps the votes it had, listed by the product they were cast on.
"""

import logging
from contextlib import suppress

from django.utils.translation import gettext as _

from comments import keys
from comments.models import Comment, CommentVote
from comments.store.comments import (
    NEW,
    NOT_DELETED,
    NoSuchComment,
    OwnComment,
    is_tombstone,
)
from comments.store.counts import tallies
from comments.store.table import comment_key, read_item
from comments.votes.rank import VERSION, refresh_comment
from comments.votes.tally import HELPFUL, helpful_votes
from dynamo.calls.client import client
from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.writes.actions import Action, check, delete, put
from dynamo.writes.counters import NoSuchCounter, write_counted
from dynamo.writes.transactions import ConditionFailed, Transactions, write_together

logger = logging.getLogger(__name__)

_VOTE = 0
"""Number of the transactions' action on the vote."""
_LISTED = Comment.product_partition.attr_name
_USERNAME = Comment.username.attr_name


def vote(*, comment_id: str, username: str) -> int | None:
    """Cast a user's vote that a comment is helpful; casting it again changes nothing.

    Returns the number of votes, None where it could not be read. Raises NoSuchComment, also for
    a hidden comment, OwnComment, Contended, and botocore's errors.
    """
    comment = _votable(comment_id, username)
    product_id = keys.product_id_in(comment[_LISTED]["S"])
    vote_item = CommentVote(
        pk=keys.comment(comment_id),
        sk=keys.vote(username),
        voter_partition=keys.voter(username),
        place=keys.about(product_id, comment_id),
    )
    cast = put(Comment, vote_item.serialize(), NEW)
    try:
        _write(cast, comment_id, 1, is_first=VERSION not in comment)
    except ConditionFailed as error:
        if _VOTE not in error.failed:
            raise NoSuchComment(comment_id) from error
    return rank_or_log(comment_id)


def take_back(*, comment_id: str, username: str) -> int | None:
    """Take a user's vote back, if there is one. Returns and raises like `vote`.

    The vote on a comment that was hidden since can be taken back, too.
    """
    vote_key = comment_key(comment_id, keys.vote(username))
    try:
        _write(delete(Comment, vote_key, Comment.pk.exists()), comment_id, -1)
    except ConditionFailed as error:
        comment = read_item(comment_key(comment_id))
        if not comment or is_tombstone(comment):
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
        raise OwnComment(_("You cannot vote on your own comment."))
    return item


def _write(action: Action, comment_id: str, change: int, *, is_first: bool = False) -> None:
    """Write a vote with its tally, which is begun if there is none.

    Raises ConditionFailed with `_VOTE`, or without it where the comment is deleted.
    """
    deltas = {HELPFUL: change}
    if not is_first:
        with suppress(NoSuchCounter):
            write_counted(
                [action],
                {comment_id: deltas},
                transactions=Transactions(client()),
                counters=lambda _comment_id: tallies(),
            )
            return
    exists = check(Comment, comment_key(comment_id), NOT_DELETED)
    write_together(client(), [action, exists, tallies().begin(comment_id, deltas)])
