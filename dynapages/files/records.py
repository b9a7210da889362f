"""What readers of files yield: records and rejected rows, and their values as text."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dynapages.files.lines import LONGEST_LINE

MOST_NESTED = 32
"""How deep a row's values may be nested: what holds none is one deep."""
LONGEST_ID_SHOWN = 128
"""Characters of an id in a list of rejected rows."""


class RowRefused(ValueError):
    """A record is not valid; the text names the field and the reason."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row that was split into values. ``line`` is the number of its first line."""

    line: int
    values: Mapping[str, object]

    def shown(self, column: str) -> str:
        """Return the start of a text or number, to name a row that is rejected; it may be empty."""
        value = self.values.get(column)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return ""
        return str(value)[:LONGEST_ID_SHOWN]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that was refused, with the reason, and its id if it has one.

    ``file`` is the name of its file if an import reads several. ``record`` has the values of a row
    with at most half of its fields, as far as they are whole.
    """

    line: int
    reason: str
    id: str = ""
    file: str = ""
    record: Record | None = field(default=None, compare=False)


class ColumnNames:
    """The names of columns in the rows read so far, the first `LONGEST_LINE` characters of them."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._length = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._names)

    def add(self, names: Iterable[str]) -> None:
        """Add the names in a row, all of them, unless those before are too long together."""
        if self._length >= LONGEST_LINE:
            return
        for name in names:
            if name not in self._names:
                self._names[name] = None
                self._length += len(name)


def text_of(name: str, value: object) -> str:
    """Return the value of a field as text, empty for None. Raises RowRefused."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowRefused(f"{name} is neither text nor a number")
    text = str(value)
    # Bytes that are no UTF-8 were read as lone surrogates, which cannot be encoded.
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RowRefused(f"{name} is not UTF-8 text") from error
    if "\0" in text:
        raise RowRefused(f"{name} holds a NUL character")
    return text


def short_text(name: str, text: str, longest: int) -> str:
    """Return a text of up to ``longest`` characters. Raises RowRefused for a longer one."""
    if len(text) > longest:
        raise RowRefused(f"{name} has {len(text):,} characters, more than {longest:,}")
    return text
