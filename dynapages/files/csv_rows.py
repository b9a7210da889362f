"""Records of CSV (RFC 4180): quoted fields may span lines, a malformed row affects only itself."""

import csv
import re
from collections.abc import Iterator, Sequence

from dynapages.files.columns import DELIMITERS
from dynapages.files.lines import LONGEST_LINE, Lines
from dynapages.files.records import Record, Rejected

_QUOTED = re.compile(r'"[^"]*"')


class HeaderMissing(ValueError):
    """The file has no header."""


class _RowTooLong(ValueError):
    """A row has more characters than any valid one."""


class _RowLines:
    """Passes lines to the csv module, and remembers those of the row being read."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.lines_of_row: list[str] = []
        self._characters = 0
        self._unclosed_until = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.lines_of_row and self._lines.number < self._unclosed_until:
            raise _RowTooLong
        line = next(self._lines)
        self.lines_of_row.append(line)
        self._characters += len(line)
        if self._characters >= LONGEST_LINE:
            raise _RowTooLong
        return line

    def begin_row(self) -> None:
        self.lines_of_row = []
        self._characters = 0

    @property
    def first(self) -> int:
        """The number of the row's first line."""
        return self._lines.number - len(self.lines_of_row) + 1

    def push_back_all_but_first(self) -> None:
        """Have the lines come again, after a quote in the first was not closed in any of them.

        A row that begins in one of them would fail at the same place: it is not read so far again.
        """
        self._unclosed_until = max(self._unclosed_until, self._lines.number)
        self._lines.push_back(self.lines_of_row[1:])


class CsvRows:
    """The rows of a CSV file but blank ones, and the ``columns`` of its header.

    Raises HeaderMissing.
    """

    def __init__(self, lines: Lines, delimiter: str | None = None) -> None:
        # Of the csv module as a whole; its own limit of 128 KB is less than a row may have.
        csv.field_size_limit(LONGEST_LINE)
        self.delimiter: str = delimiter or _delimiter_of(lines)
        self._lines = _RowLines(lines)
        self._reader = csv.reader(self._lines, strict=True, delimiter=self.delimiter)
        self.columns: tuple[str, ...] = self._header()

    def __iter__(self) -> Iterator[Record | Rejected]:
        for row in self._rows():
            if isinstance(row, Rejected):
                yield row
            else:
                yield self._record(row)

    def _header(self) -> tuple[str, ...]:
        """Return the names of the columns, from the first row. Raises HeaderMissing."""
        first = next(self._rows(), None)
        if first is None:
            raise HeaderMissing("it is empty; its first line must name the columns")
        if isinstance(first, Rejected):
            raise HeaderMissing(f"its first line does not name the columns: {first.reason}")
        return tuple(name.strip() for name in first)

    def _rows(self) -> Iterator[list[str] | Rejected]:
        """Yield the fields of each row that is not blank, and rejected rows."""
        # After a malformed row, reading goes on with the line after its first one: a quote that is
        # never closed would otherwise swallow the rows behind it.
        while True:
            self._lines.begin_row()
            try:
                row = next(self._reader)
            except StopIteration:
                return
            except (csv.Error, _RowTooLong) as error:
                rejected = Rejected(self._lines.first, _reason(error))
                self._lines.push_back_all_but_first()
                yield rejected
                continue
            if any(field.strip() for field in row):
                yield row

    def _record(self, row: Sequence[str]) -> Record | Rejected:
        """Return a row with the names of its columns, or rejected if it has other numbers."""
        line = self._lines.first
        if len(row) != len(self.columns):
            reason = f"the row has {len(row)} fields, the header has {len(self.columns)}"
            return Rejected(line, reason)
        return Record(line, dict(zip(self.columns, row, strict=True)))


def _delimiter_of(lines: Lines) -> str:
    """Return the delimiter that the first line has most of, outside quotes."""
    first = next(lines, "")
    if first:
        lines.push_back([first])
    unquoted = _QUOTED.sub("", first)
    return max(DELIMITERS, key=unquoted.count)


def _reason(error: Exception) -> str:
    if isinstance(error, _RowTooLong) or "field limit" in str(error):
        return f"the row has more than {LONGEST_LINE:,} characters, or a quote is never closed"
    return f"the row is not well-formed CSV: {error}"
