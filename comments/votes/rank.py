"""The rank of a comment by its votes: three attributes of its item, which lead to ``ranked``.

It is derived after the commit of what changes it, under a version of its own: a vote must not make
an edit fail. See docs/writing.md.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from comments import keys
from comments.keys import comment_key
from comments.models import Comment
from comments.store.counts import tallies
from comments.store.states import imported_votes, is_listed, product_id_of
from comments.store.table import ATTEMPTS, BEING_CHANGED, read_item, write_if_condition_holds
from comments.store.writing import CommentChange, Following, Owes
from dynapages.calls import Backoff, labelled_calls, sentence_about
from dynapages.items import Item
from dynapages.lists import id_at
from dynapages.process import pool
from dynapages.pynamodb import FAILURES, set_or_remove, unchanged, update
from dynapages.writes import Contended

HELPFUL = "helpful"
"""The cell of a tally that counts votes."""
VERSION = Comment.rank_version.attr_name
ENOUGH_LATER_VERSIONS = 2
"""That others have stored since a writer began: who stored the second began after its commit."""
_PLACE = Comment.place.attr_name
_RANK_PARTITION = Comment.rank_partition.attr_name
_RANK_PLACE = Comment.rank_place.attr_name
_VOTES = Comment.helpful_votes.attr_name
_BACKOFF = Backoff(attempts=ATTEMPTS + 1, first=0.05, longest=0.2)
"""Pauses in which other voters may store the rank."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RankedByVotes:
    """Whether the rank of a comment is stored, and its votes; None where they were not read."""

    is_done: bool
    votes: int | None


def follow(changes: Sequence[CommentChange]) -> Following:
    """Return that comments are to be ranked by votes, as they are put into their lists again."""
    comment_ids = [change.comment_id for change in changes]

    def rank() -> bool:
        outcomes = [rank_or_log(comment_id).is_done for comment_id in comment_ids]
        return all(outcomes)

    return Following(owes=Owes(votes=tuple(comment_ids)), finish=rank)


def count_votes(comment_id: str) -> int:
    """Read strongly how many users found a comment helpful: a unit as long as it has one shard.

    Those that an import has brought are in its item: `comments.store.states.imported_votes`.
    """
    return tallies().read(comment_id, consistent=True).get(HELPFUL, 0)


def rank_after_vote(comment_id: str, seen: Item, number: int) -> RankedByVotes:
    """Rank a comment once a vote is committed, which has changed its votes by ``number``.

    ``seen`` is the comment's item as it was before that. In one round, its rank there is changed by
    the same number, unless another rank was stored since, and the votes are counted. Where these
    are others, it is ranked like `rank_or_log`. A failure is logged.
    """
    counted: int | None = None
    try:
        with labelled_calls("ranks"), pool().together() as together:
            counting = together.start(count_votes, comment_id)
            expected = ranked_votes(seen) + number
            is_stored = is_listed(seen) and _store_rank_once(comment_id, seen, expected)
            counted = counting.result() + imported_votes(seen)
    except FAILURES as failure:
        return _left_behind(comment_id, failure, counted)
    if is_stored and counted == expected:
        return RankedByVotes(is_done=True, votes=counted)
    return rank_or_log(comment_id)


def rank_or_log(comment_id: str) -> RankedByVotes:
    """Rank a comment by its votes after a commit, also where nothing was changed.

    A failure is logged.
    """
    counted: int | None = None

    def count() -> int:
        nonlocal counted
        counted = count_votes(comment_id)
        return counted

    try:
        stored = store_rank(comment_id, count=count)
        if counted is None:
            counted = count_votes(comment_id)
        counted += imported_votes(stored)
    except FAILURES as failure:
        return _left_behind(comment_id, failure, counted)
    return RankedByVotes(is_done=True, votes=counted)


def _left_behind(comment_id: str, failure: Exception, votes: int | None) -> RankedByVotes:
    """Log that a rank was not stored, and return that."""
    sentence = "The rank of comment %s was left behind: %s"
    logger.warning(sentence, comment_id, sentence_about(failure))
    return RankedByVotes(is_done=False, votes=votes)


def rank_by_votes(comment_id: str) -> bool:
    """Rank a comment by its votes; return whether there is such a comment in lists.

    Raises Contended, and botocore's errors.
    """
    return is_listed(store_rank(comment_id, count=lambda: count_votes(comment_id)))


def store_rank(comment_id: str, *, count: Callable[[], int]) -> Item:
    """Rank a comment after a commit by the votes of users that ``count`` reads strongly.

    It counts for each attempt. Returns the comment's item as it was read, which is not ranked where
    it is in no list, or empty. Raises Contended.
    """
    first_version: int | None = None
    with labelled_calls("ranks"):
        for pause in _BACKOFF.pauses():
            stored = read_item(comment_key(comment_id))
            if not is_listed(stored):  # deleted, or hidden
                return stored
            # Of the rank alone: an edit does not lose to a vote.
            version = _version_of(stored)
            if first_version is None:
                first_version = version
            votes = count() + imported_votes(stored)
            # Who stored the second of them began after this commit: none who began before it can
            # store a rank any more.
            is_late = version >= first_version + ENOUGH_LATER_VERSIONS
            if is_late and votes == ranked_votes(stored):
                return stored
            if _store_rank_once(comment_id, stored, votes):
                return stored
            time.sleep(pause)
    raise Contended(BEING_CHANGED)


def _store_rank_once(comment_id: str, stored: Item, votes: int) -> bool:
    """Store a rank unless another was stored since it was read; return whether it was."""
    rank = rank_keys(product_id_of(stored), id_at(stored[_PLACE]["S"]), votes)
    changes = [
        Comment.rank_version.set(_version_of(stored) + 1),
        set_or_remove(Comment.rank_partition, rank.get(_RANK_PARTITION)),
        set_or_remove(Comment.rank_place, rank.get(_RANK_PLACE)),
        set_or_remove(Comment.helpful_votes, rank.get(_VOTES)),
    ]
    same = unchanged(stored, Comment.product_partition, Comment.rank_version)
    return write_if_condition_holds(update(Comment, comment_key(comment_id), changes, same))


def rank_keys(product_id: str, comment_id: str, votes: int) -> Item:
    """Return the attributes by which a comment is ranked, and shown with its votes; else none."""
    if votes <= 0:
        return {}
    return {
        _RANK_PARTITION: {"S": keys.helpful(product_id)},
        _RANK_PLACE: {"S": keys.scored(votes, comment_id)},
        _VOTES: {"N": str(votes)},
    }


def ranked_votes(stored: Item) -> int:
    """Return the votes by which a comment is ranked; 0 where it has no rank."""
    if _RANK_PLACE not in stored:
        return 0
    return keys.score_at(stored[_RANK_PLACE]["S"])


def _version_of(stored: Item) -> int:
    value: str = stored.get(VERSION, {"N": "0"})["N"]
    return int(value)
