"""An import, in two passes over the file.

The first one checks every row and finds the newest version of each comment, the second one
writes. So nothing is written when the file turns out to be unreadable, and no older version is
ever stored on the way to a newer one.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from comments.imports.columns import Columns
from comments.imports.rows import Reading
from comments.imports.survey import Winners
from comments.imports.writer import Outcome, in_chunks
from comments.items import NewComment
from dynamo.files.csv_rows import CsvRows, HeaderMissing
from dynamo.files.jsonl import JsonLines
from dynamo.files.lines import FileUnreadable, Lines, open_lines
from dynamo.files.records import Record, Rejected
from dynamo.files.rejects import RejectsFile
from dynamo.progress import Progress

_JSONL_SUFFIXES = {".jsonl", ".ndjson", ".json"}
_REPORT_EVERY = 500
"""Rows between two movements of the bar."""


class Writer(Protocol):
    """What an import gives its comments to: a `comments.imports.writer.BulkWriter`."""

    def write(self, comments: Sequence[NewComment]) -> Outcome:
        """Write comments of different ids, and say what became of them."""

    def rank_products(self, progress: Progress) -> None:
        """Bring the products of all comments written to where they rank now."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of comments, and how to read it; see `Reading` for ``languages`` and ``now``."""

    path: Path
    columns: Columns
    languages: dict[str, str]
    now: datetime


@dataclass(frozen=True, slots=True)
class Report:
    """What became of the rows: ``read + rejected == rows``.

    New, replaced, unchanged and superseded ones are all that were read. A row is superseded by
    a newer version of its comment, in the file or stored before.
    """

    rows: int
    rejected: int
    outcome: Outcome
    products_created: int

    @property
    def read(self) -> int:
        return self.rows - self.rejected

    @property
    def written(self) -> int:
        return self.outcome.new + self.outcome.replaced


@dataclass(slots=True)
class _Survey:
    columns: dict[str, str] = field(default_factory=dict)
    winners: Winners = field(default_factory=Winners)
    read: int = 0


def import_file(
    source: Source,
    *,
    writer: Writer,
    ensure_products: Callable[[Sequence[str]], int],
    rejects: RejectsFile,
    progress: Progress,
) -> Report:
    """Write a file's comments, and its rejected rows to ``rejects``.

    ``ensure_products`` is called with ids of products before comments on them are written, and
    gives how many of them it created. Raises FileUnreadable, BadMapping and RejectsUnwritable
    before anything is written, and what ``writer`` raises; the same import again then goes on
    where it was.
    """
    with rejects:
        survey = _survey(source, rejects, progress)
    load = _Load(writer, ensure_products)
    with progress.step("Writing", total=survey.read, unit=" rows") as advance:
        for chunk in in_chunks(_winning(source, survey)):
            load.write(chunk)
            advance(len(chunk))
        advance(survey.read - len(survey.winners))
    writer.rank_products(progress)
    older = survey.read - len(survey.winners)
    return Report(
        rows=survey.read + rejects.count,
        rejected=rejects.count,
        outcome=load.outcome + Outcome(superseded=older),
        products_created=load.products_created,
    )


@dataclass(slots=True)
class _Load:
    """Writes chunks, each after the products it is about, and adds up."""

    writer: Writer
    ensure_products: Callable[[Sequence[str]], int]
    outcome: Outcome = field(default_factory=Outcome)
    products_created: int = 0
    _ensured: set[str] = field(default_factory=set)

    def write(self, chunk: Sequence[NewComment]) -> None:
        products = {comment.product_id for comment in chunk} - self._ensured
        if products:
            self.products_created += self.ensure_products(sorted(products))
            self._ensured |= products
        self.outcome += self.writer.write(chunk)


def _survey(source: Source, rejects: RejectsFile, progress: Progress) -> _Survey:
    survey = _Survey()
    with (
        _open_rows(source.path) as (lines, rows),
        progress.step("Checking", total=source.path.stat().st_size, unit="B") as advance,
    ):
        done = 0
        for number, comment in enumerate(_comments(source, rows)):
            if isinstance(comment, Rejected):
                rejects.add(comment)
            else:
                survey.winners.offer(comment, row=number)
                survey.read += 1
            if number % _REPORT_EVERY == 0:
                advance(lines.bytes_read - done)
                done = lines.bytes_read
        advance(lines.bytes_read - done)
        if rows.columns:  # an empty file of JSON lines has none
            source.columns.among(rows.columns)
    return survey


def _winning(source: Source, survey: _Survey) -> Iterator[NewComment]:
    """Give the comments of the file again, each in its newest version only."""
    read = 0
    with _open_rows(source.path) as (_, rows):
        for number, comment in enumerate(_comments(source, rows)):
            if isinstance(comment, Rejected):
                continue
            read += 1
            if survey.winners.is_winner(comment, row=number):
                yield comment
    if read != survey.read:
        raise FileUnreadable(f"{source.path} changed while it was read: run the import again.")


def _comments(source: Source, rows: CsvRows | JsonLines) -> Iterator[NewComment | Rejected]:
    reading = Reading(
        columns=_columns(source, rows),
        languages=source.languages,
        product_id=source.columns.product_id,
        now=source.now,
    )
    for row in rows:
        yield reading.read(row) if isinstance(row, Record) else row


def _columns(source: Source, rows: CsvRows | JsonLines) -> dict[str, str]:
    """Find the columns of a header; JSON lines have none, and are looked at when all are read."""
    if isinstance(rows, CsvRows):
        return source.columns.among(rows.columns)
    return source.columns.by_field()


@contextmanager
def _open_rows(path: Path) -> Iterator[tuple[Lines, CsvRows | JsonLines]]:
    with open_lines(path) as lines:
        try:
            yield lines, JsonLines(lines) if _is_jsonl(path, lines) else CsvRows(lines)
        except HeaderMissing as error:
            raise FileUnreadable(f"{path} cannot be read: {error}.") from error


def _is_jsonl(path: Path, lines: Lines) -> bool:
    """Tell the format by the name, or, where that says nothing, by the first character."""
    suffixes = {suffix.lower() for suffix in path.suffixes[-2:]}
    if suffixes & _JSONL_SUFFIXES or ".csv" in suffixes:
        return ".csv" not in suffixes
    first = next(lines, "")
    lines.take_back([first] if first else [])
    return first.lstrip().startswith("{")
