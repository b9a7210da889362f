"""Writes of comments' ranks by helpful votes (AP13).

The rank of a comment is three attributes of the comment's own item, so that it goes when the
comment goes, is hidden with it, and is listed with what the comment says. No index but
``ranked`` holds any of them: a change of a rank writes to that one alone. A comment without a
vote has no keys in ``ranked``, only the version of its rank.

The rank is derived after the votes were committed, under a version condition like those of
products (see `comments.rankings.services`). The version is the rank's own: a vote is no edit, and
must not make an edit by the comment's author fail.

Of many voters at once few have to store a rank. Each reads the version after its own commit. The
first rank stored after that may have been derived before the commit, but the second was derived
after the first was stored, and has read its result: as soon as the version is two higher, the
others have done the work. So a voter stores two ranks in vain at the most.
"""

import time
from collections.abc import Callable

from comments import keys
from comments.keys import scored
from comments.models import Comment
from comments.store.table import ATTEMPTS, BEING_CHANGED, comment_key, read_item
from dynamo.calls.backoff import Backoff
from dynamo.calls.client import client
from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.writes.actions import set_or_remove, unchanged, update
from dynamo.writes.transactions import ConditionFailed, Contended
from dynamo.writes.updates import write_one

PARTITION = Comment.rank_partition.attr_name
PLACE = Comment.rank_place.attr_name
VERSION = Comment.rank_version.attr_name
ATTRIBUTES = (PARTITION, PLACE, VERSION)
"""What is kept when a comment's item is replaced, and removed when it is hidden."""

_PRODUCT = Comment.product_partition.attr_name
_BACKOFF = Backoff(attempts=ATTEMPTS + 1, first=0.05, longest=0.2)
"""Pauses in which other voters may store the rank."""


def refresh_comment(comment_id: str, *, tally: Callable[[], int]) -> bool:
    """Rank a comment by the helpful votes that ``tally`` reads strongly, for each attempt.

    To be called after the vote is committed. Returns whether there is such a comment in lists.
    Raises Contended, and botocore's errors.
    """
    first: int | None = None
    with labelled_calls("ranks"):
        for pause in _BACKOFF.pauses():
            stored = read_item(comment_key(comment_id))
            if _PRODUCT not in stored:  # deleted, or hidden
                return False
            version = _version_of(stored)
            first = version if first is None else first
            if version >= first + 2 or _store(comment_id, stored, tally()):
                return True
            time.sleep(pause)
    raise Contended(BEING_CHANGED)


def ranked_under(product_id: str, kept: Item) -> Item:
    """Return the attributes of a rank for a comment that is moved to ``product_id``."""
    rank = {name: kept[name] for name in ATTRIBUTES if name in kept}
    return {**rank, PARTITION: {"S": keys.helpful(product_id)}} if PARTITION in rank else rank


def _store(comment_id: str, stored: Item, votes: int) -> bool:
    product_id = keys.product_id_in(stored[_PRODUCT]["S"])
    is_ranked = votes > 0
    changes = [
        Comment.rank_version.set(_version_of(stored) + 1),
        set_or_remove(
            Comment.rank_partition, {"S": keys.helpful(product_id)} if is_ranked else None
        ),
        set_or_remove(Comment.rank_place, {"S": scored(votes, comment_id)} if is_ranked else None),
    ]
    same = unchanged(stored, Comment.product_partition, Comment.rank_version)
    action = update(Comment, comment_key(comment_id), changes, same)
    try:
        write_one(client(), action)
    except ConditionFailed:
        return False
    return True


def _version_of(stored: Item) -> int:
    value: str = stored.get(VERSION, {"N": "0"})["N"]
    return int(value)
