"""Files of rows, whatever their format: the format is detected, and rows are read by its reader."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from dynapages.files.csv_rows import CsvRows, HeaderMissing
from dynapages.files.json_rows import JsonArray, JsonLines
from dynapages.files.lines import Lines, open_lines
from dynapages.files.packing import FileUnreadable, open_content
from dynapages.files.records import Record, Rejected
from dynapages.files.values import Skipped, ValueRules
from dynapages.files.xml_rows import XmlRows

Row = TypeVar("Row")
_ROWS_PER_UPDATE = 500
"""Rows between two updates of a progress bar."""
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_FIRST_BYTES = 64
"""Bytes by which Parquet and XML are detected."""
_PARQUET_MAGIC = b"PAR1"
_PARQUET_TO_CSV = """duckdb -c "COPY (SELECT * FROM 'x.parquet') TO 'x.csv'\""""
_BEFORE_XML = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
"""Byte order marks and white space."""


class Rows(Protocol):
    """What reads a file: its records and rejected rows, in order."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; of JSON and XML those in the rows read so far."""

    def __iter__(self) -> Iterator[Record | Rejected]: ...


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file, and what is known of its format: what is None is detected.

    ``element`` names the elements of XML that are rows, ``rows`` these or the list that has them in
    an object of JSON, with dots. Only the first ``limit`` rows are read. ``rules`` say what values
    mean.
    """

    path: Path
    encoding: str | None = None
    delimiter: str | None = None
    element: str | None = None
    limit: int | None = None
    rows: str | None = None
    rules: ValueRules | None = None


@dataclass(frozen=True, slots=True)
class OpenRows:
    """The rows of an open file; ``bytes_read`` counts those on disk.

    ``detected`` says in words which encoding and delimiter it has, if not UTF-8 with commas.
    """

    file: RowFile
    reader: Rows
    bytes_read: Callable[[], int]
    detected: str = ""

    @property
    def rows(self) -> Iterator[Record | Rejected | Skipped]:
        """The rows by the file's rules. Raises BadMapping for columns these name in vain."""
        rules = self.file.rules
        if rules is None:
            yield from islice(self.reader, self.file.limit)
            return
        if self.are_columns_known:
            rules.require(self.columns)
        for row in islice(self.reader, self.file.limit):
            if isinstance(row, Record):
                yield rules.apply(row)
            else:
                yield row
        # Only now all columns of JSON and XML are known; an empty file has none.
        if self.columns:
            rules.require(self.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, as of `Rows`, and of those that are made of them."""
        columns = self.reader.columns
        if self.file.rules is None:
            return columns
        return self.file.rules.columns(columns)

    @property
    def are_columns_known(self) -> bool:
        """Whether the columns are known before the first row is read, as of a CSV's header."""
        return isinstance(self.reader, CsvRows)

    def advancing(self, rows: Iterable[Row], advance: Callable[[int], object]) -> Iterator[Row]:
        """Yield what is made of the rows, and pass the bytes read to ``advance`` now and then."""
        bytes_before = 0
        for number, row in enumerate(rows):
            yield row
            if number % _ROWS_PER_UPDATE == 0:
                bytes_now = self.bytes_read()
                advance(bytes_now - bytes_before)
                bytes_before = bytes_now
        advance(self.bytes_read() - bytes_before)


@contextmanager
def open_rows(file: RowFile) -> Iterator[OpenRows]:
    """Open a file; its format is detected from its first characters and its name.

    Raises FileUnreadable, within the block too.
    """
    with open_content(file.path) as content:
        first_bytes = content.unpacked.read(_FIRST_BYTES)
    if first_bytes.startswith(_PARQUET_MAGIC):
        raise FileUnreadable(
            f"{file.path} is a Parquet file: write it as CSV first, by {_PARQUET_TO_CSV}."
        )
    element = file.rows or file.element
    if element and first_bytes.lstrip(_BEFORE_XML).startswith(b"<"):
        with open_content(file.path) as content:
            elements = XmlRows(content.unpacked, name=content.name, element=element)
            yield OpenRows(file, elements, content.raw.tell)
    else:
        with open_lines(file.path, file.encoding) as lines:
            reader = _reader_of(lines, file)
            yield OpenRows(file, reader, lines.bytes_read, _in_words(lines, reader))


def _reader_of(lines: Lines, file: RowFile) -> CsvRows | JsonLines | JsonArray:
    """Return what reads a text: JSON by its first character or the file's name, CSV otherwise."""
    # Of a packed file the name within counts: rows.jsonl.gz, or rows.jsonl in an archive.
    suffix = Path(lines.name).suffix.lower()
    start = lines.start().lstrip()
    is_json = start.startswith(("[", "{")) or suffix in _JSON_SUFFIXES
    if file.rows:
        if not is_json:
            raise FileUnreadable(
                f"{file.path} has no “{file.rows}”: --rows names the list in an object of JSON, "
                f"or the elements of XML."
            )
        return JsonArray(lines, file.rows.split("."))
    # A delimiter, or the name of a CSV file, means that a brace begins the first column's name.
    if is_json and file.delimiter is None and suffix != ".csv":
        return _json_reader(lines, start, file)
    if start.startswith("<"):
        raise FileUnreadable(f"{file.path} is XML: --rows names the elements that are its rows.")
    try:
        return CsvRows(lines, file.delimiter)
    except HeaderMissing as error:
        raise FileUnreadable(f"{file.path} cannot be read: {error}.") from error


def _json_reader(lines: Lines, start: str, file: RowFile) -> JsonLines | JsonArray:
    """Return what reads JSON: an array, or an object on each line."""
    if start.startswith("["):
        return JsonArray(lines)
    # Lines of JSON have a whole object in the first one.
    first_line, _, _ = start.partition("\n")
    if first_line.strip() == "{":
        raise FileUnreadable(
            f"{file.path} is one object of JSON: --rows names the list in it that has the rows."
        )
    return JsonLines(lines)


def _in_words(lines: Lines, reader: Rows) -> str:
    """Return the detected encoding and delimiter in words; nothing of UTF-8 with commas."""
    words = []
    if not lines.encoding.startswith("utf-8"):
        words.append(f"read as {lines.encoding}")
    if isinstance(reader, CsvRows) and reader.delimiter != ",":
        delimiter = "tabs" if reader.delimiter == "\t" else f"“{reader.delimiter}”"
        words.append(f"fields separated by {delimiter}")
    return ", ".join(words)
