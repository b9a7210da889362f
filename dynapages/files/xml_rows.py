"""Records of XML: each element of one name is a row.

What is nested has a name with dots: ``reviewer.name``; of several with one name the first counts.
Attributes come after ``@``: ``ratings.overall@max``. Prefixes of namespaces are left out.

What defusedxml forbids is forbidden here by one handler: its parsers do not tell how far they have
read, which is what bounds a tag that never ends.
"""

from collections.abc import Iterator
from typing import IO
from xml.parsers import expat

from dynapages.files.lines import LONGEST_LINE
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import MOST_NESTED, ColumnNames, Record, Rejected

_CHUNK = 64 * 1024
_NAME_BYTES = 100
"""What the parser keeps for each name, besides its characters, until the end of the file."""
_DEEPEST = 1_000
"""How deep elements may be open: the parser keeps each of them."""


class XmlRows(ColumnNames):
    """The elements of a name in a file of XML; ``columns`` are the names in those read so far.

    A row is rejected where it has `LONGEST_LINE` characters or more, or is nested more than
    `MOST_NESTED` deep. FileUnreadable is raised for what the parser would have to keep whole: a tag
    or comment of so many bytes, entities, elements never closed, ever new names.
    """

    def __init__(self, content: IO[bytes], *, name: str, element: str) -> None:
        super().__init__()
        self._content = content
        self._name = name
        self._element = element
        self._names_met: set[str] = set()
        self._bytes_of_names = 0
        self._depth = 0
        self._path: list[str] = []
        self._values: dict[str, object] = {}
        self._text: list[str] = []
        self._is_leaf = False
        self._refused = ""
        self._row_length = 0
        self._line = 0
        self._rows: list[Record | Rejected] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._add_text
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def __iter__(self) -> Iterator[Record | Rejected]:
        fed, is_more = 0, True
        while is_more:
            # Older parsers begin a tag anew with each piece of it: as much again makes few pieces.
            pending = fed - max(self._parser.CurrentByteIndex, 0)
            if pending >= LONGEST_LINE:
                raise self._unreadable(f"a tag or comment of {LONGEST_LINE:,} bytes or more")
            chunk = self._content.read(max(_CHUNK, pending))
            fed += len(chunk)
            is_more = bool(chunk)
            self._parse(chunk, is_last=not is_more)
            yield from self._rows
            self._rows.clear()

    def _parse(self, chunk: bytes, *, is_last: bool) -> None:
        """Pass bytes to the parser, which calls the handlers. Raises FileUnreadable."""
        try:
            self._parser.Parse(chunk, is_last)
        except FileUnreadable:
            raise
        except expat.ExpatError as error:
            line, problem = error.lineno, expat.ErrorString(error.code)
            raise FileUnreadable(
                f"{self._name} is not well-formed XML in line {line:,}: {problem}."
            ) from error
        except (LookupError, ValueError) as error:  # of the encoding that it declares
            raise FileUnreadable(f"{self._name} cannot be read: {error}.") from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element: of a row, of one within a row, or of another."""
        self._depth += 1
        # By depth and not by memory: expat itself has no limit.
        if self._depth > _DEEPEST:
            raise self._unreadable(f"elements that are nested more than {_DEEPEST:,} deep")
        self._note_names(name, *attributes)
        name = _local(name)
        if not self._path:
            if name != self._element:
                return
            self._values, self._refused, self._row_length = {}, "", 0
            self._line = self._parser.CurrentLineNumber
        self._path.append(name)
        self._text, self._is_leaf = [], True
        self._count_characters(len(name))
        if len(self._path) > MOST_NESTED:
            self._refuse(f"is nested more than {MOST_NESTED} deep")
        for attribute, value in attributes.items():
            if attribute.partition(":")[0] != "xmlns":
                self._add_value(f"@{_local(attribute)}", value)

    def _note_names(self, *names: str) -> None:
        """Note names, as many as the parser may keep. Raises FileUnreadable for more."""
        for name in names:
            if name in self._names_met:
                continue
            self._names_met.add(name)
            self._bytes_of_names += len(name) + _NAME_BYTES
            if self._bytes_of_names >= LONGEST_LINE:
                raise self._unreadable("too many names of elements and attributes")

    def _add_text(self, text: str) -> None:
        if self._path:
            self._count_characters(len(text))
            if self._is_leaf and not self._refused:
                self._text.append(text)

    def _end(self, _name: str) -> None:
        """Handle the end of an element: it gives a value, or ends a row."""
        self._depth -= 1
        if not self._path:
            return
        # The text of an element with others in it is only what is between them.
        if self._is_leaf:
            self._add_value("", "".join(self._text))
        self._is_leaf = False
        self._path.pop()
        if not self._path:
            self._rows.append(self._row())

    def _add_value(self, ending: str, value: str) -> None:
        """Add a value to the row, by the path of its element and an ``ending``."""
        if self._refused:
            return
        column = ".".join(self._path[1:]) + ending
        self._count_characters(len(column))
        is_attribute = bool(ending)
        if is_attribute:  # a text was counted when it came
            self._count_characters(len(value))
        if not self._refused:
            self._values.setdefault(column, value)

    def _count_characters(self, characters: int) -> None:
        self._row_length += characters
        if self._row_length >= LONGEST_LINE:
            self._refuse(f"has {LONGEST_LINE:,} characters or more")

    def _refuse(self, reason: str) -> None:
        self._refused = self._refused or reason
        self._values, self._text = {}, []

    def _row(self) -> Record | Rejected:
        """Return the row that has just ended, rejected if something of it was refused."""
        if self._refused:
            return Rejected(self._line, f"the element {self._refused}")
        self.add(self._values)
        return Record(self._line, self._values)

    def _refuse_doctype(self, *_: object) -> None:
        # Declared entities can make a small file very large.
        raise FileUnreadable(f"{self._name} has a DOCTYPE, which no feed needs: remove it.")

    def _unreadable(self, problem: str) -> FileUnreadable:
        line = self._parser.CurrentLineNumber
        return FileUnreadable(f"{self._name} has {problem} in line {line:,}.")


def _local(name: str) -> str:
    """Return a name without the prefix of its namespace."""
    return name.rpartition(":")[2]
