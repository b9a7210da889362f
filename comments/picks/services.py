"""Writes of staff picks: comments that staff put forward on their product's page (P5).

A pick is one attribute of the comment's own item, and writes to the index ``featured`` alone. It
goes when the comment is deleted or hidden.
"""

from comments import keys
from comments.models import Comment
from comments.store.comments import NoSuchComment, product_id_of
from comments.store.table import comment_key, read_item, retry
from dynamo.calls.client import client
from dynamo.writes.actions import unchanged, update
from dynamo.writes.transactions import ConditionFailed
from dynamo.writes.updates import write_one

_LISTED = Comment.product_partition.attr_name
_FEATURED = Comment.featured_partition.attr_name


def feature(comment_id: str) -> bool:
    """Pick a comment; return whether it was not picked before.

    Raises NoSuchComment, also for one that is hidden, Contended, and botocore's errors.
    """
    key = comment_key(comment_id)

    def attempt() -> bool:
        item = read_item(key)
        if _LISTED not in item:
            raise NoSuchComment(comment_id)
        pick = Comment.featured_partition.set(keys.featured(product_id_of(item)))
        same_product = unchanged(item, Comment.product_partition)
        write_one(client(), update(Comment, key, [pick], same_product))
        return _FEATURED not in item

    return retry(attempt)


def unfeature(comment_id: str) -> bool:
    """Take a pick back; return whether it was one. Raises Contended, and botocore's errors."""
    picked = Comment.featured_partition
    action = update(Comment, comment_key(comment_id), [picked.remove()], picked.exists())
    try:
        write_one(client(), action)
    except ConditionFailed:
        return False
    return True
