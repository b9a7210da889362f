"""The orders of a product's list of comments, and their form in URLs."""

from enum import StrEnum
from typing import Self

from comments.filters import BadFilter
from dynamo.lists.reader import Order


class CommentOrder(StrEnum):
    """An order of comments; the value is that of ``?order=``, which is omitted for the newest."""

    NEWEST = "newest"
    OLDEST = "oldest"

    @classmethod
    def parse(cls, spelled: str) -> Self:
        """Read the value of ``?order=``. Raises BadFilter."""
        try:
            return cls(spelled)
        except ValueError:
            *others, last = cls
            known = f"{', '.join(others)} or {last}"
            sentence = f"There is no order “{spelled}”: choose {known}."
            raise BadFilter(sentence) from None

    @property
    def label(self) -> str:
        return f"{self.capitalize()} first"

    @property
    def query(self) -> str:
        """The query of a list's URL, empty for the newest first."""
        return "" if self is CommentOrder.NEWEST else f"?order={self}"

    @property
    def spelled(self) -> list[str]:
        """The values that ``order`` has in the URL."""
        return [] if self is CommentOrder.NEWEST else [self.value]

    @property
    def direction(self) -> Order:
        """The direction in which the list's runs are read."""
        return Order.OLDEST_FIRST if self is CommentOrder.OLDEST else Order.NEWEST_FIRST

    @property
    def page_labels(self) -> tuple[str, str]:
        """What the previous and the next page have."""
        return ("Newer", "Older") if self is CommentOrder.NEWEST else ("Older", "Newer")
