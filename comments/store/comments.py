"""Comments read whole and strongly from the table, as a write starts from them."""

from dataclasses import dataclass

from comments import keys
from comments.items import NewComment
from comments.keys import comment_key
from comments.models import TABLE, Comment, CommentBody
from comments.store.counts import Cell
from comments.store.states import State, is_listed, is_tombstone, product_id_of
from dynapages.errors import DynamoError
from dynapages.items import Item
from dynapages.lists import id_at, moment_at
from dynapages.process import page_batches


class NoSuchComment(LookupError):
    """There is no such comment; ``product_id`` is that of one deleted lately, else empty."""

    def __init__(self, comment_id: str, *, product_id: str = "") -> None:
        super().__init__(comment_id)
        self.product_id = product_id


class OwnComment(DynamoError):
    """A user voted on or reported a comment of their own."""


@dataclass(frozen=True, slots=True)
class StoredComment:
    """A comment with its item as it was read; ``version`` rises from 0 with every change."""

    comment: NewComment
    item: Item

    @property
    def version(self) -> int:
        return int(self.item.get(Comment.version.attr_name, {"N": "0"})["N"])

    @property
    def cell(self) -> Cell:
        """The language and rating it is counted under, if it is listed."""
        return self.comment.language, self.comment.rating

    @property
    def state(self) -> State:
        return State.of(self.item)

    @property
    def is_hidden(self) -> bool:
        """Whether it is in no list of its product, and not counted: hidden or held."""
        return not is_listed(self.item)

    @property
    def has_long_body(self) -> bool:
        return Comment.body_bytes.attr_name in self.item


def load_comment(comment_id: str) -> StoredComment:
    """Read a comment and its long body, strongly. Raises NoSuchComment."""
    both_keys = [comment_key(comment_id), comment_key(comment_id, keys.BODY)]
    items = {item["sk"]["S"]: item for item in page_batches().get(TABLE, both_keys)}
    item = items.get(keys.COMMENT)
    if item is None:
        raise NoSuchComment(comment_id)
    # Pages lead from what is gone to its product.
    if is_tombstone(item):
        raise NoSuchComment(comment_id, product_id=product_id_of(item))
    return StoredComment(comment_in(item, items.get(keys.BODY)), item)


def comment_in(item: Item, body_item: Item | None = None) -> NewComment:
    """Build a comment from its item and that of its long body; without this, with the excerpt."""
    comment = Comment.from_raw_data(dict(item))
    text = comment.text or ""
    if body_item:
        text = CommentBody.from_raw_data(dict(body_item)).text
    return NewComment(
        id=id_at(comment.place),
        product_id=product_id_of(item),
        language=comment.language,
        rating=int(comment.rating),
        created_at=moment_at(comment.place),
        author=comment.author or "",
        title=comment.title or "",
        body=text,
        user_id=comment.user_id or "",
        verified=bool(comment.verified),
    )
