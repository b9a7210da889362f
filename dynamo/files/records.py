"""The results of readers of files, one for each row."""

from collections.abc import Mapping
from dataclasses import dataclass

MOST_NESTED = 32
"""How deep a row's values may be nested: what holds none is one deep."""
SHOWN = 128
"""Characters of an id in a list of rejected rows."""


class RowRefused(ValueError):
    """A record is not valid; the text names the field and the reason."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row that was split into values. ``line`` is the number of its first line."""

    line: int
    values: Mapping[str, object]

    def shown(self, column: str) -> str:
        """Return the start of a value, to name a row that is rejected; it may be empty."""
        value = self.values.get(column)
        return "" if value is None else str(value)[:SHOWN]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that was refused, with the reason, and its id if it has one.

    ``file`` is the name of its file if an import reads several.
    """

    line: int
    reason: str
    id: str = ""
    file: str = ""
