"""What the worker does for comments: what follows from a change that its process has not finished.

Any process may do it at any time, and twice: all of it is derived from what is stored then.
"""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from comments.rankings.services import Touch, refresh_ranks
from comments.search.postings import is_searchable
from comments.search.writer import AT, WordWriter, find_change, finish_postings, resume
from comments.store.comments import delete_dependents, is_tombstone, product_id_of
from comments.store.derived import bulk_batches
from comments.store.owed import CLOSE, FOLLOW, QUEUE, SETTLED_AFTER, Owes
from comments.store.table import comment_key, read_item
from comments.votes.services import VERSION, rank_by_votes
from dynapages.calls import sentence_about
from dynapages.process import client
from dynapages.pynamodb import FAILURES
from dynapages.work import Postponed
from dynapages.writes import ConditionFailed, write_item

CLOCKS_DIFFER = timedelta(seconds=3)
"""By how much the clocks of two processes may differ: each is tolerated to be off by half of it."""

logger = logging.getLogger(__name__)


def finish_what_follows(payload: Mapping[str, Any]) -> None:
    """Do all that a change owes, whatever of it was done before.

    Raises Postponed where another process writes the same postings, Contended, and botocore's
    errors.
    """
    owes = Owes.of(payload)
    for comment_id in owes.dependents:
        delete_dependents(comment_id)
    for comment_id in owes.votes:
        rank_by_votes(comment_id)
    # The index has the newest comment by now, which only its writer knew before.
    touched = {one: Touch(newest, is_unsure=True) for one, newest in owes.ranks.items()}
    if touched:
        refresh_ranks(touched, only_stale=True)
    if owes.change and is_searchable():
        _finish_change(owes.change)


def _finish_change(change: str) -> None:
    try:
        words = resume(change, bulk_batches())
    except ConditionFailed as error:
        raise Postponed("Another process writes the same postings.") from error
    if words:
        written = {"change": change, "at": words.stored[AT]["S"]}
        # Another process may find it due, by a clock that is ahead of this one's.
        owed = QUEUE.owe(CLOSE, written, after=SETTLED_AFTER + CLOCKS_DIFFER)
        write_item(client(), owed.action)


def close_change(payload: Mapping[str, Any]) -> None:
    """Delete a change whose postings have been written, with its marks.

    Where others have taken it over since, it is looked at again later.
    """
    stored = find_change(payload["change"])
    if not stored:
        return
    is_as_written = stored[AT]["S"] == payload["at"]
    if is_as_written and WordWriter.of_stored(stored, bulk_batches()).close():
        return
    if again := Owes(change=payload["change"]).due_item():
        write_item(client(), again.action)


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
    elif VERSION in item:
        rank_by_votes(comment_id)
    refresh_ranks({product_id: Touch()}, only_stale=True)
    finish_postings(product_id, comment_id, and_close=and_close)


def finish_owed_or_log(comment_id: str) -> None:
    """Do the same for an attempt that finds its change made already.

    The one before it may have been cut off, or its answer lost. What fails is logged, and left to
    the worker: the due items of the earlier attempts are still stored.
    """
    try:
        finish_owed(comment_id, and_close=False)
    except (*FAILURES, ConditionFailed) as failure:
        sentence = "What comment %s owes was left behind: %s"
        logger.warning(sentence, comment_id, sentence_about(failure))


QUEUE.register(FOLLOW, finish_what_follows)
QUEUE.register(CLOSE, close_change)
