"""Files of rows, whatever their format: the format is detected, and rows are read by its reader."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from dynapages.files.around_rows import MOST_FOOTERS, HeaderMissing
from dynapages.files.columns import BadMapping
from dynapages.files.csv_rows import UNKNOWN, CsvFormat, CsvRows
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
    mean. ``require`` raises BadMapping for names of columns among which one is missing: so the
    header of CSV is told from lines above it.
    """

    path: Path
    encoding: str | None = None
    csv: CsvFormat = UNKNOWN
    element: str | None = None
    limit: int | None = None
    rows: str | None = None
    rules: ValueRules | None = None
    require: Callable[[Sequence[str]], object] | None = None

    def columns(self, present: Sequence[str]) -> tuple[str, ...]:
        """Return the names of columns, and of those that are made of them."""
        if self.rules is None:
            return tuple(present)
        return self.rules.columns(present)

    def has_columns(self, present: Sequence[str]) -> bool:
        """Return whether all columns are there that are required."""
        if self.require is None:
            return True
        try:
            self.require(self.columns(present))
        except BadMapping:
            return False
        return True


@dataclass(frozen=True, slots=True)
class OpenRows:
    """The rows of an open file; ``bytes_read`` counts those on disk.

    ``encoding`` is that of a text if it is not UTF-8, else empty.
    """

    file: RowFile
    reader: Rows
    bytes_read: Callable[[], int]
    encoding: str = ""

    @property
    def detected(self) -> str:
        """In words: what was found out, if not UTF-8 with commas, and what was left out so far."""
        words: list[str] = []
        if self.encoding:
            words.append(f"read as {self.encoding}")
        if isinstance(self.reader, CsvRows) and self.reader.in_words:
            words.append(self.reader.in_words)
        return ", ".join(words)

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
        return self.file.columns(self.reader.columns)

    @property
    def are_columns_known(self) -> bool:
        """Whether the columns are known before the first row is read, as of a CSV's header."""
        return isinstance(self.reader, CsvRows)

    def explained(
        self, rejected: Sequence[Rejected], *, but_not: Collection[int] = ()
    ) -> Sequence[Rejected]:
        """Return rejected rows, in order, when all were read; the last ones may be footers.

        None of the lines ``but_not`` is one.
        """
        if isinstance(self.reader, CsvRows):
            return list(self.reader.last_lines.explained(rejected, but_not=but_not))
        return rejected

    def explaining(self, rows: Iterable[Row]) -> Iterator[Row | Rejected]:
        """Yield what is made of the rows; of those rejected at the end the reasons are explained.

        So are no more than may be footers.
        """
        held: list[Rejected] = []
        for row in rows:
            if isinstance(row, Rejected) and len(held) < MOST_FOOTERS:
                held.append(row)
                continue
            yield from held
            held.clear()
            yield row
        yield from self.explained(held)

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

    Raises FileUnreadable, within the block too, and BadMapping where columns of CSV are missing.
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
            encoding = "" if lines.encoding.startswith("utf-8") else lines.encoding
            yield OpenRows(file, reader, lines.bytes_read, encoding)


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
    if is_json and file.csv.delimiter is None and suffix != ".csv":
        return _json_reader(lines, start, file)
    if start.startswith("<"):
        raise FileUnreadable(f"{file.path} is XML: --rows names the elements that are its rows.")
    return _csv_reader(lines, file)


def _csv_reader(lines: Lines, file: RowFile) -> CsvRows:
    """Return what reads CSV. Raises BadMapping where columns are missing."""
    try:
        reader = CsvRows(lines, file.csv, is_header=file.has_columns)
    except HeaderMissing as error:
        raise FileUnreadable(f"{file.path} cannot be read: {error}.") from error
    if file.require is not None:
        try:
            file.require(file.columns(reader.columns))
        except BadMapping as error:
            raise BadMapping(f"{error}{_likelier_header(reader)}") from error
    return reader


def _likelier_header(reader: CsvRows) -> str:
    """Return the sentence about a line that may be the header; empty where there is none."""
    line = reader.likelier_line
    if not line:
        return ""
    return f" Line {line} has more columns: if it names them, --header-line {line} says so."


def _json_reader(lines: Lines, start: str, file: RowFile) -> JsonLines | JsonArray:
    """Return what reads JSON: an array, or an object on each line."""
    if file.csv != UNKNOWN:
        raise FileUnreadable(
            f"{file.path} is JSON: --header-line, --footer-lines and --no-quotes are for CSV; with "
            f"--delimiter it is read as CSV."
        )
    if start.startswith("["):
        return JsonArray(lines)
    # Lines of JSON have a whole object in the first one.
    first_line, _, _ = start.partition("\n")
    if first_line.strip() == "{":
        raise FileUnreadable(
            f"{file.path} is one object of JSON: --rows names the list in it that has the rows."
        )
    return JsonLines(lines)
