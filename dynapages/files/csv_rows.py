"""Records of CSV (RFC 4180): quoted fields may span lines, a malformed row affects only itself."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynapages.files.around_rows import (
    Footers,
    HeaderMissing,
    IsHeader,
    LastLines,
    are_quotes_text,
    go_to_header,
    names_of,
)
from dynapages.files.lines import LONGEST_LINE, Lines
from dynapages.files.records import Record, Rejected

_IF_TEXT = "use --no-quotes if quotes are text in this file"


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


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How a file of CSV is written: what is None is found out.

    ``header_line`` is the number of the line that names the columns, from 1; ``footer_lines`` is
    how many of the last lines with a text are no rows. With ``no_quotes`` a quote is text.
    """

    delimiter: str | None = None
    header_line: int | None = None
    footer_lines: int = 0
    no_quotes: bool = False


UNKNOWN = CsvFormat()
"""All of it is found out."""


def _any(_names: Sequence[str]) -> bool:
    return True


class CsvRows:
    """The rows of a CSV file but blank ones, and the ``columns`` of its header.

    The header is the first line that ``is_header``, else the first one. Raises HeaderMissing.
    """

    def __init__(
        self, lines: Lines, known: CsvFormat = UNKNOWN, *, is_header: IsHeader = _any
    ) -> None:
        # Of the csv module as a whole; its own limit of 128 KB is less than a row may have.
        csv.field_size_limit(LONGEST_LINE)
        lines.leave_out_last(known.footer_lines)
        start = go_to_header(
            lines, delimiter=known.delimiter, header_line=known.header_line, is_header=is_header
        )
        self.delimiter: str = start.delimiter
        self.lines_above: int = start.lines_above
        """The lines with a text above the header."""
        self.likelier_line: int = start.likelier_line
        """The number of a line that has more columns than the header; 0 where none has."""
        self.repeated_headers: int = 0
        self.has_quotes: bool = not (known.no_quotes or are_quotes_text(lines, self.delimiter))
        self._lines = _RowLines(lines)
        self._reader = csv.reader(
            self._lines,
            strict=True,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.has_quotes else csv.QUOTE_NONE,
        )
        self.columns: tuple[str, ...] = self._header()
        self._footers = Footers(len(self.columns))
        self._footer_lines = known.footer_lines
        self.last_lines: LastLines = LastLines(known.footer_lines)
        """Those that may be footers, of the lines read so far."""

    @property
    def in_words(self) -> str:
        """What the format is, if not commas, and what was left out so far; may be empty."""
        words: list[str] = []
        if self.delimiter != ",":
            delimiter = "tabs" if self.delimiter == "\t" else f"“{self.delimiter}”"
            words.append(f"fields separated by {delimiter}")
        if not self.has_quotes:
            words.append("quotes are text")
        left_out = (
            (self.lines_above, "line", "above the header"),
            (self.repeated_headers, "repetition", "of the header"),
            (self.footers, "line", "behind the rows"),
        )
        for number, what, where in left_out:
            if number:
                plural = "" if number == 1 else "s"
                words.append(f"{number:,} {what}{plural} {where} left out")
        return ", ".join(words)

    @property
    def footers(self) -> int:
        """The number of lines behind the rows that were left out, of those read so far."""
        return self._footer_lines + self._footers.count

    def __iter__(self) -> Iterator[Record | Rejected]:
        for row in self._rows():
            if isinstance(row, Rejected):
                self.last_lines.note_broken(row.line)
                yield from self._footers.row(row)
                yield row
            elif _is_blank(row):
                self._footers.note_blank()
            elif names_of(row) == self.columns:
                self.repeated_headers += 1
                self._footers.end()
            else:
                yield from self._record(row)
        self._footers.end()

    def _header(self) -> tuple[str, ...]:
        """Return the names of the columns, from the first row. Raises HeaderMissing."""
        for first in self._rows():
            if isinstance(first, Rejected):
                raise HeaderMissing(f"its first line does not name the columns: {first.reason}")
            if not _is_blank(first):
                return names_of(first)
        raise HeaderMissing("it is empty; its first line must name the columns")

    def _rows(self) -> Iterator[list[str] | Rejected]:
        """Yield the fields of each row, blank ones too, and rejected rows."""
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
            yield row

    def _record(self, row: Sequence[str]) -> Iterator[Record | Rejected]:
        """Yield a row with the names of its columns, or rejected if it has other numbers.

        One that may be a footer is held back until that can be told.
        """
        line, columns = self._lines.first, len(self.columns)
        filled = sum(1 for text in row if text.strip())
        if len(row) == columns:
            self.last_lines.note(line, is_sparse=filled * 2 <= columns)
            yield from self._footers.row(None)
            yield Record(line, dict(zip(self.columns, row, strict=True)))
            return
        self.last_lines.note_broken(line)
        rejected = self._rejected(line, row)
        if not self._footers.hold(rejected, len(row)):
            yield from self._footers.row(rejected)
            yield rejected

    def _rejected(self, line: int, row: Sequence[str]) -> Rejected:
        """Return a row that has too many fields, or too few."""
        reason = f"the row has {len(row)} fields, the header has {len(self.columns)}"
        lines = self._lines.lines_of_row
        if len(lines) > 1:
            return Rejected(line, f"{reason}; a quote in it is open for several lines: {_IF_TEXT}")
        # Where few are missing, one may be missing at any place.
        if len(row) * 2 > len(self.columns):
            return Rejected(line, reason)
        # Of a file that was cut off the last field may not be whole.
        whole = row if lines[0].endswith("\n") else row[:-1]
        record = Record(line, dict(zip(self.columns, whole, strict=False)))
        return Rejected(line, reason, record=record)


def _is_blank(row: Sequence[str]) -> bool:
    return not any(field.strip() for field in row)


def _reason(error: Exception) -> str:
    if isinstance(error, _RowTooLong) or "field limit" in str(error):
        return (
            f"the row has more than {LONGEST_LINE:,} characters, or a quote is never closed: "
            f"{_IF_TEXT}"
        )
    return f"the row is not well-formed CSV: {error}: {_IF_TEXT}"
