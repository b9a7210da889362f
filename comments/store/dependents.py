"""The dependents of a comment: its long body, reply, votes with their tally, and reports.

They share the comment's partition, but for the tally, and are deleted after the comment itself.
"""

import logging

from comments import keys
from comments.keys import comment_key
from comments.models import Comment
from comments.store.counts import tallies
from comments.store.states import NEW_OR_DELETED, is_tombstone
from comments.store.table import ATTEMPTS, BEING_CHANGED, is_comment, query_pages
from dynapages.calls import in_chunks, sentence_about
from dynapages.process import client
from dynapages.pynamodb import FAILURES
from dynapages.writes import (
    MOST_ACTIONS,
    Action,
    ConditionFailed,
    Contended,
    check,
    delete,
    write_transaction,
)

_COMMENT = 0
"""Number of the transactions' action on the comment."""

logger = logging.getLogger(__name__)


def delete_dependents(comment_id: str) -> None:
    """Delete the dependents of a deleted comment; those of one that exists are kept.

    Raises Contended; what was deleted stays deleted.
    """
    is_deleted = check(Comment, comment_key(comment_id), NEW_OR_DELETED)
    for _ in range(ATTEMPTS):
        try:
            for deletions in in_chunks(deletions_of_dependents(comment_id), MOST_ACTIONS - 1):
                write_transaction(client(), [is_deleted, *deletions])
        except ConditionFailed as error:
            if _COMMENT not in error.failed:  # a vote was cast
                continue
        return
    raise Contended(BEING_CHANGED)


def delete_dependents_or_log(comment_id: str) -> bool:
    """Delete the dependents of a deleted comment; return False where that failed, which is logged.

    The worker does it then.
    """
    try:
        delete_dependents(comment_id)
    except FAILURES as failure:
        sentence = "What belongs to comment %s was left behind: %s"
        logger.warning(sentence, comment_id, sentence_about(failure))
        return False
    return True


def deletions_of_dependents(comment_id: str) -> list[Action]:
    """Build the actions that delete the dependents, the tally last; none if the comment exists."""
    # Before the votes: one that is cast after this is in the query, or makes the deletion fail.
    tally = tallies().deletions(comment_id)
    deletions: list[Action] = []
    for page in query_pages(Comment.pk == keys.comment(comment_id), ConsistentRead=True):
        for item in page["Items"]:
            if not is_comment(item):
                deletions.append(delete(Comment, {"pk": item["pk"], "sk": item["sk"]}))
            elif not is_tombstone(item):
                return []
    return [*deletions, *tally]
