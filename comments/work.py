"""What follows from changes of comments: set up here, done by their writers, or by the worker.

A writer does all of it after its commit (`comments.store.writing`). What its process has not
finished the worker does, of any process, at any time, and maybe twice: all of it is derived from
what is stored then.
"""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from comments.host import has_topics, is_searchable, uses_sets
from comments.keys import comment_key
from comments.rankings import ratings
from comments.rankings import services as rankings
from comments.rankings.queries import commented_products
from comments.search import writer as postings
from comments.sets import copies
from comments.store import writing
from comments.store.dependents import delete_dependents
from comments.store.derived import bulk_batches
from comments.store.states import is_tombstone, product_id_of
from comments.store.table import read_item
from comments.topics import banning, leaving, making
from comments.votes import rank
from dynapages.calls import sentence_about
from dynapages.lists import Order
from dynapages.process import client
from dynapages.pynamodb import FAILURES
from dynapages.work import Postponed
from dynapages.writes import ConditionFailed, write_item

QUEUE = writing.QUEUE
"""What comments owe: settings name it by this module."""
CLOCKS_DIFFER = timedelta(seconds=3)
"""By how much the clocks of two processes may differ: each is tolerated to be off by half of it."""

logger = logging.getLogger(__name__)


def set_up() -> None:
    """Connect changes of comments with the derived data that has to follow them.

    That is the copies of ``comment_sets`` for filtered lists, the postings of ``comment_words`` by
    which searches find a comment, its rank by votes, and the ranks of its product in the shop. That
    copies of the product's rating are to be written is stored, for the worker to do it later.
    Whoever writes a comment does all of it by these hooks, in the same request, once the comment is
    committed. What is not finished then is in the queue, and the worker does it by the functions
    that are registered.
    """
    # `comments.store` cannot import what follows: that imports it.
    writing.set_hooks(
        tables=[
            writing.DerivedTable(uses_sets, copies.follow),
            writing.DerivedTable(is_searchable, postings.follow),
        ],
        rank_returned=rank.follow,
        rate_products=ratings.follow,
        rank_products=rankings.follow,
    )
    QUEUE.register(writing.FOLLOW, finish_what_follows)
    QUEUE.register(writing.CLOSE, close_change)
    QUEUE.register(ratings.KIND, refresh_owed)
    QUEUE.register(making.KIND, make_topics_owed, lease=making.LEASE)
    QUEUE.register(banning.KIND, take_out_banned_topics, lease=banning.LEASE)


# By the worker


def finish_what_follows(payload: Mapping[str, Any]) -> None:
    """Do all that a change owes, whatever of it was done before.

    Raises Postponed where another process writes the same postings, Contended, and botocore's
    errors.
    """
    # In the order in which a writer does it.
    owes = writing.Owes.of(payload)
    for comment_id in owes.dependents:
        delete_dependents(comment_id)
    for comment_id in owes.votes:
        rank.rank_by_votes(comment_id)
    # The index has the newest comment by now, which only its writer knew before.
    touched = {}
    for product_id, newest in owes.ranks.items():
        touched[product_id] = rankings.RankHint(newest, is_unsure=True)
    if touched:
        rankings.refresh_ranks(touched, only_stale=True)
    # Ranks have copies of ratings too, so these come behind them.
    # Whether a comment has left its lists is not stored.
    left = owes.ratings if has_topics() else ()
    ratings.owe_copies({*owes.ratings, *owes.ranks}, left=left)
    if owes.change and is_searchable():
        _finish_change(owes.change)


def _finish_change(change: str) -> None:
    """Write the postings of a change, and have it closed once they have settled."""
    try:
        words = postings.resume(change, bulk_batches())
    except ConditionFailed as error:
        raise Postponed("Another process writes the same postings.") from error
    if words is None:
        return
    written = {"change": change, "at": words.stored[postings.AT]["S"]}
    # Another process may find it due, by a clock that is ahead of this one's.
    after = writing.SETTLED_AFTER + CLOCKS_DIFFER
    owed = QUEUE.owe(writing.CLOSE, written, after=after)
    write_item(client(), owed.action)


def close_change(payload: Mapping[str, Any]) -> None:
    """Delete a change whose postings have been written, with its marks.

    Where others have taken it over since, it is looked at again later.
    """
    stored = postings.find_change(payload["change"])
    if not stored:
        return
    is_as_written = stored[postings.AT]["S"] == payload["at"]
    if is_as_written and postings.WordWriter.of_stored(stored, bulk_batches()).close():
        return
    owed = writing.Owes(change=payload["change"]).due_item()
    if owed is not None:
        write_item(client(), owed.action)


def refresh_owed(payload: Mapping[str, Any]) -> None:
    """Do what follows some minutes after comments of a product have changed.

    That are the copies of its rating, and to see whether its topics are to be made anew. Where a
    comment has left its lists, topics that it alone had go. Raises Contended, BatchIncomplete, and
    botocore's errors.
    """
    ratings.refresh_owed(payload)
    if not has_topics():
        return
    if payload.get(ratings.LEFT):
        leaving.drop_unused(payload["product"])
    making.consider(payload["product"])


def make_topics_owed(payload: Mapping[str, Any]) -> None:
    """Make topics that are owed, unless the project has none any more.

    Raises Contended, BatchIncomplete, and botocore's errors.
    """
    if has_topics():
        making.make_owed(payload, commented_products)


def take_out_banned_topics(_payload: Mapping[str, Any]) -> None:
    """Take words that are banned for all products out of the topics of each.

    Raises Contended, BatchIncomplete, and botocore's errors.
    """
    # One that is commented on meanwhile goes to the front: the other way round it would be missed.
    banning.take_out_banned(commented_products(Order.OLDEST_FIRST))


# By whoever finds a change made already


def finish_owed(comment_id: str, *, and_close: bool = True) -> None:
    """Do what earlier attempts at the same change of a comment may have left behind.

    ``and_close`` is about postings, see `comments.search.writer.finish_postings`. Raises
    ConditionFailed, Contended, BatchIncomplete, and botocore's errors.
    """
    item = read_item(comment_key(comment_id))
    if not item:
        return
    product_id = product_id_of(item)
    if is_tombstone(item):
        delete_dependents(comment_id)
    elif rank.VERSION in item:
        rank.rank_by_votes(comment_id)
    rankings.refresh_ranks({product_id: rankings.RankHint()}, only_stale=True)
    ratings.owe_copies([product_id])
    postings.finish_postings(product_id, comment_id, and_close=and_close)


def finish_owed_or_log(comment_id: str) -> None:
    """Do the same for an attempt that finds its change made already.

    The one before it may have been cut off, or its answer lost. What fails is logged, and left to
    the worker: the due items of the earlier attempts are still stored.
    """
    try:
        finish_owed(comment_id, and_close=False)
    except FAILURES as failure:
        sentence = "What comment %s owes was left behind: %s"
        logger.warning(sentence, comment_id, sentence_about(failure))
