"""Comments as the table holds them, whole and strongly read: what a write starts from."""

from collections.abc import Mapping
from dataclasses import dataclass

from comments import keys
from comments.items import NewComment
from comments.models import Comment, CommentBody
from comments.store.counts import Cell
from dynamo.errors import DynamoError
from dynamo.items import Item
from dynamo.lists.places import id_at, moment_at
from dynamo.lists.site_reader import page_batches

EXPIRY = Comment.expires_at.attr_name
_LISTED = Comment.product_partition.attr_name


class NoSuchComment(LookupError):
    """There is no comment with this id.

    Of one that was deleted lately ``product_id`` tells what it was about; else it is empty.
    """

    def __init__(self, comment_id: str, *, product_id: str = "") -> None:
        super().__init__(comment_id)
        self.product_id = product_id


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
        """Where it is counted, unless it is hidden."""
        return self.comment.language, self.comment.rating

    @property
    def is_hidden(self) -> bool:
        """Tell whether it is in no list of its product, and not counted."""
        return _LISTED not in self.item

    @property
    def has_long_body(self) -> bool:
        """Tell whether its text is an item of its own."""
        return Comment.body_bytes.attr_name in self.item


def load_comment(comment_id: str) -> StoredComment:
    """Read a comment and its long body, strongly. Raises NoSuchComment."""
    key = keys.comment(comment_id)
    found = page_batches().get(
        Comment.Meta.table_name,
        [{"pk": {"S": key}, "sk": {"S": sort_key}} for sort_key in (key, keys.BODY)],
    )
    items = {item["sk"]["S"]: item for item in found}
    if key not in items or is_tombstone(items[key]):
        product_id = product_id_of(items[key]) if key in items else ""
        raise NoSuchComment(comment_id, product_id=product_id)
    return StoredComment(_comment(items[key], items.get(keys.BODY)), items[key])


def is_tombstone(item: Item) -> bool:
    """Tell whether this is what a deleted comment left behind."""
    return EXPIRY in item


def product_id_of(item: Item) -> str:
    """Give the product that a comment's item is about, hidden ones and tombstones included."""
    if _LISTED in item:
        return keys.product_id_in(item[_LISTED]["S"])
    hidden: Mapping[str, str] = item.get(Comment.hidden_product.attr_name, {"S": ""})
    return hidden["S"]


def version_of(item: Item) -> int:
    """Give the version of a comment's item; one from before there were versions is 0."""
    value: Mapping[str, str] = item.get(Comment.version.attr_name, {"N": "0"})
    return int(value["N"])


def _comment(item: Item, body: Item | None) -> NewComment:
    comment = Comment.from_raw_data(dict(item))
    long_text = CommentBody.from_raw_data(dict(body)).text if body else None
    return NewComment(
        id=id_at(comment.place),
        product_id=product_id_of(item),
        language=comment.language,
        rating=int(comment.rating),
        created_at=moment_at(comment.place),
        author=comment.author or "",
        title=comment.title or "",
        body=(comment.text or "") if long_text is None else long_text,
        username=comment.username or "",
        verified=bool(comment.verified),
    )


class OwnComment(DynamoError):
    """Nobody votes on, or reports, what they wrote themselves."""
