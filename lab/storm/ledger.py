"""The ledger: what each client was told, and what must be stored afterwards.

What was told as done is there exactly once; what was told as refused is not; of what was answered
by a 503, or not at all, either all or nothing is there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from comments import keys
from comments.store.comments import NoSuchComment, load_comment
from comments.store.table import comment_key, read_item


@dataclass(slots=True)
class Written:
    """A comment of a client's: the texts that it may have, and whether it may be there or not."""

    comment_id: str
    product_id: str
    texts: set[str]
    may_be_there: bool = True
    may_be_gone: bool = True

    def done(self, text: str) -> None:
        """Note that a text was told as saved."""
        self.texts, self.may_be_there, self.may_be_gone = {text}, True, False

    def deleted(self, *, surely: bool) -> None:
        """Note that a deletion was sent, and whether it was told as done."""
        self.may_be_there, self.may_be_gone = not surely and self.may_be_there, True

    @property
    def is_sure(self) -> bool:
        """Whether it is known what is stored."""
        return len(self.texts) == 1 and self.may_be_there != self.may_be_gone

    def wrong(self) -> str:
        """Return what is stored otherwise, empty where all is as it was told."""
        try:
            text = load_comment(self.comment_id).comment.body
        except NoSuchComment:
            return "" if self.may_be_gone else f"{self.comment_id} is lost: {self.texts}"
        if not self.may_be_there:
            return f"{self.comment_id} is still there"
        return "" if text in self.texts else f"{self.comment_id} is {text}, not {self.texts}"


@dataclass(slots=True)
class Ledger:
    """What one client wrote; ``votes`` are those told as done, by comment: cast or taken back."""

    username: str
    written: list[Written] = field(default_factory=list)
    votes: dict[str, bool] = field(default_factory=dict)

    def wrong(self) -> Iterator[str]:
        """Yield what is stored otherwise than it was told."""
        yield from filter(None, (one.wrong() for one in self.written))
        for comment_id, is_cast in self.votes.items():
            is_listed = "g" in read_item(comment_key(comment_id))
            stored = bool(read_item(comment_key(comment_id, keys.vote(self.username))))
            if is_listed and stored != is_cast:
                yield f"the vote of {self.username} on {comment_id} is {stored}"
