"""Records and rejected rows, which readers of files yield, and the values of a record's fields."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from dynamo.files.csv_cells import escape_formula
from dynamo.files.values import DateFormats

MOST_NESTED = 32
"""How deep a row's values may be nested: what holds none is one deep."""
SHOWN = 128
"""Characters of an id in a list of rejected rows."""


class RowRefused(ValueError):
    """A record is not valid; the text names the field and the reason."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row that was split into values. ``line`` is the number of its first line."""

    line: int
    values: Mapping[str, object]

    def shown(self, column: str) -> str:
        """Return the start of a value, to name a row that is rejected; it may be empty."""
        value = self.values.get(column)
        return "" if value is None else str(value)[:SHOWN]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that was refused, with the reason, and its id if it has one.

    ``file`` is the name of its file if an import reads several.
    """

    line: int
    reason: str
    id: str = ""
    file: str = ""


def text_of(name: str, value: object) -> str:
    """Return the value of a field as text, empty for None. Raises RowRefused.

    A lone surrogate stands for a byte that could not be read.
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowRefused(f"{name} is neither text nor a number")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RowRefused(f"{name} is not UTF-8 text") from error
    if "\0" in text:
        raise RowRefused(f"{name} holds a NUL character")
    return text


def short_text(name: str, text: str, longest: int) -> str:
    """Return a text of up to ``longest`` characters. Raises RowRefused."""
    if len(text) > longest:
        raise RowRefused(f"{name} has {len(text):,} characters, more than {longest:,}")
    return text


def moment_of(name: str, text: str, formats: DateFormats) -> datetime:
    """Parse a moment as aware UTC. Raises RowRefused."""
    try:
        return formats.parse(text)
    except ValueError as error:
        raise RowRefused(f"{name}: {error}") from error


MOST_LISTED = 100_000
"""Rows that the file lists; those behind them are counted only."""
_SHOWN_FIRST = 10
"""Rows that a report repeats."""
_LONGEST_REASON = 1_000
_END = Rejected(0, f"More rows were rejected: only the first {MOST_LISTED:,} are listed.")


class RejectsUnwritable(ValueError):
    """The file of rejected rows cannot be written; the text has the reason."""


class RejectsFile:
    """Writes rejected rows to ``path``, which is created with the first one.

    After `MOST_LISTED` rows it ends with a sentence that says so. A file of an earlier import is
    removed at the start.
    """

    def __init__(self, path: Path, *, of_several_files: bool = False) -> None:
        self.path = path
        self._columns = ["file"] * of_several_files + ["line", "id", "reason"]
        self.count = 0
        self._file: TextIO | None = None
        self._writer: Any = None

    def add(self, rejected: Rejected) -> None:
        """Write one row, long ids and reasons cut. Raises RejectsUnwritable."""
        try:
            if self._file is None:
                self._open()
            if self.count < MOST_LISTED:
                self._write(rejected)
            elif self.count == MOST_LISTED:
                self._write(_END)
        except OSError as error:
            raise self._unwritable(error) from error
        self.count += 1

    @property
    def sentence(self) -> str:
        """How many rows were rejected, and where they are listed; empty where there are none."""
        rows = "1 row was" if self.count == 1 else f"{self.count:,} rows were"
        listed = "see the list"
        if self.count > MOST_LISTED:
            listed = f"the first {MOST_LISTED:,} are listed"
        return f"{rows} rejected; {listed} in {self.path}" if self.count else ""

    def first(self) -> Iterator[str]:
        """Yield the first rejected rows as lines of a report."""
        if not self.count:
            return
        with self.path.open(encoding="utf-8", newline="") as file:
            for row in islice(csv.DictReader(file), _SHOWN_FIRST):
                place = ", ".join(filter(None, [row.get("file"), f"line {row['line']}", row["id"]]))
                yield f"  {place}: {row['reason']}"

    def __enter__(self) -> Self:
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, rejected: Rejected) -> None:
        values = {
            "file": rejected.file,
            "line": rejected.line or "",
            "id": rejected.id[:SHOWN],
            "reason": rejected.reason[:_LONGEST_REASON],
        }
        self._writer.writerow([escape_formula(values[one]) for one in self._columns])

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
        self._writer = csv.writer(self._file)
        self._writer.writerow(self._columns)

    def _unwritable(self, error: OSError) -> RejectsUnwritable:
        return RejectsUnwritable(f"{self.path} cannot be written: {error.strerror}.")
