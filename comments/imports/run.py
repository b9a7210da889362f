"""An import of comments from a file, in two passes: see `dynamo.files.row_files`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from comments.imports.olist import OlistReviews
from comments.imports.rows import CommentParser, Findings
from comments.imports.shape import Shape
from comments.imports.writer import BulkWriter, VerdictCounts, in_chunks
from comments.items import NewComment
from dynamo.files.records import Record, Rejected, RejectsFile
from dynamo.files.row_files import OpenRows, RowFile, TwoPassImport, Version
from dynamo.files.values import Skipped
from dynamo.upkeep.pace import Progress

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

    ``findings`` are too; ``spelling`` is what was found out of the file's, in words.
    """

    rows: int
    rejected: int
    skipped: int
    verdicts: VerdictCounts
    products_created: int
    findings: Findings
    spelling: str

    @property
    def read(self) -> int:
        return self.rows - self.rejected - self.skipped

    @property
    def written(self) -> int:
        return self.verdicts.new + self.verdicts.replaced


def import_file(
    source: CommentFile,
    *,
    writer: BulkWriter | None,
    ensure_products: EnsureProducts,
    rejects: RejectsFile,
    progress: Progress,
) -> ImportReport:
    """Write a file's comments, and its rejected rows to ``rejects``; without a writer only check.

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
    verdicts, products_created, ensured = VerdictCounts(), 0, set[str]()
    if writer is not None:
        with progress.step("Writing", total=passes.read, unit=" rows") as advance:
            for chunk in in_chunks(passes.winning()):
                if products := {comment.product_id for comment in chunk} - ensured:
                    originals = findings[0].products
                    products_created += ensure_products(sorted(products), originals=originals)
                    ensured |= products
                verdicts += writer.write(chunk)
                advance(len(chunk))
            advance(passes.superseded)
        writer.rank_products(progress)
        verdicts += VerdictCounts(superseded=passes.superseded)
    return ImportReport(
        rows=passes.rows,
        rejected=passes.rejected,
        skipped=passes.skipped,
        verdicts=verdicts,
        products_created=products_created,
        findings=findings[0],
        spelling=passes.spelling,
    )


def version_of(comment: NewComment) -> Version:
    """Return a comment's id and its date in microseconds since 1970."""
    return comment.id, (comment.created_at - _EPOCH) // timedelta(microseconds=1)
