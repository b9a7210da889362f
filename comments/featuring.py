"""What staff have picked of a product's comments: a sparse index, shown on the product's page (P5).

A pick is one attribute of the comment's own item, and writes to the index ``featured`` alone. It
goes when the comment is deleted or hidden.
"""

from comments import keys
from comments.models import Comment
from comments.queries import CommentEntry, entry_of
from comments.stored import NoSuchComment, product_id_of
from comments.writing import TABLE
from dynamo.client import client
from dynamo.places import id_at
from dynamo.reader import PageRequest
from dynamo.reading import read
from dynamo.runs import Index, Item, Position, Run
from dynamo.transactions import ConditionFailed, Contended
from dynamo.updates import update_item

SHOWN_PICKS = 3
ATTEMPTS = 5
_LISTED = Comment.product_partition.attr_name
_FEATURED = Comment.featured_partition.attr_name


def _table_key(position: Position) -> dict[str, str]:
    return dict.fromkeys(("pk", "sk"), keys.comment(id_at(position.place)))


_INDEX = Index(
    table=TABLE,
    name=Comment.featured.Meta.index_name,
    partition_key=_FEATURED,
    sort_key=Comment.place.attr_name,
    table_key=_table_key,
)


def feature(comment_id: str) -> None:
    """Pick a comment; picking it again changes nothing.

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
        return
    raise Contended("This comment is being changed by others at the moment.")


def unfeature(comment_id: str) -> None:
    """Take a pick back, if it is one. Raises Contended, and botocore's errors."""
    try:
        _update(
            comment_id,
            UpdateExpression="REMOVE #f",
            ConditionExpression="attribute_exists(#f)",
            ExpressionAttributeNames={"#f": _FEATURED},
        )
    except ConditionFailed:
        return


def latest_picks(product_id: str) -> list[CommentEntry]:
    """Read the newest of a product's picked comments: one query, of half a unit."""
    run = Run(index=_INDEX, partition=keys.featured(product_id))
    page = read([run], PageRequest(SHOWN_PICKS), look_ahead=False)
    return [entry_of(entry.item) for entry in page.entries]


def _read(comment_id: str) -> Item:
    answer = client().get_item(TableName=TABLE, Key=_key(comment_id), ConsistentRead=True)
    return answer.get("Item", {})


def _update(comment_id: str, **parameters: object) -> None:
    update_item(client(), {"TableName": TABLE, "Key": _key(comment_id), **parameters})


def _key(comment_id: str) -> Item:
    value = {"S": keys.comment(comment_id)}
    return {"pk": value, "sk": value}
