"""What readers of files give, one for each row."""

from collections.abc import Mapping
from dataclasses import dataclass


class RowRefused(ValueError):
    """The record is not what it should be; the text says which field is wrong, and how."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row whose values could be told apart. ``line`` is the one it begins on."""

    line: int
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that was refused, why, and its id where there is one.

    ``file`` is the name of its file, where an import reads several.
    """

    line: int
    reason: str
    id: str = ""
    file: str = ""
