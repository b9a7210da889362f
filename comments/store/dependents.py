"""What depends on a comment: its body, votes, reports, reply and tally.

A comment is deleted together with its counts in one transaction. Its dependents may be too many
for that and are deleted right after. If that is interrupted, deleting the comment again or
`check_integrity` deletes the rest.

A vote that is cast meanwhile is in the tally, so the tally is read before the votes, and deleted
with the last of them, on condition that it has not changed since. Without a tally no vote can be
cast on a deleted comment (see `comments.votes.services`).
"""

from collections.abc import Iterator

from comments import keys
from comments.models import Comment
from comments.store.comments import NEW_OR_DELETED, is_tombstone
from comments.store.counts import tallies
from comments.store.table import ATTEMPTS, BEING_CHANGED, comment_key, query_pages
from dynamo.calls.batches import in_chunks
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.writes.actions import Action, check, delete
from dynamo.writes.transactions import MOST_ACTIONS, ConditionFailed, Contended, write_together

_COMMENT = 0
"""Number of the transactions' action on the comment."""


def delete_dependents(comment_id: str) -> int:
    """Delete the dependents of a deleted comment; return the number of items deleted.

    Those of a comment that exists are kept, also if it is put back meanwhile. Raises Contended
    and botocore's errors; what was deleted until then stays deleted.
    """
    is_deleted = check(Comment, comment_key(comment_id), NEW_OR_DELETED)
    deleted = 0
    for _ in range(ATTEMPTS):
        try:
            for some in in_chunks(leftovers(comment_id), MOST_ACTIONS - 1):
                write_together(client(), [is_deleted, *some])
                deleted += len(some)
        except ConditionFailed as error:
            if _COMMENT not in error.failed:  # a vote was cast
                continue
        return deleted
    raise Contended(BEING_CHANGED)


def leftovers(comment_id: str) -> list[Action]:
    """Build the actions that delete the dependents, the tally last; none if the comment exists."""
    tally, deletions = tallies().deletions(comment_id), list[Action]()
    comment = comment_key(comment_id)
    for item in _partition(keys.comment(comment_id)):
        if item["sk"] != comment["sk"]:
            deletions.append(delete(Comment, {"pk": item["pk"], "sk": item["sk"]}))
        elif not is_tombstone(item):
            return []
    return [*deletions, *tally]


def _partition(key: str) -> Iterator[Item]:
    for page in query_pages(Comment.pk == key, ConsistentRead=True):
        yield from page["Items"]
