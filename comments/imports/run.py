"""An import of comments from a file, in two passes: see `dynamo.files.two_pass`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from comments.imports.columns import Columns
from comments.imports.rows import CommentParser
from comments.imports.writer import VerdictCounts, in_chunks
from comments.items import NewComment
from dynamo.files.csv_rows import CsvRows
from dynamo.files.jsonl import JsonLines
from dynamo.files.lines import Lines
from dynamo.files.records import Record, Rejected
from dynamo.files.rejects import RejectsFile
from dynamo.files.two_pass import Rows, TwoPassImport, Version
from dynamo.progress import Progress

_JSONL_SUFFIXES = {".jsonl", ".ndjson", ".json"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Writer(Protocol):
    """What writes the comments of an import: a `comments.imports.writer.BulkWriter`."""

    def write(self, comments: Sequence[NewComment]) -> VerdictCounts:
        """Write comments of different ids, and count their verdicts."""

    def rank_products(self, progress: Progress) -> None:
        """Derive the ranks of the products of all comments written."""


@dataclass(frozen=True, slots=True)
class CommentFile:
    """A file of comments, and how to parse it; see `CommentParser` for ``languages``, ``now``."""

    path: Path
    columns: Columns
    languages: dict[str, str]
    now: datetime

    def parse(self, rows: Rows) -> Iterator[NewComment | Rejected]:
        """Parse rows. Raises BadMapping for columns that are missing."""
        is_csv = isinstance(rows, CsvRows)
        parser = CommentParser(
            columns=self.columns.among(rows.columns) if is_csv else self.columns.by_field(),
            languages=self.languages,
            product_id=self.columns.product_id,
            now=self.now,
        )
        for row in rows:
            yield parser.read(row) if isinstance(row, Record) else row
        if rows.columns:  # an empty file of JSON lines has none
            self.columns.among(rows.columns)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Counts of the rows: ``read + rejected == rows``.

    New, replaced, unchanged and superseded ones are all that were read. A row is superseded by
    a newer version of its comment, in the file or stored before.
    """

    rows: int
    rejected: int
    verdicts: VerdictCounts
    products_created: int

    @property
    def read(self) -> int:
        return self.rows - self.rejected

    @property
    def written(self) -> int:
        return self.verdicts.new + self.verdicts.replaced


def import_file(
    source: CommentFile,
    *,
    writer: Writer,
    ensure_products: Callable[[Sequence[str]], int],
    rejects: RejectsFile,
    progress: Progress,
) -> ImportReport:
    """Write a file's comments, and its rejected rows to ``rejects``.

    ``ensure_products`` is called with ids of products before comments on them are written, and
    returns how many of them it created. Raises FileUnreadable, BadMapping and RejectsUnwritable
    before anything is written, and what ``writer`` raises; the same import again continues then.
    """
    passes = TwoPassImport(
        source.path, source.parse, version_of, format_of=partial(_format_of, source.path)
    )
    with rejects:
        passes.check(rejects, progress)
    load = _Load(writer, ensure_products)
    with progress.step("Writing", total=passes.read, unit=" rows") as advance:
        for chunk in in_chunks(passes.winning()):
            load.write(chunk)
            advance(len(chunk))
        advance(passes.superseded)
    writer.rank_products(progress)
    return ImportReport(
        rows=passes.rows,
        rejected=passes.rejected,
        verdicts=load.verdicts + VerdictCounts(superseded=passes.superseded),
        products_created=load.products_created,
    )


def version_of(comment: NewComment) -> Version:
    """Return a comment's id and its date in microseconds since 1970."""
    return comment.id, (comment.created_at - _EPOCH) // timedelta(microseconds=1)


@dataclass(slots=True)
class _Load:
    writer: Writer
    ensure_products: Callable[[Sequence[str]], int]
    verdicts: VerdictCounts = field(default_factory=VerdictCounts)
    products_created: int = 0
    _ensured: set[str] = field(default_factory=set)

    def write(self, chunk: Sequence[NewComment]) -> None:
        products = {comment.product_id for comment in chunk} - self._ensured
        if products:
            self.products_created += self.ensure_products(sorted(products))
            self._ensured |= products
        self.verdicts += self.writer.write(chunk)


def _format_of(path: Path, lines: Lines) -> Rows:
    """Choose the format by the name, or else by the first character."""
    suffixes = {suffix.lower() for suffix in path.suffixes[-2:]}
    if suffixes & _JSONL_SUFFIXES or ".csv" in suffixes:
        return CsvRows(lines) if ".csv" in suffixes else JsonLines(lines)
    first = next(lines, "")
    lines.take_back([first] if first else [])
    return JsonLines(lines) if first.lstrip().startswith("{") else CsvRows(lines)
