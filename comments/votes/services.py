"""Helpful votes: one for each user and comment, to be taken back at will (AP13).

The vote is an item beside the comment, counted in the transaction that puts or deletes it. Only the
transaction that begins a comment's tally checks that the comment exists; later ones require the
tally, which is deleted with the comment, so that voters do not meet on the comment. A comment that
is hidden or moved keeps its votes.

The rank by votes is three attributes of the comment's item, which no index but ``ranked`` holds. It
is derived after the commit, under a version of its own: a vote must not make an edit fail. See
docs/writing.md.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from django.utils.translation import gettext as _

from comments import keys
from comments.keys import scored
from comments.models import ByAuthor, Comment, CommentVote
from comments.signals import announce, vote_cast
from comments.store.comments import NEW, NOT_DELETED, NoSuchComment, OwnComment, is_tombstone
from comments.store.counts import tallies, write
from comments.store.owed import Committed, Owes
from comments.store.table import (
    ATTEMPTS,
    BEING_CHANGED,
    comment_key,
    query_pages,
    read_item,
    write_if,
)
from dynapages.calls import Backoff, clock, labelled_calls, sentence_about
from dynapages.items import Item
from dynapages.lists import id_at
from dynapages.process import client
from dynapages.pynamodb import FAILURES, set_or_remove, unchanged, update
from dynapages.writes import (
    Action,
    ConditionFailed,
    Contended,
    NoSuchCounter,
    check,
    delete,
    put,
    write_transaction,
)


def has_voted(*, comment_id: str, user_id: str) -> bool:
    """Return whether a user finds a comment helpful, by a strong read; nobody ("") does not."""
    if not user_id:
        return False
    with labelled_calls("votes"):
        return bool(read_item(comment_key(comment_id, keys.vote(user_id))))


def votes_of(user_id: str, product_id: str) -> frozenset[str]:
    """Return which of a product's comments a user finds helpful, none for nobody (an empty name).

    One Query: half a capacity unit for each 4 KB of votes, some forty.
    """
    if not user_id:
        return frozenset()
    votes = (ByAuthor.partition == keys.voter(user_id)) & ByAuthor.place.startswith(
        keys.about(product_id, "")
    )
    with labelled_calls("votes"):
        first = next(query_pages(votes, IndexName=ByAuthor.Meta.index_name))
    return frozenset(id_at(item[ByAuthor.place.attr_name]["S"]) for item in first["Items"])


HELPFUL = "helpful"
"""The cell of a tally that counts votes."""


def helpful_votes(comment_id: str) -> int:
    """Read strongly how many found a comment helpful: a unit as long as it has one shard."""
    return tallies().read(comment_id, consistent=True).get(HELPFUL, 0)


logger = logging.getLogger(__name__)

_VOTE = 0
"""Number of the transactions' action on the vote."""
_LISTED = Comment.product_partition.attr_name
_PLACE = Comment.place.attr_name
_USER_ID = Comment.user_id.attr_name


def vote(*, comment_id: str, user_id: str) -> int | None:
    """Cast a user's vote that a comment is helpful; casting it again changes nothing.

    Returns the number of votes, None where it could not be read. Raises NoSuchComment, also for a
    hidden one, OwnComment and Contended.
    """
    comment = _votable(comment_id, user_id)
    product_id = keys.product_id_in(comment[_LISTED]["S"])
    vote_item = CommentVote(
        pk=keys.comment(comment_id),
        sk=keys.vote(user_id),
        voter_partition=keys.voter(user_id),
        place=keys.about(product_id, comment_id),
    )
    cast = put(Comment, vote_item.serialize(), NEW)
    try:
        committed = _write(cast, comment_id, 1, is_first=VERSION not in comment)
    except ConditionFailed as error:
        if _VOTE not in error.failed:
            raise NoSuchComment(comment_id) from error
        return rank_or_log(comment_id).votes
    return _counted(committed, comment_id, user_id, is_helpful=True)


def take_back(*, comment_id: str, user_id: str) -> int | None:
    """Take a user's vote back, if there is one, of a hidden comment too; like `vote` else."""
    vote_key = comment_key(comment_id, keys.vote(user_id))
    try:
        committed = _write(delete(Comment, vote_key, Comment.pk.exists()), comment_id, -1)
    except ConditionFailed as error:
        comment = read_item(comment_key(comment_id))
        if not comment or is_tombstone(comment):
            raise NoSuchComment(comment_id) from error
        return rank_or_log(comment_id).votes
    return _counted(committed, comment_id, user_id, is_helpful=False)


def _counted(
    committed: Committed, comment_id: str, user_id: str, *, is_helpful: bool
) -> int | None:
    is_done, votes = rank_or_log(comment_id)
    committed.end(is_done)
    announce(vote_cast, comment_id, by=user_id, moment=clock.now(), is_helpful=is_helpful)
    return votes


class RankedByVotes(NamedTuple):
    """Whether the rank of a comment is stored, and its votes; None where they were not read."""

    is_done: bool
    votes: int | None


def rank_or_log(comment_id: str) -> RankedByVotes:
    """Rank a comment by its votes after a commit, also where nothing was changed.

    A failure is logged.
    """
    read: list[int] = []

    def tally() -> int:
        read.append(helpful_votes(comment_id))
        return read[-1]

    try:
        if not refresh_comment(comment_id, tally=tally):
            return RankedByVotes(is_done=True, votes=helpful_votes(comment_id))
    except FAILURES as failure:
        sentence = "The rank of comment %s was left behind: %s"
        logger.warning(sentence, comment_id, sentence_about(failure))
        return RankedByVotes(is_done=False, votes=read[-1] if read else None)
    return RankedByVotes(is_done=True, votes=read[-1])


def rank_by_votes(comment_id: str) -> None:
    """Rank a comment by its votes. Raises Contended, and botocore's errors."""
    refresh_comment(comment_id, tally=partial(helpful_votes, comment_id))


def _votable(comment_id: str, user_id: str) -> Item:
    with labelled_calls("comment"):
        item = read_item(comment_key(comment_id))
    if _LISTED not in item:
        raise NoSuchComment(comment_id)
    if item.get(_USER_ID) == {"S": user_id}:
        raise OwnComment(_("You cannot vote on your own comment."))
    return item


def _write(action: Action, comment_id: str, change: int, *, is_first: bool = False) -> Committed:
    """Write a vote with its tally, and what it owes: the comment's rank.

    ConditionFailed is without `_VOTE` where there is no comment.
    """
    deltas = {HELPFUL: change}
    committed = Committed(Owes(votes=(comment_id,)).due_item())
    actions = [action, *committed.actions]
    if not is_first:
        with suppress(NoSuchCounter):
            write(actions, {comment_id: deltas}, tallies)
            return committed
    exists = check(Comment, comment_key(comment_id), NOT_DELETED)
    write_transaction(client(), [*actions, exists, tallies().begin(comment_id, deltas)])
    return committed


VERSION = Comment.rank_version.attr_name
_BACKOFF = Backoff(attempts=ATTEMPTS + 1, first=0.05, longest=0.2)
"""Pauses in which other voters may store the rank."""


def refresh_comment(comment_id: str, *, tally: Callable[[], int]) -> bool:
    """Rank a comment after a commit by the votes that ``tally`` reads strongly, for each attempt.

    Returns whether there is such a comment in lists. Raises Contended.
    """
    first: int | None = None
    with labelled_calls("ranks"):
        for pause in _BACKOFF.pauses():
            stored = read_item(comment_key(comment_id))
            if _LISTED not in stored:  # deleted, or hidden
                return False
            version = _version_of(stored)
            first = version if first is None else first
            if version >= first + 2 or _store(comment_id, stored, tally()):
                return True
            time.sleep(pause)
    raise Contended(BEING_CHANGED)


def _store(comment_id: str, stored: Item, votes: int) -> bool:
    product_id = keys.product_id_in(stored[_LISTED]["S"])
    is_ranked = votes > 0
    rank_place = scored(votes, id_at(stored[_PLACE]["S"]))
    changes = [
        Comment.rank_version.set(_version_of(stored) + 1),
        set_or_remove(
            Comment.rank_partition, {"S": keys.helpful(product_id)} if is_ranked else None
        ),
        set_or_remove(Comment.rank_place, {"S": rank_place} if is_ranked else None),
    ]
    same = unchanged(stored, Comment.product_partition, Comment.rank_version)
    return write_if(update(Comment, comment_key(comment_id), changes, same))


def _version_of(stored: Item) -> int:
    value: str = stored.get(VERSION, {"N": "0"})["N"]
    return int(value)
