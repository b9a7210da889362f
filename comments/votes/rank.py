"""Writes of comments' ranks by helpful votes (AP13).

The rank of a comment is three attributes of the comment's own item, so that it goes when the
comment goes, is hidden with it, and is listed with what the comment says. No index but
``ranked`` holds any of them: a change of a rank writes to that one alone. A comment without a
vote has no keys in ``ranked``, only the version of its rank.

The rank is derived after the votes were committed, under a version condition like those of
products (see `comments.rankings.services`). The version is the rank's own: a vote is no edit, and must not
make its author's edit fail.
"""

from collections.abc import Callable
from typing import Any

from comments import keys
from comments.keys import scored
from comments.models import TABLE, Comment
from dynamo.calls.client import client
from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.writes.transactions import ConditionFailed
from dynamo.writes.updates import update_item

PARTITION = Comment.rank_partition.attr_name
PLACE = Comment.rank_place.attr_name
VERSION = Comment.rank_version.attr_name
ATTRIBUTES = (PARTITION, PLACE, VERSION)
"""What to carry along when a comment's item is replaced, and to take away when it is hidden."""

ATTEMPTS = 5
_PRODUCT = Comment.product_partition.attr_name


def rank_comment(comment_id: str, helpful: int) -> bool:
    """Rank a comment by this number of helpful votes; with none it ranks no more.

    Of two at once the later one stays: where votes are cast concurrently, give
    `refresh_comment` the tally to read. Returns whether there is such a comment in lists.
    """
    return refresh_comment(comment_id, tally=lambda: helpful)


def refresh_comment(comment_id: str, *, tally: Callable[[], int]) -> bool:
    """Rank a comment by the helpful votes that ``tally`` reads, strongly, for each attempt.

    Call it after the vote is committed. Returns whether there is such a comment in lists.
    Raises Contended, and botocore's errors.
    """
    with labelled_calls("ranks"):
        for _ in range(ATTEMPTS):
            stored = _read(comment_id)
            if _PRODUCT not in stored:  # deleted, or hidden
                return False
            if _store(comment_id, stored, tally()):
                return True
    return True  # all but the first who won since began after our commit, and have seen it


def ranked_under(product_id: str, kept: Item) -> Item:
    """Give the attributes of a rank as they are when the comment is about ``product_id``."""
    rank = {name: kept[name] for name in ATTRIBUTES if name in kept}
    return {**rank, PARTITION: {"S": keys.helpful(product_id)}} if PARTITION in rank else rank


def _read(comment_id: str) -> Item:
    answer = client().get_item(TableName=TABLE, Key=_key(comment_id), ConsistentRead=True)
    return answer.get("Item", {})


def _store(comment_id: str, stored: Item, votes: int) -> bool:
    """Store a rank unless another was stored, or the comment changed products, meanwhile."""
    product_id = keys.product_id_in(stored[_PRODUCT]["S"])
    version = stored.get(VERSION)
    update, values = f"SET #{VERSION} = :next REMOVE #{PARTITION}, #{PLACE}", {}
    if votes > 0:
        update = f"SET #{VERSION} = :next, #{PARTITION} = :k, #{PLACE} = :p"
        values = {":k": {"S": keys.helpful(product_id)}, ":p": {"S": scored(votes, comment_id)}}
    condition = f"#{VERSION} = :seen" if version else f"attribute_not_exists(#{VERSION})"
    numbers: dict[str, Any] = {":next": {"N": str(int(version["N"] if version else 0) + 1)}}
    parameters = {
        "TableName": TABLE,
        "Key": _key(comment_id),
        "UpdateExpression": update,
        "ConditionExpression": f"#{_PRODUCT} = :product AND {condition}",
        "ExpressionAttributeNames": {f"#{name}": name for name in (*ATTRIBUTES, _PRODUCT)},
        "ExpressionAttributeValues": {
            **values,
            **numbers,
            ":product": stored[_PRODUCT],
            **({":seen": version} if version else {}),
        },
    }
    try:
        update_item(client(), parameters)  # which other voters' transactions may hold up
    except ConditionFailed:
        return False
    return True


def _key(comment_id: str) -> dict[str, dict[str, str]]:
    value = {"S": keys.comment(comment_id)}
    return {"pk": value, "sk": value}
