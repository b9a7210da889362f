"""The revision of a comment that a decision of staff is about."""

from dataclasses import dataclass
from enum import StrEnum

from comments.models import Comment
from dynamo.items import Item

_NUMBERS = (Comment.version.attr_name, Comment.reports.attr_name)
_LISTED = Comment.product_partition.attr_name
_QUEUE = Comment.moderation_partition.attr_name


class State(StrEnum):
    """The state of a comment; the first two are partitions of the index ``moderation``."""

    REPORTED = "REPORTED"
    HIDDEN = "HIDDEN"
    LISTED = "LISTED"

    @classmethod
    def of(cls, item: Item) -> "State":
        """Return that of an item of the table or of the index ``moderation``."""
        if _LISTED not in item:
            return cls.HIDDEN
        return cls.REPORTED if _QUEUE in item else cls.LISTED


@dataclass(frozen=True, slots=True)
class Revision:
    """A comment's state, its version, and how often it was reported; ``str`` is for forms."""

    state: State
    version: int
    reports: int

    @classmethod
    def of(cls, item: Item) -> "Revision":
        """Return that of an item of the table or of the index ``moderation``."""
        numbers = [item.get(name, {"N": "0"})["N"] for name in _NUMBERS]
        return cls(State.of(item), *map(int, numbers))

    @classmethod
    def parse(cls, text: str) -> "Revision":
        """Parse what ``str`` returned. Raises ValueError."""
        state, version, reports = text.split(".")
        return cls(State(state), int(version), int(reports))

    def __str__(self) -> str:
        return f"{self.state}.{self.version}.{self.reports}"
