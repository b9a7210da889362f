"""An import of comments from a file, in two passes.

The passes are those of `dynapages.files.two_passes`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from comments import host
from comments.data.changes import Change, Verdict, VerdictCounts
from comments.data.checkpoints import delete_checkpoint, load_checkpoint, save_checkpoint
from comments.data.rows import CommentParser, Findings
from comments.data.shapes import Shape
from comments.data.writer import BulkWriter, bounded_chunks
from comments.items import NewComment
from comments.store.counts import Cell
from dynapages.calls import Units, units_of_process
from dynapages.django.forecasts import writing_forecast
from dynapages.django.options import Advance, Progress
from dynapages.files.records import Record, Rejected
from dynapages.files.rejects import RejectsFile
from dynapages.files.row_files import OpenRows, RowFile
from dynapages.files.two_passes import WHOLE, Part, TwoPassImport
from dynapages.files.values import Skipped
from dynapages.files.winners import Version
from dynapages.pynamodb import FAILURES

EnsureProducts = Callable[..., int]
"""What creates missing products: `comments.host.Products.add_missing`."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Joined(Protocol):
    """What a file's rows are joined to, which adds ``columns``: such as orders."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def rows_of(self, row: Record) -> Iterable[Record | Rejected]:
        """Return the rows of comments that a row of the file becomes."""
        ...


@dataclass(frozen=True, slots=True)
class CommentFile:
    """A file of comments, and how to parse it; its rows may be ``joined`` to others."""

    file: RowFile
    shape: Shape
    now: datetime
    joined: Joined | None = None

    def require(self, present: Sequence[str]) -> Shape:
        """Return the shape of what is present. Raises BadMapping for columns that are missing."""
        added: Sequence[str] = ()
        if self.joined is not None:
            added = self.joined.columns
        return self.shape.among((*present, *added))

    def parse(
        self, opened: OpenRows, findings: Findings
    ) -> Iterator[NewComment | Rejected | Skipped]:
        """Parse rows. Raises BadMapping for columns that are missing."""
        shape = self.shape
        # Where a column is missing a file is refused before its first row is read.
        if opened.are_columns_known:
            shape = self.require(opened.columns)
        parser = CommentParser(shape, self.now, findings)
        for row in self._rows(opened.rows):
            if isinstance(row, Record):
                yield parser.read(row)
            else:
                yield row
        # JSON has its columns in its rows: only now they are all known, and an empty file has none.
        if opened.columns:
            self.require(opened.columns)

    def _rows(
        self, rows: Iterator[Record | Rejected | Skipped]
    ) -> Iterator[Record | Rejected | Skipped]:
        """Yield the rows of a file, or those that each of them becomes where it is joined."""
        for row in rows:
            if self.joined is None or not isinstance(row, Record):
                yield row
            else:
                yield from self.joined.rows_of(row)


@dataclass(slots=True)
class ImportResult:
    """What became of a file's rows, which are counted in ``passes``.

    ``verdicts`` and ``findings`` are about all rows that were read, ``cells`` the languages and
    ratings of those that are not superseded. Of a trial the verdicts are what would be, if it was
    compared with what is stored: there may be no database yet. ``resumed`` is the number of
    comments that an interrupted run of the same import had written, which have no verdict.
    ``product_url`` is the page of one product. ``unfinished`` is the number of changes whose
    postings or ranks could not be written yet. ``units`` are those of all reads and writes.
    """

    passes: TwoPassImport[NewComment]
    findings: Findings
    is_trial: bool = False
    verdicts: VerdictCounts = field(default_factory=VerdictCounts)
    cells: Counter[Cell] = field(default_factory=Counter)
    products_created: int = 0
    is_compared: bool = True
    resumed: int = 0
    product_url: str = ""
    unfinished: int = 0
    units: Units = field(default_factory=Units)

    @property
    def written(self) -> int:
        if self.is_trial:
            return 0
        return self.verdicts.new + self.verdicts.replaced

    def add(self, changes: Sequence[Change]) -> None:
        """Count what comments changed, or would change."""
        self.verdicts += VerdictCounts.of(changes)
        for change in changes:
            if change.verdict is not Verdict.SUPERSEDED:
                self.cells[change.cell] += 1

    def add_uncompared(self, comments: Iterable[NewComment]) -> None:
        """Count comments of a trial without a database."""
        self.is_compared = False
        for comment in comments:
            self.cells[comment.language, comment.rating] += 1


def import_file(
    source: CommentFile,
    *,
    writer: BulkWriter,
    ensure_products: EnsureProducts,
    rejects: RejectsFile,
    progress: Progress,
    is_trial: bool = False,
    part: Part = WHOLE,
    from_start: bool = False,
) -> ImportResult:
    """Write a file's comments, and its rejected rows to ``rejects``; a trial writes no comments.

    ``ensure_products`` is called with ids of products before comments on them are written, and
    the file's ids by those they were mapped to; it returns how many it created. What an interrupted
    run of the same import has written is passed over, unless it begins ``from_start``. Of several
    processes each imports a ``part``. Raises FileUnreadable, BadMapping and RejectsUnwritable
    before anything is written.
    """
    # The second pass finds the same again: only what the first one found is reported.
    first_findings, second_findings = Findings(), Findings()
    findings_by_pass = iter((first_findings, second_findings))

    def parse(opened: OpenRows) -> Iterator[NewComment | Rejected | Skipped]:
        return source.parse(opened, next(findings_by_pass))

    file = replace(source.file, require=source.require)
    passes = TwoPassImport(file, parse, version_of, _product_of, part)
    with rejects:
        passes.check(rejects, progress)
    result = ImportResult(passes, first_findings, is_trial)
    products = _Products(ensure_products, first_findings.products, second_findings)
    with units_of_process() as result.units:
        if is_trial:
            _compare(result, writer, progress)
        else:
            _Load(result, writer, products, progress).run(from_start=from_start)
    result.verdicts += VerdictCounts(superseded=passes.superseded)
    result.products_created = products.created
    result.product_url = products.url_of_one()
    return result


@dataclass(slots=True)
class _Load:
    """Writes the newest version of each comment, chunk by chunk.

    Behind each chunk but the last a checkpoint is stored, from which an interrupted import goes on.
    """

    result: ImportResult
    writer: BulkWriter
    products: "_Products"
    progress: Progress
    has_checkpoint: bool = False

    def run(self, *, from_start: bool) -> None:
        """Write the comments, and what they owe; of an interrupted run before this one as well."""
        done = -1
        if not from_start:
            done = self._row_of_checkpoint()
        self._write(done)
        self.result.unfinished = self.writer.finish(self.progress)
        # While something is owed, the same command goes on with it.
        if self.has_checkpoint and not self.result.unfinished:
            delete_checkpoint(self._checkpoint)

    def _write(self, done: int) -> None:
        """Write the comments behind a row, and note those up to it."""
        passes, progress = self.result.passes, self.progress
        total = passes.won // passes.part.of
        forecast = writing_forecast(progress)
        written = 0
        last_row = -1
        with progress.step("Writing", total=total, unit=" rows") as advance:
            behind = self._behind(done, advance)
            for chunk in bounded_chunks(self.products.noted(behind)):
                if last_row >= 0:
                    self._save(last_row)
                last_row = passes.row_number
                changes = self.writer.put(chunk, prepare=self.products.ensure)
                self.result.add(changes)
                written += len(chunk)
                advance(len(chunk))
                forecast.note(written, max(written, total - self.result.resumed))

    def _behind(self, done: int, advance: Advance) -> Iterator[NewComment]:
        """Yield the comments behind a row; of those up to it note what they may owe."""
        result = self.result
        for comment in result.passes.winning():
            if result.passes.row_number > done:
                yield comment
                continue
            self.writer.note_written(comment)
            result.resumed += 1
            result.cells[comment.language, comment.rating] += 1
            advance(1)

    # The checkpoint

    @property
    def _checkpoint(self) -> str:
        return f"{self.result.passes.digest}#{self.result.passes.part}"

    def _row_of_checkpoint(self) -> int:
        """Return the last row that an interrupted run has written, -1 if there is none; say so."""
        written = load_checkpoint(self._checkpoint)
        if written is None:
            return -1
        self.has_checkpoint = True
        moment = written.saved_at.strftime("%Y-%m-%d %H:%M UTC")
        self.progress.say(
            f"Going on behind row {written.row + 1:,}, which a run that stopped on {moment} has "
            f"written; --from-start compares all rows again."
        )
        return written.row

    def _save(self, row: int) -> None:
        self.has_checkpoint = True
        save_checkpoint(self._checkpoint, row)


def _compare(result: ImportResult, writer: BulkWriter, progress: Progress) -> None:
    """Compare comments with what is stored, as long as there is a database that answers."""
    passes = result.passes
    with progress.step("Comparing", total=passes.won, unit=" rows") as advance:
        for chunk in bounded_chunks(passes.winning()):
            changes = None
            # A database that has not answered once is not waited for again.
            if result.is_compared:
                changes = _changes(writer, chunk)
            if changes is None:
                result.add_uncompared(chunk)
            else:
                result.add(changes)
            advance(len(chunk))


def _changes(writer: BulkWriter, comments: Sequence[NewComment]) -> list[Change] | None:
    """Return what comments would change, None without a database that answers."""
    # A trial is of use before there is a database.
    try:
        return writer.compare(comments)
    except FAILURES:
        return None


@dataclass(slots=True)
class _Products:
    """The products of comments that are written, each of which is created once if it is missing.

    ``mapped`` are the file's ids by those they were mapped to; ``findings`` are of the row that was
    read last, and ``one`` is the first product.
    """

    create: EnsureProducts
    mapped: Mapping[str, str]
    findings: Findings
    created: int = 0
    one: str = ""
    ensured: set[str] = field(default_factory=set)
    before: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def noted(self, winning: Iterable[NewComment]) -> Iterator[NewComment]:
        """Yield comments; what rows that do not win call products is not noted."""
        for comment in winning:
            self.one = self.one or comment.product_id
            if self.findings.product_name:
                self.names[comment.product_id] = self.findings.product_name
            if self.findings.product_before:
                self.before[comment.product_id] = self.findings.product_before
            yield comment

    def url_of_one(self) -> str:
        """Return the address of one product's page; empty where nothing was written about any."""
        if not self.one:
            return ""
        # All is written: what cannot be read now must not look like a failure of the import.
        with suppress(*FAILURES):
            found = host.products().find([self.one])
            if self.one in found:
                return found[self.one].url
        return ""

    def ensure(self, product_ids: set[str]) -> None:
        """Create those products that are missing, and were not asked for before."""
        missing = product_ids - self.ensured
        if missing:
            originals = {**self.before, **self.mapped}
            self.created += self.create(sorted(missing), originals=originals, names=self.names)
            self.ensured |= missing


def _product_of(comment: NewComment) -> str:
    return comment.product_id


def version_of(comment: NewComment) -> Version:
    """Return a comment's id and its date in microseconds since 1970."""
    return comment.id, (comment.created_at - _EPOCH) // timedelta(microseconds=1)
