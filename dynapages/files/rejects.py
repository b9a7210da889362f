"""The file in which an import lists the rows that it rejects."""

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Self, TextIO

from dynapages.django.csv_lists import escape_formula
from dynapages.files.records import LONGEST_ID_SHOWN, Rejected

MOST_LISTED = 100_000
"""Rows that the file lists; those behind them are counted only."""
_ROWS_IN_REPORT = 10
_LONGEST_REASON = 1_000
_MORE_WERE_REJECTED = Rejected(
    0, f"More rows were rejected: only the first {MOST_LISTED:,} are listed."
)


class RejectsUnwritable(ValueError):
    """The file of rejected rows cannot be written; the text has the reason."""


class RejectsFile:
    """Writes rejected rows to ``path``, which is created with the first one, `MOST_LISTED` at most.

    A file of an earlier import is removed at the start.
    """

    def __init__(self, path: Path, *, of_several_files: bool = False) -> None:
        self.path = path
        self.count: int = 0
        self._columns = ["line", "id", "reason"]
        if of_several_files:
            self._columns.insert(0, "file")
        self._file: TextIO | None = None
        self._writer: Any = None

    def add(self, rejected: Rejected) -> None:
        """Write one row, long ids and reasons cut. Raises RejectsUnwritable."""
        try:
            if self._file is None:
                self._open()
            if self.count < MOST_LISTED:
                self._write_row(rejected)
            elif self.count == MOST_LISTED:
                self._write_row(_MORE_WERE_REJECTED)
        except OSError as error:
            raise self._unwritable(error) from error
        self.count += 1

    @property
    def sentence(self) -> str:
        """How many rows were rejected, and where they are listed; empty where there are none."""
        if not self.count:
            return ""
        rows = "1 row was" if self.count == 1 else f"{self.count:,} rows were"
        where = "see the list"
        if self.count > MOST_LISTED:
            where = f"the first {MOST_LISTED:,} are listed"
        return f"{rows} rejected; {where} in {self.path}"

    def first(self) -> Iterator[str]:
        """Yield the first rejected rows as lines of a report."""
        if not self.count:
            return
        with self.path.open(encoding="utf-8", newline="") as file:
            for row in islice(csv.DictReader(file), _ROWS_IN_REPORT):
                parts = [row.get("file"), f"line {row['line']}", row["id"]]
                where = ", ".join(part for part in parts if part)
                yield f"  {where}: {row['reason']}"

    def __enter__(self) -> Self:
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def _open(self) -> None:
        """Create the file, with the line that names its columns."""
        # backslashreplace: a row may be rejected because it is no UTF-8.
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
        self._writer = csv.writer(self._file)
        self._writer.writerow(self._columns)

    def _write_row(self, rejected: Rejected) -> None:
        values = {
            "file": rejected.file,
            "line": rejected.line or "",
            "id": rejected.id[:LONGEST_ID_SHOWN],
            "reason": rejected.reason[:_LONGEST_REASON],
        }
        # The ids and reasons are of strangers, and people open the list in a spreadsheet.
        self._writer.writerow([escape_formula(values[column]) for column in self._columns])

    def _unwritable(self, error: OSError) -> RejectsUnwritable:
        return RejectsUnwritable(f"{self.path} cannot be written: {error.strerror}.")
