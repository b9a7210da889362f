"""What is in a file of CSV besides its rows: lines above its header, the header again, footers."""

import csv
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from dynapages.files.columns import DELIMITERS
from dynapages.files.lines import LONGEST_LINE, Lines
from dynapages.files.records import Rejected

LINES_TO_HEADER = 30
"""Lines in which the header is looked for."""
MOST_FOOTERS = 10
"""Lines behind the last row that are taken for footers."""
_LINES_WITH_QUOTES = 2_000
"""Lines in which quotes that are text are looked for."""
_SEPARATOR = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
"""Excel's first line, which says what separates columns."""
_QUOTED = re.compile(r'"[^"]*"')
_QUOTED_FIELD = re.compile(r'"(?:[^"]|"")*"')
_CLOSED_TOO_EARLY = re.compile(r'"(?:[^"]|"")*"[^"]')
"""The start of a field in quotes that has a text behind them."""
_MARK_OF_FILE = "\ufeff"
"""A byte order mark, which is within a text where two files were joined."""

IsHeader = Callable[[Sequence[str]], bool]
"""Returns whether a line with these names has the columns that an import needs."""


class HeaderMissing(ValueError):
    """The file has no header."""


@dataclass(frozen=True, slots=True)
class Start:
    """How a file of CSV begins: its ``delimiter``, and the ``lines_above`` its header with a text.

    ``likelier_line`` is the number of one below the header that has more columns, or 0.
    """

    delimiter: str
    lines_above: int = 0
    likelier_line: int = 0


def go_to_header(
    lines: Lines, *, delimiter: str | None, header_line: int | None, is_header: IsHeader
) -> Start:
    """Skip the lines above the header; return how the file begins.

    What is given is not looked for. The header is the first of the first lines that ``is_header``,
    or else the first that is not blank. Raises HeaderMissing where the file ends before it.
    """
    first_lines = _first_lines(lines, LINES_TO_HEADER)
    separator = _SEPARATOR.fullmatch(first_lines[0]) if first_lines else None
    if separator:
        delimiter = delimiter or separator[1]
        first_lines[0] = ""
    likelier_line = 0
    if header_line is None:
        header_line = _header_among(first_lines, delimiter, is_header)
        likelier_line = _likelier_line(first_lines, delimiter, header_line)
    lines_above = _skip(lines, header_line - 1)
    if separator and header_line > 1:
        lines_above -= 1
    header = "".join(_first_lines(lines, 1))
    return Start(delimiter or _delimiter_of(header), lines_above, likelier_line)


def _skip(lines: Lines, count: int) -> int:
    """Skip lines; return how many have a text. Raises HeaderMissing where there are not so many."""
    texts = 0
    for skipped in range(count):
        line = next(lines, None)
        if line is None:
            raise HeaderMissing(f"it has only {skipped} lines; --header-line is {count + 1}")
        texts += bool(line.strip())
    return texts


def are_quotes_text(lines: Lines, delimiter: str) -> bool:
    """Return whether the quotes of a file are certainly text, by its next lines.

    So it is in a file with tabs in which a field begins with a quote that does not end with it,
    though all its tabs are there. The next lines are the header and rows; they stay to be read.
    """
    if delimiter != "\t":
        return False
    sample = [line for line in _first_lines(lines, _LINES_WITH_QUOTES) if line.strip()]
    is_certain = False
    for line, next_line in zip(sample, [*sample[1:], ""], strict=True):
        # Counted once a line, which may have very many fields.
        is_whole = line.count("\t") == sample[0].count("\t")
        is_next_whole = next_line.count("\t") == sample[0].count("\t")
        for text in line.rstrip("\r\n").split("\t"):
            if not text.startswith('"'):
                continue
            if _QUOTED_FIELD.fullmatch(text):
                # Only one who quotes fields doubles the quotes in them.
                if '""' in text[1:-1]:
                    return False
                continue
            # A quoted field may go on in the next line, which then has fewer tabs.
            may_go_on = not _CLOSED_TOO_EARLY.match(text)
            if not is_whole or (may_go_on and not is_next_whole):
                return False
            is_certain = True
    return is_certain


def _first_lines(lines: Lines, most: int) -> list[str]:
    """Return the next lines, which stay to be read; fewer where they are long."""
    found: list[str] = []
    characters = 0
    for line in lines:
        found.append(line)
        characters += len(line)
        if len(found) == most or characters >= LONGEST_LINE:
            break
    lines.push_back(found)
    return found


def _header_among(first_lines: Sequence[str], delimiter: str | None, is_header: IsHeader) -> int:
    """Return the number of the header, or that of the first line that is not blank."""
    numbers = _numbers_of_texts(first_lines)
    for number in numbers:
        names = _names_in(first_lines[number - 1 :], delimiter)
        if names and is_header(names):
            return number
    return numbers[0] if numbers else 1


def _likelier_line(first_lines: Sequence[str], delimiter: str | None, header_line: int) -> int:
    """Return the number of the line below the header that has most columns, 0 where none has more.

    Of several the first counts.
    """
    most, likelier = len(_names_in(first_lines[header_line - 1 :], delimiter)), 0
    for number in _numbers_of_texts(first_lines):
        names = _names_in(first_lines[number - 1 :], delimiter)
        if number > header_line and len(names) > most:
            most, likelier = len(names), number
    return likelier


def _numbers_of_texts(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines that are not blank."""
    return [number for number, line in enumerate(lines, 1) if line.strip()]


def _names_in(lines: Sequence[str], delimiter: str | None) -> tuple[str, ...]:
    """Return the fields of a row that begins with the first line; none of a malformed one."""
    if not lines:
        return ()
    reader = csv.reader(iter(lines), strict=True, delimiter=delimiter or _delimiter_of(lines[0]))
    try:
        row = next(reader)
    except (csv.Error, StopIteration):
        return ()
    return names_of(row)


def names_of(row: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns in a header."""
    return tuple(name.removeprefix(_MARK_OF_FILE).strip() for name in row)


def _delimiter_of(line: str) -> str:
    """Return the delimiter that a line has most of, outside quotes."""
    unquoted = _QUOTED.sub("", line)
    return max(DELIMITERS, key=unquoted.count)


@dataclass(slots=True)
class Footers:
    """Tells lines behind the last row, which are no rows, from rows with too few fields.

    They are behind a blank line, have at most half of the columns, and nothing else comes until
    the file ends or its header comes again. A row that was cut off, or whose text has a line break,
    is no footer: before it there is no blank line, or others have them too.
    """

    columns: int
    count: int = 0
    """The number of footers."""
    _held: list[Rejected] = field(default_factory=list)
    _is_behind_row: bool = False
    _is_behind_blank: bool = False
    _are_rows_apart: bool = False

    def note_blank(self) -> None:
        """Note a blank line."""
        self._is_behind_blank = True

    def hold(self, row: Rejected, fields: int) -> bool:
        """Take a row that may be a footer, and return whether it may."""
        is_behind_rows = self._is_behind_row and self._is_behind_blank and not self._are_rows_apart
        may_be = bool(self._held) or is_behind_rows
        if not may_be or fields * 2 > self.columns or len(self._held) >= MOST_FOOTERS:
            return False
        self._held.append(row)
        return True

    def row(self, row: Rejected | None) -> Iterator[Rejected]:
        """Note a row, which is no footer; yield those before it, which then are none either."""
        if self._held or (self._is_behind_row and self._is_behind_blank):
            self._are_rows_apart = True
        yield from self._held
        self._held.clear()
        self._is_behind_blank = False
        self._is_behind_row = row is None

    def end(self) -> None:
        """Note that the file has ended, or that its header comes again."""
        self.count += len(self._held)
        self._held.clear()
        self._is_behind_blank = self._is_behind_row = False


@dataclass(slots=True)
class LastLines:
    """The lines at the end of a file that may be footers, and may be rows.

    Such a line cannot be split into its fields, or is empty in at least half of its columns, behind
    others that are not.
    """

    left_out: int
    """The number of footers behind them that an option leaves out."""
    _lines: list[int] = field(default_factory=list)
    _are_too_many: bool = False
    _are_behind_rows: bool = False

    def note(self, line: int, *, is_sparse: bool) -> None:
        """Note a row, by the number of its first line."""
        if is_sparse and self._are_behind_rows:
            self.note_broken(line)
            return
        self._lines.clear()
        self._are_too_many = False
        self._are_behind_rows = not is_sparse

    def note_broken(self, line: int) -> None:
        """Note a row that cannot be split into its fields."""
        if len(self._lines) < MOST_FOOTERS:
            self._lines.append(line)
        else:
            self._are_too_many = True

    def explained(
        self, rejected: Sequence[Rejected], *, but_not: Collection[int]
    ) -> Iterator[Rejected]:
        """Yield rejected rows of the file, in its order; those that may be footers say how to tell.

        All lines behind such a row were rejected as well, and none is in ``but_not``.
        """
        options: dict[int, int] = {}
        lines = {row.line for row in rejected} - set(but_not)
        for line in reversed(self._lines):
            if line not in lines or self._are_too_many:
                break
            options[line] = self.left_out + len(options) + 1
        for row in rejected:
            if row.line in options:
                yield replace(row, reason=f"{row.reason}; {_if_footer(options[row.line])}")
            else:
                yield row


def _if_footer(footer_lines: int) -> str:
    """Return which option says that a line and those behind it are no rows."""
    what = "this line is no row"
    if footer_lines > 1:
        what = f"the last {footer_lines} lines are no rows"
    return f"use --footer-lines {footer_lines} if {what}"
