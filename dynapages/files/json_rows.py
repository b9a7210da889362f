"""Records of JSON: one object to a line, the objects of one array, or of arrays within objects.

What is nested has a name with dots: ``{"dates": {"published": …}}`` is the column
``dates.published``. Lists stay. NaN and infinities, which many write, are missing values.

ijson would not do for arrays: it knows no lines, and ends at the first element that holds NaN, too
long an integer or too many levels, which here lose their own row alone.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecodeError
from math import isfinite

from dynapages.files.lines import LONGEST_LINE, Lines
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import MOST_NESTED, ColumnNames, Record, Rejected, RowRefused

_CHUNK = 64 * 1024
"""Characters of an array that are read at a time."""
_DECODER = json.JSONDecoder()
_TOO_LONG = f"has {LONGEST_LINE:,} characters or more"
_TOO_DEEP = f"is nested more than {MOST_NESTED} deep"
_BLANK = re.compile(r"\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_WORD = re.compile(r'[^\s,:\[\]{}"]+')
"""A number, true, false or null."""
_PART = re.compile(r"""([\[{])|([\]}])|"(?:[^"\\]|\\.)*+"?|-?[0-9]+""", re.DOTALL)
"""What opens, what closes, a string (or what is read of it), an integer."""


class JsonRecords(ColumnNames):
    """Makes records of objects, and remembers the names of their columns."""

    def record(self, line: int, value: object, what: str) -> Record | Rejected:
        """Return the record of a value, which is rejected where it is no object."""
        if not isinstance(value, dict):
            return Rejected(line, f"{what} is no JSON object")
        try:
            values = flat(value)
        except RowRefused as refused:
            return Rejected(line, f"{what} {refused}")
        self.add(values)
        return Record(line, values)


class JsonLines(JsonRecords):
    """The objects of a file; ``columns`` are the names in those read so far."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._lines = lines

    def __iter__(self) -> Iterator[Record | Rejected]:
        for text in self._lines:
            if text.strip():
                yield self._parsed(self._lines.number, text)

    def _parsed(self, line: int, text: str) -> Record | Rejected:
        """Return the record of a line, rejected where it is no object of JSON."""
        if len(text) >= LONGEST_LINE:
            return Rejected(line, f"the line {_TOO_LONG}")
        try:
            value = json.loads(text)
        except JSONDecodeError as error:
            return Rejected(line, f"the line is no JSON: {error}")
        except (ValueError, RecursionError) as error:
            return Rejected(line, f"the line {_excess(error)}")
        return self.record(line, value, "the line")


class JsonArray(JsonRecords):
    """The objects of an array; ``columns`` as of `JsonLines`.

    With a ``path`` of names the array is within an object, or within each of several, which follow
    each other or are in an array themselves. What is malformed cannot be read any further:
    FileUnreadable is raised.
    """

    def __init__(self, lines: Lines, path: Sequence[str] = ()) -> None:
        super().__init__()
        self._lines = lines
        self._path = path
        self._text = ""
        self._at = 0
        self._line = 1

    def __iter__(self) -> Iterator[Record | Rejected]:
        if not self._path:
            yield from self._array()
            return
        is_in_array = self._peek() == "["
        if is_in_array:
            self._expect("[")
        while self._peek():
            for name in self._path:
                self._enter(name)
            yield from self._array()
            self._skip(len(self._path))
            if is_in_array and self._expect(",", "]") == "]":
                return

    def _array(self) -> Iterator[Record | Rejected]:
        """Yield the elements of the array that begins here."""
        self._expect("[")
        if self._peek() == "]":
            return
        while True:
            self._peek()
            yield self._element()
            if self._expect(",", "]") == "]":
                return

    def _element(self) -> Record | Rejected:
        """Read the next element, with as much more text as it takes."""
        line = self._line
        while True:
            decoded = _decode(self._text, self._at)
            # What ends where the text read so far ends may go on, such as a number.
            if decoded.end < len(self._text):
                break
            if self._unread >= LONGEST_LINE:
                raise self._unreadable(f"{decoded.problem}, or the element {_TOO_LONG}")
            if not self._read_on():
                raise self._unreadable(decoded.problem)
        excess = decoded.excess
        if decoded.end - self._at >= LONGEST_LINE:
            excess = _TOO_LONG
        self._go_to(decoded.end)
        if excess:
            return Rejected(line, f"the element {excess}")
        return self.record(line, decoded.value, "the element")

    def _enter(self, name: str) -> None:
        """Go to the value of a name in the object that begins here."""
        mark = self._expect("{")
        while mark != "}" and self._peek() == '"':
            name_here = self._string()
            self._expect(":")
            if name_here == name:
                return
            self._skip(0)
            mark = self._expect(",", "}")
        raise self._unreadable("the object ends")

    def _skip(self, depth: int) -> None:
        """Go behind what closes so many brackets that are open; of none, behind the next value."""
        while True:
            match self._peek():
                case "":
                    raise self._unreadable("it ends within an object")
                case '"':
                    self._string()
                case "[" | "{":
                    self._go_to(self._at + 1)
                    depth += 1
                case "]" | "}":
                    self._go_to(self._at + 1)
                    depth -= 1
                case "," | ":":
                    self._go_to(self._at + 1)
                case _:
                    self._token(_WORD)
            if not depth:
                return

    def _string(self) -> str:
        """Read the string that begins here. Raises FileUnreadable."""
        try:
            return str(json.loads(self._token(_STRING), strict=False))
        except ValueError as error:
            raise self._unreadable(str(error)) from error

    def _token(self, pattern: re.Pattern[str]) -> str:
        """Read what matches a pattern here, with as much more text as it takes."""
        while True:
            match = pattern.match(self._text, self._at)
            # What ends where the text read so far ends may go on.
            if match is None or match.end() == len(self._text):
                if self._unread >= LONGEST_LINE:
                    raise self._unreadable(f"a value {_TOO_LONG}")
                if self._read_on():
                    continue
            if match is None:
                raise self._unreadable("it ends within an object")
            self._go_to(match.end())
            return match[0]

    def _expect(self, *marks: str) -> str:
        """Pass one of these marks, which must be next, and return it."""
        mark = self._peek()
        if mark not in marks:
            raise self._unreadable(f"there is “{mark}” instead of “{'” or “'.join(marks)}”")
        self._go_to(self._at + 1)
        return mark

    def _peek(self) -> str:
        """Return the next character that is no white space, or nothing at the end."""
        while True:
            if blank := _BLANK.match(self._text, self._at):
                self._go_to(blank.end())
            if self._unread:
                return self._text[self._at]
            if not self._read_on():
                return ""

    @property
    def _unread(self) -> int:
        """The number of characters that are read from the file, and not passed yet."""
        return len(self._text) - self._at

    def _go_to(self, at: int) -> None:
        """Go on to an index of the text, and count the lines passed."""
        self._line += self._text.count("\n", self._at, at)
        self._at = at

    def _read_on(self) -> bool:
        """Read more of the file; return whether there was any."""
        # As much again, so that a long element is parsed a few times alone. What was passed is
        # dropped only here: to drop each element would copy all that is behind it.
        more = self._lines.read(max(_CHUNK, self._unread))
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)

    def _unreadable(self, problem: str) -> FileUnreadable:
        what = "array of JSON"
        if self._path:
            what = f"object of JSON with a list “{'.'.join(self._path)}”"
        return FileUnreadable(
            f"{self._lines.name} is no {what} from line {self._line:,} on: {problem}."
        )


@dataclass(frozen=True, slots=True)
class _Decoded:
    """An element as far as it was decoded, and where it ends: at the text's end if it may go on.

    ``excess`` is what an element has too much of that is JSON; ``problem`` what is wrong with one
    that goes on nowhere.
    """

    end: int
    value: object = None
    excess: str = ""
    problem: str = "it ends within an element"


def _decode(text: str, start: int) -> _Decoded:
    """Decode the element that begins at an index of a text, which may end within it."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except JSONDecodeError as error:
        return _Decoded(len(text), problem=str(error))
    except (ValueError, RecursionError) as error:
        return _Decoded(_end_of(text, start), excess=_excess(error))
    return _Decoded(end, value)


def _excess(error: ValueError | RecursionError) -> str:
    """Return what a text has too much of, which is JSON as far as it was decoded."""
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    return f"has an integer of more than {sys.get_int_max_str_digits():,} digits"


def _end_of(text: str, start: int) -> int:
    """Return the end of an object, a list or an integer, or that of the text if it goes on.

    Brackets of both kinds are counted alike: a row that is rejected anyway need not be valid.
    """
    depth = 0
    for part in _PART.finditer(text, start):
        if part[1]:
            depth += 1
        elif part[2]:
            depth -= 1
        if not depth:
            return part.end()
    return len(text)


def flat(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of an object and of those nested in it, by their names with dots.

    Raises RowRefused where they are nested more than `MOST_NESTED` deep, or all the names have
    `LONGEST_LINE` characters or more: each repeats those of the objects around it.
    """
    by_name: dict[str, object] = {}
    _flatten(values, "", by_name, depth=1, length=0)
    return by_name


def _flatten(
    values: Mapping[str, object],
    prefix: str,
    by_name: dict[str, object],
    *,
    depth: int,
    length: int,
) -> int:
    """Add values by their names, and return the length of all names, those before included."""
    _require_shallow(depth)
    for key, value in values.items():
        name = prefix + key
        length += len(name)
        if length >= LONGEST_LINE:
            raise RowRefused(f"has names of {LONGEST_LINE:,} characters or more")
        if isinstance(value, Mapping):
            length = _flatten(value, f"{name}.", by_name, depth=depth + 1, length=length)
        elif isinstance(value, float) and not isfinite(value):
            by_name[name] = None
        else:
            _require_shallow_list(value, depth + 1)
            by_name[name] = value
    return length


def _require_shallow_list(value: object, depth: int) -> None:
    """Raise RowRefused for a list that is nested too deep, its objects included."""
    elements: Iterable[object]
    if isinstance(value, dict):
        elements = value.values()
    elif isinstance(value, list):
        elements = value
    else:
        return
    _require_shallow(depth)
    for element in elements:
        _require_shallow_list(element, depth + 1)


def _require_shallow(depth: int) -> None:
    if depth > MOST_NESTED:
        raise RowRefused(_TOO_DEEP)
