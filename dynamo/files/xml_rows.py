"""Records of XML: each element of one name is a row.

What is nested in it has a name with dots, as in `dynamo.files.json_rows`: ``reviewer.name``. Of
several elements with one name the first counts. Attributes come after ``@``:
``ratings.overall@max``.
"""

from collections.abc import Iterator
from typing import IO
from xml.parsers import expat

from dynamo.files.content import FileUnreadable
from dynamo.files.lines import LONGEST_LINE
from dynamo.files.records import Record, Rejected

_CHUNK = 64 * 1024


class XmlRows:
    """The elements of a name in a file of XML; ``columns`` are the names in those read so far."""

    def __init__(self, content: IO[bytes], *, name: str, element: str) -> None:
        self._content = content
        self._name = name
        self._element = element
        self._columns: dict[str, None] = {}
        self._path: list[str] = []
        self._values: dict[str, object] = {}
        self._text: list[str] = []
        self._is_leaf = False
        self._length = 0
        self._line = 0
        self._rows: list[Record | Rejected] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._add
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __iter__(self) -> Iterator[Record | Rejected]:
        is_more = True
        while is_more:
            chunk = self._content.read(_CHUNK)
            is_more = bool(chunk)
            try:
                self._parser.Parse(chunk, not is_more)
            except expat.ExpatError as error:
                line, problem = error.lineno, expat.ErrorString(error.code)
                raise FileUnreadable(
                    f"{self._name} is not well-formed XML in line {line:,}: {problem}."
                ) from error
            yield from self._rows
            self._rows.clear()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]
        if not self._path and name != self._element:
            return
        if not self._path:
            self._values, self._line = {}, self._parser.CurrentLineNumber
            self._length = 0
        self._path.append(name)
        self._text, self._is_leaf = [], True
        self._note(attributes)

    def _note(self, attributes: dict[str, str]) -> None:
        for name, value in attributes.items():
            self._values.setdefault(f"{self._column}@{name.rpartition(' ')[2]}", value)

    def _add(self, text: str) -> None:
        self._length += len(text)
        if self._is_leaf and self._length < LONGEST_LINE:
            self._text.append(text)

    def _end(self, _name: str) -> None:
        if not self._path:
            return
        if self._is_leaf:
            self._values.setdefault(self._column, "".join(self._text))
        self._is_leaf = False
        self._path.pop()
        if not self._path:
            self._rows.append(self._row())

    def _row(self) -> Record | Rejected:
        if self._length >= LONGEST_LINE:
            return Rejected(self._line, f"the element has {LONGEST_LINE:,} characters or more")
        self._columns.update(dict.fromkeys(self._values))
        return Record(self._line, self._values)

    @property
    def _column(self) -> str:
        return ".".join(self._path[1:])

    def _refuse_doctype(self, *_: object) -> None:
        # Declared entities can make a small file very large.
        raise FileUnreadable(f"{self._name} has a DOCTYPE, which no feed needs: remove it.")
