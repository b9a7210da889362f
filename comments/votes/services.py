"""Helpful votes: one for each user and comment, to be taken back at will (AP13).

The vote is an item beside the comment, and counts in the transaction that puts or deletes it, so
that casting it twice, at once or again after a lost answer, counts once. The comment's rank is
derived from the tally when that is committed; should the derivation fail, the vote stands all
the same, and the next vote or `check_integrity` brings the rank along.
"""

import logging
from collections.abc import Mapping
from typing import Any

from comments import keys
from comments.models import TABLE, Comment, CommentVote
from comments.store.comments import NoSuchComment, OwnComment
from comments.store.dependents import sweep
from comments.store.transactions import NEW, THERE, Condition, check, delete, put
from comments.votes.rank import refresh_comment
from comments.votes.tally import HELPFUL, helpful_votes, tallies
from dynamo.calls.client import client
from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.writes.actions import Action
from dynamo.writes.counters import write_counted
from dynamo.writes.transactions import ConditionFailed, Contended, Transactions

logger = logging.getLogger(__name__)

ATTEMPTS = 5
_COMMENT, _VOTE = 0, 1
"""Numbers of the transaction's actions."""
_LISTED = Comment.product_partition.attr_name
_USERNAME = Comment.username.attr_name


def vote(*, comment_id: str, username: str) -> int | None:
    """Say for a user that a comment is helpful; saying so again changes nothing.

    Returns how many say so now, None where the rank was left behind. Raises NoSuchComment, also
    for one that is hidden, OwnComment, Contended, and botocore's errors.
    """
    for _ in range(ATTEMPTS):
        product = _votable(comment_id, username)
        vote_item = CommentVote(
            pk=keys.comment(comment_id),
            sk=keys.vote(username),
            voter_partition=keys.voter(username),
            place=keys.about(keys.product_id_in(product["S"]), comment_id),
        )
        same_product = Condition(f"#{_LISTED} = :p", {f"#{_LISTED}": _LISTED}, {":p": product})
        actions = [check(_key(comment_id), same_product), put(vote_item.serialize(), NEW)]
        if _COMMENT not in _write(actions, comment_id, 1):
            return rank_or_log(comment_id)
    raise Contended("This comment is being changed by others at the moment.")


def take_back(*, comment_id: str, username: str) -> int | None:
    """Take a user's vote back, if there is one. Returns and raises like `vote`.

    The vote on a comment that was hidden since can be taken back, too.
    """
    there = Condition("attribute_exists(pk)")
    vote_key = {name: {"S": value} for name, value in key_of(comment_id, username).items()}
    actions = [check(_key(comment_id), THERE), delete(vote_key, there)]
    if _COMMENT in _write(actions, comment_id, -1):
        raise NoSuchComment(comment_id)
    return rank_or_log(comment_id)


def rank_or_log(comment_id: str) -> int | None:
    """Rank a comment by its tally, for a write that is committed; give the tally if it was read.

    To be called also after a vote that was there already: its rank may have been left behind.
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


def key_of(comment_id: str, username: str) -> dict[str, str]:
    """Give the key of a user's vote."""
    return {"pk": keys.comment(comment_id), "sk": keys.vote(username)}


def _votable(comment_id: str, username: str) -> Mapping[str, str]:
    """Read which list a comment is in, if a user may vote on it."""
    with labelled_calls("comment"):
        answer: Mapping[str, Any] = client().get_item(
            TableName=TABLE, Key=_key(comment_id), ConsistentRead=True
        )
    item: Item = answer.get("Item", {})
    if _LISTED not in item:
        raise NoSuchComment(comment_id)
    if item.get(_USERNAME) == {"S": username}:
        raise OwnComment("A vote on one's own comment does not count.")
    return item[_LISTED]


def _write(actions: list[Action], comment_id: str, change: int) -> frozenset[int]:
    """Write a vote with its tally; give the actions whose condition did not hold."""
    try:
        write_counted(
            actions,
            {comment_id: {HELPFUL: change}},
            transactions=Transactions(client()),
            counters=lambda _comment_id: tallies(),
        )
    except ConditionFailed as error:
        if _COMMENT in error.failed:  # deleted, perhaps, before its tally was spread for this vote
            sweep(comment_id)
        return frozenset(error.failed)
    return frozenset()


def _key(comment_id: str) -> Item:
    value = {"S": keys.comment(comment_id)}
    return {"pk": value, "sk": value}
