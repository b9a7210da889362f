"""What ``comment_sets`` holds of a comment, and what it should hold."""

from comments import keys
from comments.keys import comment_key
from comments.sets.copies import TABLE, Name, name_of, primary_of
from comments.store.table import read_item
from dynapages.items import Item, table_key
from dynapages.process import client
from tests.support.sets.items import all_items


def stored_items(comment_id: str) -> dict[Name, Item]:
    """Read all items of a comment, strongly."""
    found = client().query(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": keys.comment(comment_id)}},
        ConsistentRead=True,
    )
    return {name_of(item): item for item in found["Items"]}


def expected_items(comment_id: str) -> dict[Name, Item]:
    """Derive all items of a comment from what the table ``comments`` holds of it."""
    primary = primary_of(read_item(comment_key(comment_id)))
    return all_items([primary] if primary else [])


def put(item: Item) -> None:
    """Put an item into ``comment_sets``, as nobody should."""
    client().put_item(TableName=TABLE, Item=item)


def delete(name: Name) -> None:
    """Delete an item of ``comment_sets``, as nobody should."""
    client().delete_item(TableName=TABLE, Key=table_key(*name))
