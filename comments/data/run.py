"""An import of comments from a file, in two passes: see `shop.data.files.row_files`."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from comments.data.olist import OlistReviews
from comments.data.rows import CommentParser, Findings
from comments.data.shape import Shape
from comments.data.upserts import Change, Verdict
from comments.data.writer import BulkWriter, VerdictCounts, in_chunks
from comments.items import NewComment
from comments.store.counts import Cell
from dynapages.calls.faults import FAILURES
from dynapages.django.options import Progress
from shop.data.files.records import Record, Rejected, RejectsFile
from shop.data.files.row_files import OpenRows, RowFile, TwoPassImport, Version
from shop.data.files.values import Skipped

EnsureProducts = Callable[..., int]
"""What creates missing products: `shop.catalogue.services.ensure_products`."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CommentFile:
    """A file of comments, and how to parse it; Olist's ``reviews`` are joined to orders."""

    file: RowFile
    shape: Shape
    now: datetime
    reviews: OlistReviews | None = None

    def parse(
        self, found: OpenRows, findings: Findings
    ) -> Iterator[NewComment | Rejected | Skipped]:
        """Parse rows. Raises BadMapping for columns that are missing."""
        added = self.reviews.columns if self.reviews else ()
        shape = self.shape
        if found.are_columns_known:
            shape = shape.among((*found.columns, *added))
        parser = CommentParser(shape, self.now, findings)
        for row in self._joined(found.rows):
            yield parser.read(row) if isinstance(row, Record) else row
        if found.columns:  # an empty file of JSON has none
            self.shape.among((*found.columns, *added))

    def _joined(
        self, rows: Iterator[Record | Rejected | Skipped]
    ) -> Iterator[Record | Rejected | Skipped]:
        for row in rows:
            if self.reviews is None or not isinstance(row, Record):
                yield row
            else:
                yield from self.reviews.rows_of(row)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Counts: ``read + rejected + skipped == rows``; the verdicts are about all that were read.

    ``findings`` are too; ``cells`` are the languages and ratings of those that are not superseded.
    ``spelling`` is what was found out of the file's, in words. Of a trial the verdicts are what
    would be, if it was compared with what is stored: there may be no database yet.
    """

    rows: int
    rejected: int
    skipped: int
    verdicts: VerdictCounts
    cells: Counter[Cell]
    products_created: int
    findings: Findings
    spelling: str
    is_trial: bool = False
    is_compared: bool = True

    @property
    def read(self) -> int:
        return self.rows - self.rejected - self.skipped

    @property
    def written(self) -> int:
        return 0 if self.is_trial else self.verdicts.new + self.verdicts.replaced


def import_file(
    source: CommentFile,
    *,
    writer: BulkWriter,
    ensure_products: EnsureProducts,
    rejects: RejectsFile,
    progress: Progress,
    is_trial: bool = False,
) -> ImportReport:
    """Write a file's comments, and its rejected rows to ``rejects``; a trial writes no comments.

    ``ensure_products`` is called with ids of products before comments on them are written, and
    the file's ids by those they were mapped to; it returns how many it created. Raises
    FileUnreadable, BadMapping and RejectsUnwritable before anything is written.
    """
    findings = [Findings(), Findings()]
    of_pass = iter(findings)
    passes = TwoPassImport(
        source.file, lambda found: source.parse(found, next(of_pass)), version_of
    )
    with rejects:
        passes.check(rejects, progress)
    verdicts, cells = VerdictCounts(), Counter[Cell]()
    products = _Products(ensure_products, findings[0].products, findings[1])
    label, is_compared = "Comparing" if is_trial else "Writing", True
    with progress.step(label, total=passes.read, unit=" rows") as advance:
        for chunk in in_chunks(products.noted(passes.winning())):
            if not is_trial:
                changes = writer.put(chunk, prepare=products.ensure)
            elif is_compared:
                changes, is_compared = _compared(writer, chunk)
            if is_compared:
                verdicts += VerdictCounts.of(changes)
                cells.update(c.cell for c in changes if c.verdict is not Verdict.SUPERSEDED)
            else:
                cells.update((one.language, one.rating) for one in chunk)
            advance(len(chunk))
        advance(passes.superseded)
    if not is_trial:
        writer.rank_products(progress)
    return ImportReport(
        rows=passes.rows,
        rejected=passes.rejected,
        skipped=passes.skipped,
        verdicts=verdicts + VerdictCounts(superseded=passes.superseded),
        cells=cells,
        products_created=products.created,
        findings=findings[0],
        spelling=passes.spelling,
        is_trial=is_trial,
        is_compared=is_compared,
    )


def _compared(writer: BulkWriter, chunk: Sequence[NewComment]) -> tuple[list[Change], bool]:
    """Return what comments would change, and whether there is a database that tells."""
    try:
        return writer.compare(chunk), True
    except FAILURES:
        return [], False


@dataclass(slots=True)
class _Products:
    """The products of comments that are written, each of which is created once if it is missing."""

    create: EnsureProducts
    mapped: Mapping[str, str]
    findings: Findings
    created: int = 0
    ensured: set[str] = field(default_factory=set)
    before: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def noted(self, winning: Iterable[NewComment]) -> Iterator[NewComment]:
        """Yield comments; what rows that do not win call products is not noted."""
        for comment in winning:
            if name := self.findings.product_name:
                self.names[comment.product_id] = name
            if before := self.findings.product_before:
                self.before[comment.product_id] = before
            yield comment

    def ensure(self, product_ids: set[str]) -> None:
        if new := product_ids - self.ensured:
            originals = {**self.before, **self.mapped}
            self.created += self.create(sorted(new), originals=originals, names=self.names)
            self.ensured |= new


def version_of(comment: NewComment) -> Version:
    """Return a comment's id and its date in microseconds since 1970."""
    return comment.id, (comment.created_at - _EPOCH) // timedelta(microseconds=1)
