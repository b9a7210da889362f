"""What readers of files give, one for each row."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """A row whose values could be told apart. ``line`` is the one it begins on."""

    line: int
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that is no comment, why, and its id where there is one."""

    line: int
    reason: str
    id: str = ""
