"""Comments to do something with, and what has become of them."""

from dataclasses import replace
from datetime import timedelta

from comments.integrity.comments import comment_differences
from comments.items import NewComment
from comments.moderation.queries import ModeratedComment, list_moderated
from comments.posting.services import add_comment
from comments.rankings.queries import list_most_helpful
from comments.store.comments import State
from dynamo.lists.reader import PageRequest
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
        username="ann",
    )
    comment = replace(comment, **told)
    add_comment(comment)
    return comment


def helpful(comment: NewComment) -> list[int]:
    """How many the ranking says found the comment helpful; empty when it is not there."""
    page = list_most_helpful(comment.product_id, PageRequest(100))
    return [found.helpful for found in page.items if found.comment.id == comment.id]


def moderated(comment: NewComment, state: State) -> ModeratedComment | None:
    """The comment among those in a state, wherever it lies there."""
    request: PageRequest | None = PageRequest(100)
    while request:
        found = list_moderated(state, request)
        for one in found.items:
            if one.id == comment.id:
                return one
        entries = found.page.entries
        request = PageRequest(100, entries[-1].position) if found.page.has_next else None
    return None


def differing(*comments: NewComment) -> list[str]:
    """What the check finds of comments and their products."""
    mine = {name for comment in comments for name in (comment.id, comment.product_id)}
    return [
        f"{d.kind} of {d.subject}: {d.stored}, not {d.expected}"
        for d in comment_differences()
        if any(name in d.subject for name in mine) and not d.is_hint
    ]
