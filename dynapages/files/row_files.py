"""Files of rows, whatever their format, and their imports in two passes.

The first pass checks every row, the second reads what to write. So nothing is written when the file
turns out to be unreadable, and of the rows with one id only the newest is stored.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from dynapages.django.options import Progress
from dynapages.files.csv_rows import CsvRows, HeaderMissing
from dynapages.files.json_rows import JsonArray, JsonLines
from dynapages.files.lines import FileUnreadable, Lines, open_content, open_lines
from dynapages.files.records import Record, Rejected, RejectsFile
from dynapages.files.values import Skipped, ValueRules
from dynapages.files.xml_rows import XmlRows

Row = TypeVar("Row")
_REPORT_EVERY = 500
"""Rows between two updates of a progress bar."""
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_SEEN = 64
"""Bytes from which Parquet and XML are seen."""
_PARQUET_MAGIC = b"PAR1"
_TO_CSV = """duckdb -c "COPY (SELECT * FROM 'x.parquet') TO 'x.csv'\""""
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
    """A file, and what is known of its spelling: None is found out.

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

    ``spelling`` says in words what was found out, if that is not UTF-8 with commas.
    """

    file: RowFile
    reader: Rows
    bytes_read: Callable[[], int]
    spelling: str = ""

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
            yield rules.apply(row) if isinstance(row, Record) else row
        if self.columns:
            rules.require(self.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, as of `Rows`, and of those that are made of them."""
        found, rules = self.reader.columns, self.file.rules
        return rules.columns(found) if rules else found

    def advancing(self, rows: Iterable[Row], advance: Callable[[int], object]) -> Iterator[Row]:
        """Yield what is made of the rows, and pass the bytes read to ``advance`` now and then."""
        done = 0
        for number, row in enumerate(rows):
            yield row
            if number % _REPORT_EVERY == 0:
                done += self._pass_on(done, advance)
        self._pass_on(done, advance)

    def _pass_on(self, done: int, advance: Callable[[int], object]) -> int:
        read = self.bytes_read() - done
        advance(read)
        return read

    @property
    def are_columns_known(self) -> bool:
        """Whether there are columns that each row has."""
        return isinstance(self.reader, CsvRows)


@contextmanager
def open_rows(file: RowFile) -> Iterator[OpenRows]:
    """Open a file; its format is seen from its name, or else from its first character.

    Raises FileUnreadable, within the block too.
    """
    with open_content(file.path) as content:
        start = content.unpacked.read(_SEEN)
    if start.startswith(_PARQUET_MAGIC):
        raise FileUnreadable(f"{file.path} is a Parquet file: write it as CSV first, by {_TO_CSV}.")
    element = file.rows or file.element
    if element and start.lstrip(_BEFORE_XML).startswith(b"<"):
        with open_content(file.path) as content:
            elements = XmlRows(content.unpacked, name=content.name, element=element)
            yield OpenRows(file, elements, content.raw.tell)
    else:
        with open_lines(file.path, file.encoding) as lines:
            reader = _reader(lines, file)
            yield OpenRows(file, reader, lines.bytes_read, _spelling(lines, reader))


def _has_no_lists(file: RowFile) -> FileUnreadable:
    return FileUnreadable(
        f"{file.path} has no “{file.rows}”: --rows names the list in an object of JSON, or the "
        f"elements of XML."
    )


def _reader(lines: Lines, file: RowFile) -> CsvRows | JsonLines | JsonArray:
    suffix = Path(lines.name).suffix.lower()
    start = lines.start().lstrip()
    is_json = start.startswith(("[", "{")) or suffix in _JSON_SUFFIXES
    if file.rows:
        if not is_json:
            raise _has_no_lists(file)
        return JsonArray(lines, file.rows.split("."))
    if is_json and file.delimiter is None and suffix != ".csv":
        if start.startswith("["):
            return JsonArray(lines)
        if start.partition("\n")[0].strip() == "{":
            raise FileUnreadable(
                f"{file.path} is one object of JSON: --rows names the list in it that has the rows."
            )
        return JsonLines(lines)
    if start.startswith("<"):
        raise FileUnreadable(f"{file.path} is XML: --rows names the elements that are its rows.")
    try:
        return CsvRows(lines, file.delimiter)
    except HeaderMissing as error:
        raise FileUnreadable(f"{file.path} cannot be read: {error}.") from error


def _spelling(lines: Lines, reader: Rows) -> str:
    words = []
    if not lines.encoding.startswith("utf-8"):
        words.append(f"read as {lines.encoding}")
    if isinstance(reader, CsvRows) and reader.delimiter != ",":
        delimiter = "tabs" if reader.delimiter == "\t" else f"“{reader.delimiter}”"
        words.append(f"fields separated by {delimiter}")
    return ", ".join(words)


Version = tuple[str, int]
"""The id of a row, and a number that is greater for a newer version; of two alike the last wins."""
_ROW_BITS = 40


class Winners:
    """The newest row of each id: about 150 bytes for each, whatever the id's length."""

    def __init__(self) -> None:
        self._newest: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._newest)

    def offer(self, version: Version, *, row: int) -> None:
        """Add the version in a row, by its number in the file."""
        key, number = _packed(version, row)
        if number > self._newest.get(key, number - 1):
            self._newest[key] = number

    def is_winner(self, version: Version, *, row: int) -> bool:
        """Return whether no version that was offered is newer than this one."""
        key, number = _packed(version, row)
        return self._newest.get(key) == number


@dataclass(slots=True)
class TwoPassImport(Generic[Row]):
    """The rows of a file, ``parse``-d alike in both passes; ``rows == read + rejected + skipped``.

    ``spelling`` is what was found out of the file's, in words.
    """

    file: RowFile
    parse: Callable[[OpenRows], Iterable[Row | Rejected | Skipped]]
    version_of: Callable[[Row], Version]
    rows: int = 0
    rejected: int = 0
    skipped: int = 0
    spelling: str = ""
    winners: Winners = field(default_factory=Winners)

    @property
    def read(self) -> int:
        return self.rows - self.rejected - self.skipped

    @property
    def superseded(self) -> int:
        return self.read - len(self.winners)

    def check(self, rejects: RejectsFile, progress: Progress) -> None:
        """Read all rows, and write those that are rejected to ``rejects``.

        Raises FileUnreadable, RejectsUnwritable, and what ``parse`` does.
        """
        with checked_rows(self.file, self.parse, progress) as (found, parsed):
            self.spelling = found.spelling
            for number, row in enumerate(parsed):
                self.rows += 1
                if isinstance(row, Rejected):
                    rejects.add(row)
                    self.rejected += 1
                elif isinstance(row, Skipped):
                    self.skipped += 1
                else:
                    self.winners.offer(self.version_of(row), row=number)

    def winning(self) -> Iterator[Row]:
        """Read the newest rows again. Raises FileUnreadable where the file has changed."""
        read = won = 0
        with open_rows(self.file) as found:
            for number, row in enumerate(self.parse(found)):
                if isinstance(row, Rejected | Skipped):
                    continue
                read += 1
                if self.winners.is_winner(self.version_of(row), row=number):
                    won += 1
                    yield row
        if (read, won) != (self.read, len(self.winners)):
            raise FileUnreadable(f"{self.file.path} changed while it was read: run it again.")


@contextmanager
def checked_rows(
    file: RowFile, parse: Callable[[OpenRows], Iterable[Row]], progress: Progress
) -> Iterator[tuple[OpenRows, Iterator[Row]]]:
    """Open a file for its first pass, which moves a progress bar by the bytes read."""
    with (
        open_rows(file) as found,
        progress.step("Checking", total=file.path.stat().st_size, unit="B") as advance,
    ):
        yield found, found.advancing(parse(found), advance)


def _packed(version: Version, row: int) -> tuple[bytes, int]:
    row_id, order = version
    return blake2b(row_id.encode(), digest_size=12).digest(), order << _ROW_BITS | row
