"""Comments to do something with, and what has become of them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from pynamodb.expressions.operand import Path

from comments import keys
from comments.integrity.comments import comment_differences
from comments.items import NewComment
from comments.keys import comment_key
from comments.models import Comment
from comments.moderation.queries import ModeratedComment, list_moderated
from comments.posting.services import add_comment
from comments.rankings.queries import list_most_helpful
from comments.store.states import State
from comments.store.table import query_pages
from dynapages.items import Item
from dynapages.lists import PageRequest
from dynapages.process import client
from dynapages.upkeep import Difference, integrity
from shop.catalogue.services import ensure_products
from tests.support.chance import unique
from tests.support.comments.truth import START

NOW = START + timedelta(days=1)


def made_comment(**told: object) -> NewComment:
    """A comment by somebody called ann, on a product of its own, posted."""
    product_id = unique("product")
    ensure_products(product_ids={product_id})
    comment = NewComment(
        id=unique("comment"),
        product_id=product_id,
        language="en",
        rating=5,
        created_at=START,
        author="ann",
        title="Good",
        body="It works.",
        user_id="ann",
    )
    comment = replace(comment, **told)
    add_comment(comment)
    return comment


def helpful(comment: NewComment) -> list[int]:
    """How many the ranking says found the comment helpful; empty when it is not there."""
    page = list_most_helpful(comment.product_id, PageRequest(100))
    return [found.helpful_votes or 0 for found in page.items if found.id == comment.id]


def moderated(comment: NewComment, state: State) -> ModeratedComment | None:
    """The comment among those in a state, wherever it lies there."""
    request: PageRequest | None = PageRequest(100)
    while request:
        found = list_moderated(state, request)
        for one in found.items:
            if one.id == comment.id:
                return one
        position = found.page.next_position
        request = PageRequest(100, position) if position else None
    return None


def differences(*comments: NewComment) -> list[Difference]:
    """What the check finds of comments and their products, without a pause to let others write."""
    mine = {name for comment in comments for name in (comment.id, comment.product_id)}
    with patch.object(integrity, "PAUSES", (0.0,) * len(integrity.PAUSES)):
        return [d for d in comment_differences() if any(name in d.subject for name in mine)]


def differing(*comments: NewComment) -> list[str]:
    """The same in words, but for hints."""
    found = [d for d in differences(*comments) if not d.is_hint]
    return [f"{d.kind} of {d.subject}: {d.stored}, not {d.expected}" for d in found]


def mended(*comments: NewComment) -> list[Difference]:
    """What the check found of comments and their products, and has mended."""
    found = differences(*comments)
    assert all(difference.repair and difference.repair() for difference in found)
    assert differences(*comments) == []
    return found


def spoil(
    comment: NewComment, name: str, value: dict[str, Any], *, sort_key: str = keys.COMMENT
) -> None:
    """Change an attribute of a comment, or of what belongs to it, behind everybody's back."""
    client().update_item(
        TableName=Comment.Meta.table_name,
        Key=comment_key(comment.id, sort_key),
        UpdateExpression="SET #n = :v",
        ExpressionAttributeNames={"#n": name},
        ExpressionAttributeValues={":v": value},
    )


def items_in(comment_id: str) -> dict[str, Item]:
    """All that is stored under a comment's partition key, by its sort keys."""
    (page,) = query_pages(Path("pk") == keys.comment(comment_id), ConsistentRead=True)
    return {item["sk"]["S"]: item for item in page["Items"]}
