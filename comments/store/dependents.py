"""What depends on a comment: its body, votes, reports, reply and tally.

A comment is deleted together with its counts in one transaction. Its dependents may be too many
for that and are deleted right after. If that is interrupted, deleting the comment again or
`check_integrity` deletes the rest.
"""

from collections.abc import Iterator

from comments import keys
from comments.models import Comment
from comments.store.comments import NEW_OR_DELETED, is_tombstone
from comments.store.table import comment_key, portions, query_pages, read_item
from dynamo.calls.client import client
from dynamo.items import Item, table_key
from dynamo.writes.actions import check, delete
from dynamo.writes.shards import shards_in
from dynamo.writes.transactions import MOST_ACTIONS, ConditionFailed, write_together


def delete_dependents(comment_id: str) -> int:
    """Delete the dependents of a deleted comment; return the number of items deleted.

    Those of a comment that exists are kept, also if it is put back meanwhile. Raises Contended
    and botocore's errors; what was deleted until then stays deleted.
    """
    deleted = 0
    for some in portions(leftovers(comment_id), MOST_ACTIONS - 1):
        deletes = [delete(Comment, key) for key in some]
        unused = check(Comment, comment_key(comment_id), NEW_OR_DELETED)
        try:
            write_together(client(), [unused, *deletes])
        except ConditionFailed:
            return deleted
        deleted += len(some)
    return deleted


def leftovers(comment_id: str) -> list[Item]:
    """Read the keys of the dependents of a comment that does not exist; none if it does."""
    comment = comment_key(comment_id)
    dependents: list[Item] = []
    for item in _partition(keys.comment(comment_id)):
        if item["sk"] != comment["sk"]:
            dependents.append({"pk": item["pk"], "sk": item["sk"]})
        elif not is_tombstone(item):
            return []
    return dependents + _tally(comment_id)


def _partition(key: str) -> Iterator[Item]:
    for page in query_pages(Comment.pk == key, ConsistentRead=True):
        yield from page["Items"]


def _tally(comment_id: str) -> list[Item]:
    """Return the keys of a comment's tally, last that of share 0, which counts the others."""
    item = read_item(table_key(**keys.tally(comment_id, 0)))
    shards = reversed(range(shards_in(item))) if item else ()
    return [table_key(**keys.tally(comment_id, shard)) for shard in shards]
