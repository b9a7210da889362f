"""The parts in which the sample is loaded: what a shop is opened with, and the rest behind it.

The rest is noted in a file below ``VAR_DIR`` until it is loaded, with the day that the dates of the
first part lead up to.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path

from django.conf import settings

from comments.items import NewComment

FIRST_OF = 4
"""Of so many comments one is loaded before the shop is open."""


class Part(Enum):
    """What a load writes of the sample."""

    WHOLE = "whole"
    FIRST = "first"
    REST = "rest"

    def first_comments(self, comments: Sequence[NewComment]) -> Sequence[NewComment]:
        """Return the comments that are loaded first: all, or some of each product."""
        if self is Part.WHOLE:
            return comments
        return comments[::FIRST_OF]

    def other_comments(self, comments: Sequence[NewComment]) -> Sequence[NewComment]:
        """Return the comments that are loaded after the first ones."""
        first = {comment.id for comment in self.first_comments(comments)}
        return [comment for comment in comments if comment.id not in first]


def rest_file() -> Path:
    """Return the file that is there while the rest is to be loaded."""
    return Path(settings.VAR_DIR) / "sample-rest.txt"


def note_rest(today: datetime) -> None:
    """Note that the rest is to be loaded, and the day of the first part."""
    rest_file().parent.mkdir(parents=True, exist_ok=True)
    rest_file().write_text(today.isoformat())


def day_of_rest() -> datetime | None:
    """Return the day of the first part; None where there is no rest to be loaded."""
    try:
        return datetime.fromisoformat(rest_file().read_text())
    except FileNotFoundError:
        return None
