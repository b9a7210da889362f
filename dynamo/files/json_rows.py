"""Records of JSON: one object to a line, or the objects of one array.

What is nested in an object has a name with dots: ``{"dates": {"published": …}}`` has the column
``dates.published``. Lists stay as they are.
"""

import json
from collections.abc import Iterator, Mapping

from dynamo.files.content import FileUnreadable
from dynamo.files.lines import LONGEST_LINE, Lines
from dynamo.files.records import Record, Rejected

MOST_COLUMNS = 200
"""The most names of columns that are kept."""
_CHUNK = 64 * 1024
"""Characters of an array that are read at a time."""
_DECODER = json.JSONDecoder()


class _Columns:
    """The names of columns in the records made so far."""

    def __init__(self) -> None:
        self._columns: dict[str, None] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def record(self, line: int, value: object, what: str) -> Record | Rejected:
        """Return the record of a value, which is rejected where it is no object."""
        if not isinstance(value, dict):
            return Rejected(line, f"{what} is no JSON object")
        values = flat(value)
        if len(self._columns) < MOST_COLUMNS:
            self._columns.update(dict.fromkeys(values))
        return Record(line, values)


class JsonLines(_Columns):
    """The objects of a file; ``columns`` are the names in those read so far."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._lines = lines

    def __iter__(self) -> Iterator[Record | Rejected]:
        for text in self._lines:
            if text.strip():
                yield self._parsed(self._lines.number, text)

    def _parsed(self, line: int, text: str) -> Record | Rejected:
        if len(text) >= LONGEST_LINE:
            return Rejected(line, f"the line has {LONGEST_LINE:,} characters or more")
        try:
            return self.record(line, json.loads(text), "the line")
        except (ValueError, RecursionError) as error:
            return Rejected(line, f"the line is no JSON: {error}")


class JsonArray(_Columns):
    """The objects of an array; ``columns`` as of `JsonLines`.

    An array that is malformed cannot be read any further: FileUnreadable is raised.
    """

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._lines = lines
        self._text = ""
        self._line = 1

    def __iter__(self) -> Iterator[Record | Rejected]:
        self._take("[")
        if self._next() == "]":
            return
        while True:
            self._next()
            line = self._line
            yield self.record(line, self._value(), "the element")
            if self._take(",", "]") == "]":
                return

    def _value(self) -> object:
        while True:
            problem = "it ends within an element"
            try:
                value, end = _DECODER.raw_decode(self._text)
            except (ValueError, RecursionError) as error:
                problem = str(error)
            else:
                # A number may go on in what is not read yet.
                if end < len(self._text):
                    self._drop(end)
                    return value
            if len(self._text) >= LONGEST_LINE or not self._read_on():
                raise self._unreadable(problem)

    def _take(self, *marks: str) -> str:
        mark = self._next()
        if mark not in marks:
            raise self._unreadable(f"there is “{mark}” instead of “{'” or “'.join(marks)}”")
        self._drop(1)
        return mark

    def _next(self) -> str:
        """Return the next character that is no white space, or nothing at the end."""
        while not (rest := self._text.lstrip()):
            self._drop(len(self._text))
            if not self._read_on():
                return ""
        self._drop(len(self._text) - len(rest))
        return rest[0]

    def _drop(self, characters: int) -> None:
        self._line += self._text.count("\n", 0, characters)
        self._text = self._text[characters:]

    def _read_on(self) -> bool:
        # As much again, so that a long element is parsed a few times alone.
        more = self._lines.read(max(_CHUNK, len(self._text)))
        self._text += more
        return bool(more)

    def _unreadable(self, problem: str) -> FileUnreadable:
        return FileUnreadable(
            f"{self._lines.name} is no array of JSON from line {self._line:,} on: {problem}."
        )


def flat(values: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Return the values of an object and of those nested in it, by their names with dots."""
    found: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found.update(flat(value, f"{prefix}{name}."))
        else:
            found[prefix + name] = value
    return found
