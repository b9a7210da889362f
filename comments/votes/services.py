"""Helpful votes: one for each user and comment, to be withdrawn at will (AP13).

A vote is an item in its comment's partition, counted in the transaction that puts or deletes it.
Only the transaction that begins a comment's tally checks that the comment exists; later ones
require the tally, which is deleted with the comment, so that voters do not meet on the comment. A
comment that is hidden or moved keeps its votes. The rank that follows is in `comments.votes.rank`.
"""

from contextlib import suppress

from django.utils.translation import gettext as _

from comments import keys
from comments.keys import comment_key
from comments.models import ByAuthor, Comment, CommentVote
from comments.signals import announce, vote_cast
from comments.store import counts
from comments.store.comments import NoSuchComment, OwnComment
from comments.store.states import NEW, NOT_DELETED, is_listed, product_id_of
from comments.store.table import query_pages, read_item
from comments.store.writing import Committed, Owes
from comments.votes.rank import HELPFUL, VERSION, RankedByVotes, rank_after_vote, rank_or_log
from dynapages.calls import clock, labelled_calls
from dynapages.items import Item
from dynapages.lists import id_at
from dynapages.process import client
from dynapages.writes import (
    Action,
    ConditionFailed,
    NoSuchCounter,
    check,
    delete,
    put,
    write_transaction,
)

_VOTE = 0
"""Number of the transactions' action on the vote."""
_USER_ID = Comment.user_id.attr_name


# Reading


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
    of_user = ByAuthor.partition == keys.voter(user_id)
    about_product = ByAuthor.place.startswith(keys.about(product_id, ""))
    with labelled_calls("votes"):
        first = next(query_pages(of_user & about_product, IndexName=ByAuthor.Meta.index_name))
    return frozenset(id_at(item[ByAuthor.place.attr_name]["S"]) for item in first["Items"])


# Casting and withdrawing


def read_comment(comment_id: str) -> Item:
    """Read a comment's item strongly, as a vote on it begins with; an empty one of none."""
    with labelled_calls("comment"):
        return read_item(comment_key(comment_id))


def cast_vote(*, comment_id: str, user_id: str) -> int | None:
    """Read a comment and cast a user's vote on it: see `cast_vote_on`."""
    return cast_vote_on(read_comment(comment_id), comment_id=comment_id, user_id=user_id)


def cast_vote_on(comment: Item, *, comment_id: str, user_id: str) -> int | None:
    """Cast a user's vote that a comment is helpful; casting it again changes nothing.

    ``comment`` is what `read_comment` has returned. Returns the number of votes, None where it
    could not be read. Raises NoSuchComment, also for a hidden one, OwnComment and Contended.
    """
    if not is_listed(comment):
        raise NoSuchComment(comment_id)
    if comment.get(_USER_ID) == {"S": user_id}:
        raise OwnComment(_("You cannot vote on your own comment."))
    vote = CommentVote(
        pk=keys.comment(comment_id),
        sk=keys.vote(user_id),
        voter_partition=keys.voter(user_id),
        place=keys.about(product_id_of(comment), comment_id),
    )
    put_vote = put(Comment, vote.serialize(), NEW)
    has_tally = VERSION in comment
    try:
        committed = _write_vote(put_vote, comment_id, 1, has_tally=has_tally)
    except ConditionFailed as error:
        # The vote is there already, or the comment is gone.
        if _VOTE not in error.failed:
            raise NoSuchComment(comment_id) from error
        return rank_or_log(comment_id).votes
    ranked = rank_after_vote(comment_id, comment, 1)
    return _announced(committed, ranked, comment_id, user_id, is_helpful=True)


def withdraw_vote(*, comment_id: str, user_id: str) -> int | None:
    """Read a comment and take a user's vote on it back: see `withdraw_vote_on`."""
    return withdraw_vote_on(read_comment(comment_id), comment_id=comment_id, user_id=user_id)


def withdraw_vote_on(comment: Item, *, comment_id: str, user_id: str) -> int | None:
    """Delete a user's vote, if there is one; like `cast_vote_on` else.

    The vote for a hidden comment is deleted too; to who has none there, it is not there.
    """
    vote_key = comment_key(comment_id, keys.vote(user_id))
    delete_vote = delete(Comment, vote_key, Comment.pk.exists())
    try:
        committed = _write_vote(delete_vote, comment_id, -1, has_tally=True)
    except ConditionFailed as error:
        if not is_listed(comment):
            raise NoSuchComment(comment_id) from error
        return rank_or_log(comment_id).votes
    ranked = rank_after_vote(comment_id, comment, -1)
    return _announced(committed, ranked, comment_id, user_id, is_helpful=False)


def _write_vote(action: Action, comment_id: str, number: int, *, has_tally: bool) -> Committed:
    """Write a vote with its tally, and what it owes: the comment's rank.

    ``has_tally`` may be wrong. ConditionFailed is without `_VOTE` where there is no comment.
    """
    votes = {HELPFUL: number}
    committed = Committed(Owes(votes=(comment_id,)).due_item())
    actions = [action, *committed.actions]
    if has_tally:
        with suppress(NoSuchCounter):
            counts.write_with_tally(actions, comment_id, votes)
            return committed
    # Voters meet on this item only once: later votes require the tally instead.
    exists = check(Comment, comment_key(comment_id), NOT_DELETED)
    begin_tally = counts.tallies().begin(comment_id, votes)
    write_transaction(client(), [*actions, exists, begin_tally])
    return committed


def _announced(
    committed: Committed,
    ranked: RankedByVotes,
    comment_id: str,
    user_id: str,
    *,
    is_helpful: bool,
) -> int | None:
    """End a change of a vote, and announce it; return the number of votes."""
    committed.end(is_done=ranked.is_done)
    announce(vote_cast, comment_id, by=user_id, moment=clock.now(), is_helpful=is_helpful)
    return ranked.votes
