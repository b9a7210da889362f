"""Records and rejected rows, which readers of files yield, and the values of a record's fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dynamo.files.moments import DateFormats

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


def text_of(name: str, value: object) -> str:
    """Return the value of a field as text, empty for None. Raises RowRefused.

    A lone surrogate stands for a byte that could not be read.
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowRefused(f"{name} is neither text nor a number")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RowRefused(f"{name} is not UTF-8 text") from error
    if "\0" in text:
        raise RowRefused(f"{name} holds a NUL character")
    return text


def short_text(name: str, text: str, longest: int) -> str:
    """Return a text of up to ``longest`` characters. Raises RowRefused."""
    if len(text) > longest:
        raise RowRefused(f"{name} has {len(text):,} characters, more than {longest:,}")
    return text


def moment_of(name: str, text: str, formats: DateFormats) -> datetime:
    """Parse a moment as aware UTC. Raises RowRefused."""
    try:
        return formats.parse(text)
    except ValueError as error:
        raise RowRefused(f"{name}: {error}") from error
