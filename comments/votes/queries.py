"""Reads of who found what helpful."""

from comments import keys
from comments.models import ByAuthor, Comment
from comments.votes.services import key_of
from dynamo.calls.client import client
from dynamo.calls.meter import labelled_calls
from dynamo.lists.places import id_at

TABLE = Comment.Meta.table_name


def has_voted(*, comment_id: str, username: str) -> bool:
    """Tell, by a strong read, whether a user finds a comment helpful: one unit."""
    key = {name: {"S": value} for name, value in key_of(comment_id, username).items()}
    with labelled_calls("votes"):
        answer = client().get_item(TableName=TABLE, Key=key, ConsistentRead=True)
    return "Item" in answer


def voted_on(*, product_id: str, username: str) -> frozenset[str]:
    """Read which of a product's comments a user finds helpful, as the index knows it.

    One query, half a unit for each 4 KB of votes, which some forty fit into: far less than looking
    for a vote beside each comment of a page.
    """
    place = ByAuthor.place.attr_name
    with labelled_calls("votes"):
        answer = client().query(
            TableName=TABLE,
            IndexName=ByAuthor.Meta.index_name,
            KeyConditionExpression="#c = :p AND begins_with(#o, :about)",
            ExpressionAttributeNames={"#c": ByAuthor.partition.attr_name, "#o": place},
            ExpressionAttributeValues={
                ":p": {"S": keys.voter(username)},
                ":about": {"S": keys.about(product_id, "")},
            },
        )
    return frozenset(id_at(item[place]["S"]) for item in answer["Items"])
