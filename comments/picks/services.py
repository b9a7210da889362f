"""Writes of staff picks: comments that staff put forward on their product's page (P5).

A pick is one attribute of the comment's own item, and writes to the index ``featured`` alone. It
goes when the comment is deleted or hidden.
"""

from comments import keys
from comments.models import TABLE, Comment
from comments.store.comments import NoSuchComment, product_id_of
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.writes.transactions import ConditionFailed, Contended
from dynamo.writes.updates import update_item

ATTEMPTS = 5
_LISTED = Comment.product_partition.attr_name
_FEATURED = Comment.featured_partition.attr_name


def feature(comment_id: str) -> bool:
    """Pick a comment, and tell whether it was none before; picking it again changes nothing.

    Raises NoSuchComment, also for one that is hidden, Contended, and botocore's errors.
    """
    for _ in range(ATTEMPTS):
        item = _read(comment_id)
        if _LISTED not in item:
            raise NoSuchComment(comment_id)
        pick = {"S": keys.featured(product_id_of(item))}
        try:
            _update(
                comment_id,
                UpdateExpression="SET #f = :f",
                ConditionExpression="#a = :a",
                ExpressionAttributeNames={"#f": _FEATURED, "#a": _LISTED},
                ExpressionAttributeValues={":f": pick, ":a": item[_LISTED]},
            )
        except ConditionFailed:
            continue
        return _FEATURED not in item
    raise Contended("This comment is being changed by others at the moment.")


def unfeature(comment_id: str) -> bool:
    """Take a pick back, and tell whether it was one. Raises Contended, and botocore's errors."""
    try:
        _update(
            comment_id,
            UpdateExpression="REMOVE #f",
            ConditionExpression="attribute_exists(#f)",
            ExpressionAttributeNames={"#f": _FEATURED},
        )
    except ConditionFailed:
        return False
    return True


def _read(comment_id: str) -> Item:
    answer = client().get_item(TableName=TABLE, Key=_key(comment_id), ConsistentRead=True)
    return answer.get("Item", {})


def _update(comment_id: str, **parameters: object) -> None:
    update_item(client(), {"TableName": TABLE, "Key": _key(comment_id), **parameters})


def _key(comment_id: str) -> Item:
    value = {"S": keys.comment(comment_id)}
    return {"pk": value, "sk": value}
