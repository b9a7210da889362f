"""Exports to CSV or JSON lines, which go on after an interruption.

After each batch ``FILE.progress`` gets the position of the walk and the length of the output, which
is cut to that length to go on, so that no row is there twice. A finished export has no such file.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from dynapages.django.csv_lists import csv_text

Row = Mapping[str, object]
"""Values by column; a missing one is empty in CSV, and left out of JSON lines."""
Position = Any
"""Where a walk goes on: any value that JSON keeps as it is. None is before and behind all rows."""
FORMATS = ("csv", "jsonl")


class ExportUnwritable(ValueError):
    """The output cannot be written, or not be continued; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows, and the position behind them: None for the last ones."""

    rows: Sequence[Row]
    position: Position


Walk = Callable[[Position | None], Iterable[Batch]]
"""Yields the batches behind a position, or all for None."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows become text: one of `FORMATS`, and the columns in their order."""

    format: str
    columns: tuple[str, ...]

    def header(self) -> str:
        """Return the line that names the columns, if the format has one."""
        if self.format != "csv":
            return ""
        return csv_text([self.columns], line_end="\n")

    def text(self, rows: Iterable[Row]) -> str:
        """Return the lines of rows."""
        if self.format == "csv":
            values_of_rows = [[row.get(column) for column in self.columns] for row in rows]
            return csv_text(values_of_rows, line_end="\n")
        return "".join(self._json_line(row) for row in rows)

    def footer(self) -> str:
        """Return what comes after all rows."""
        return ""

    def _json_line(self, row: Row) -> str:
        """Return a row as an object of JSON on a line, without its missing values."""
        values: dict[str, object] = {}
        for name in self.columns:
            value = row.get(name)
            if value is not None:
                values[name] = value
        return json.dumps(values, ensure_ascii=False) + "\n"


def export_to_stream(write: Callable[[str], object], layout: Layout, walk: Walk) -> int:
    """Pass all rows to ``write`` as text; return their number."""
    write(layout.header())
    count = 0
    for batch in walk(None):
        write(layout.text(batch.rows))
        count += len(batch.rows)
    write(layout.footer())
    return count


def export_to_file(path: Path, layout: Layout, walk: Walk, *, about: Mapping[str, Any]) -> int:
    """Write all rows to a file, which is replaced, or continued if it was interrupted.

    Only an export ``about`` the same (in JSON) is continued. Returns the number of rows in the
    file. Raises ExportUnwritable, and what ``walk`` does.
    """
    about = {**about, "format": layout.format, "columns": list(layout.columns)}
    try:
        return _export(path, layout, walk, about)
    except OSError as error:
        raise ExportUnwritable(f"{path} cannot be written: {error.strerror}.") from error


@dataclass(slots=True)
class _Progress:
    """What ``FILE.progress`` holds; ``length`` is in bytes, and None before there is a header."""

    about: Mapping[str, Any]
    position: Position | None = None
    length: int | None = None
    rows: int = 0
    is_whole: bool = False

    def save(self, path: Path) -> None:
        """Write it to a file, which holds what it held before until all is written."""
        new = path.with_name(f"{path.name}.new")
        fields = (self.about, self.position, self.length, self.rows, self.is_whole)
        with new.open("w", encoding="utf-8") as file:
            json.dump(fields, file)
            _sync(file)
        new.replace(path)  # at once: a process that is killed leaves the old one or the new one


def progress_of(path: Path) -> Path:
    """Return the path of an output's progress."""
    return path.with_name(f"{path.name}.progress")


def _export(path: Path, layout: Layout, walk: Walk, about: Mapping[str, Any]) -> int:
    """Write a file from where an earlier run stopped; return the number of its rows."""
    progress_path = progress_of(path)
    progress = _load_progress(path, progress_path, about)
    progress.save(progress_path)
    with path.open("ab") as file:
        # What a killed process wrote behind its last progress is written again.
        file.truncate(progress.length or 0)
        if progress.length is None:
            _append(file, layout.header(), progress, progress_path)
        if not progress.is_whole:
            for batch in walk(progress.position):
                progress.position = batch.position
                progress.is_whole = batch.position is None
                progress.rows += len(batch.rows)
                _append(file, layout.text(batch.rows), progress, progress_path)
        # Its length is not saved: after an interruption here it is cut off, and written again.
        file.write(layout.footer().encode())
        _sync(file)
    progress_path.unlink()
    return progress.rows


def _append(file: IO[bytes], text: str, progress: _Progress, progress_path: Path) -> None:
    """Append a text, and save that the file is so long now, in this order."""
    file.write(text.encode())
    _sync(file)
    progress.length = os.fstat(file.fileno()).st_size
    progress.save(progress_path)


def _load_progress(path: Path, progress_path: Path, about: Mapping[str, Any]) -> _Progress:
    """Return how far an export came, or its beginning. Raises ExportUnwritable."""
    if not progress_path.exists():
        return _Progress(about)
    try:
        progress = _Progress(*json.loads(progress_path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise _not_to_continue(progress_path, "is damaged") from error
    if progress.about != about:
        raise _not_to_continue(progress_path, "belongs to another export")
    size = path.stat().st_size if path.exists() else 0
    if size < (progress.length or 0):
        raise _not_to_continue(progress_path, f"tells of more than {path.name} has")
    return progress


def _not_to_continue(progress_path: Path, why: str) -> ExportUnwritable:
    return ExportUnwritable(f"{progress_path} {why}: delete it to begin the export anew.")


def _sync(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())
