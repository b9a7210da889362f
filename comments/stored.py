"""Comments as the table holds them, whole and strongly read: what a write starts from."""

from collections.abc import Mapping
from dataclasses import dataclass

from comments import keys
from comments.counts import Cell
from comments.items import NewComment
from comments.models import Comment, CommentBody
from dynamo.batches import Batches
from dynamo.client import client, pool
from dynamo.places import id_at, moment_at
from dynamo.runs import Item


class NoSuchComment(LookupError):
    """There is no comment with this id."""


@dataclass(frozen=True, slots=True)
class StoredComment:
    """A comment with its item as it was read; ``version`` rises with every change."""

    comment: NewComment
    item: Item

    @property
    def version(self) -> int:
        return version_of(self.item)

    @property
    def cell(self) -> Cell:
        """Where it is counted."""
        return self.comment.language, self.comment.rating


def load_comment(comment_id: str) -> StoredComment:
    """Read a comment and its long body, strongly. Raises NoSuchComment."""
    key = keys.comment(comment_id)
    found = Batches(client(), pool()).get(
        Comment.Meta.table_name,
        [{"pk": {"S": key}, "sk": {"S": sort_key}} for sort_key in (key, keys.BODY)],
    )
    items = {item["sk"]["S"]: item for item in found}
    if key not in items:
        raise NoSuchComment(comment_id)
    return StoredComment(_comment(items[key], items.get(keys.BODY)), items[key])


def version_of(item: Item) -> int:
    """Give the version of a comment's item; one from before there were versions is 0."""
    value: Mapping[str, str] = item.get(Comment.version.attr_name, {"N": "0"})
    return int(value["N"])


def _comment(item: Item, body: Item | None) -> NewComment:
    comment = Comment.from_raw_data(dict(item))
    long_text = CommentBody.from_raw_data(dict(body)).text if body else None
    return NewComment(
        id=id_at(comment.place),
        product_id=keys.product_id_in(comment.product_partition),
        language=comment.language,
        rating=int(comment.rating),
        created_at=moment_at(comment.place),
        author=comment.author or "",
        title=comment.title or "",
        body=(comment.text or "") if long_text is None else long_text,
    )
