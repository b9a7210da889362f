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

from dynapages.django.formats import csv_text

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
        return csv_text([self.columns], line_end="\n") if self.format == "csv" else ""

    def text(self, rows: Iterable[Row]) -> str:
        """Return the lines of rows."""
        if self.format == "csv":
            found = ([row.get(column) for column in self.columns] for row in rows)
            return csv_text(found, line_end="\n")
        return "".join(map(self._json_line, rows))

    def footer(self) -> str:
        """Return what comes after all rows."""
        return ""

    def _json_line(self, row: Row) -> str:
        found = {name: row[name] for name in self.columns if row.get(name) is not None}
        return json.dumps(found, ensure_ascii=False) + "\n"


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
        new = path.with_name(f"{path.name}.new")
        noted = (self.about, self.position, self.length, self.rows, self.is_whole)
        with new.open("w", encoding="utf-8") as file:
            json.dump(noted, file)
            _sync(file)
        new.replace(path)


def progress_of(path: Path) -> Path:
    """Return the path of an output's progress."""
    return path.with_name(f"{path.name}.progress")


def _export(path: Path, layout: Layout, walk: Walk, about: Mapping[str, Any]) -> int:
    noted = progress_of(path)
    progress = _load(path, noted, about)
    progress.save(noted)
    with path.open("ab") as file:
        file.truncate(progress.length or 0)
        if progress.length is None:
            _append(file, layout.header(), progress, noted)
        for batch in () if progress.is_whole else walk(progress.position):
            progress.position, progress.is_whole = batch.position, batch.position is None
            progress.rows += len(batch.rows)
            _append(file, layout.text(batch.rows), progress, noted)
        # Its length is not noted: after an interruption here it is cut off, and written again.
        file.write(layout.footer().encode())
        _sync(file)
    noted.unlink()
    return progress.rows


def _append(file: IO[bytes], text: str, progress: _Progress, noted: Path) -> None:
    file.write(text.encode())
    _sync(file)
    progress.length = os.fstat(file.fileno()).st_size
    progress.save(noted)


def _load(path: Path, noted: Path, about: Mapping[str, Any]) -> _Progress:
    if not noted.exists():
        return _Progress(about)
    try:
        progress = _Progress(*json.loads(noted.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise _not_to_continue(noted, "is damaged") from error
    if progress.about != about:
        raise _not_to_continue(noted, "belongs to another export")
    size = path.stat().st_size if path.exists() else 0
    if size < (progress.length or 0):
        raise _not_to_continue(noted, f"tells of more than {path.name} has")
    return progress


def _not_to_continue(noted: Path, why: str) -> ExportUnwritable:
    return ExportUnwritable(f"{noted} {why}: delete it to begin the export anew.")


def _sync(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())
