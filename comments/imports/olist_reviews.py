"""Imports of Olist's reviews as comments, one on each product of the order.

The rules are in docs/importing-orders.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from comments.imports.rows import CommentParser
from comments.imports.run import EnsureProducts
from comments.imports.shape import Shape
from comments.imports.writer import BulkWriter, VerdictCounts, in_chunks
from comments.items import NewComment
from dynamo.files.records import Record, Rejected
from dynamo.files.rejects import RejectsFile
from dynamo.progress import Progress
from shop.imports.found import Found
from shop.imports.olist_files import REVIEWS, open_rows, require_files
from shop.imports.survey import FILES, survey

LANGUAGE = "pt"


@dataclass(frozen=True, slots=True)
class ReviewImportReport:
    """Counts of the reviews' rows, ``read + rejected == rows``, and of their comments."""

    rows: int
    rejected: int
    verdicts: VerdictCounts
    products_created: int

    @property
    def read(self) -> int:
        return self.rows - self.rejected


@dataclass(slots=True)
class _Read:
    rows: int = 0
    superseded: int = 0
    comments: dict[str, NewComment] = field(default_factory=dict)

    def take(self, comments: Sequence[NewComment]) -> None:
        for comment in comments:
            known = self.comments.get(comment.id)
            self.superseded += known is not None
            if known is None or known.created_at <= comment.created_at:
                self.comments[comment.id] = comment


def import_reviews(
    folder: Path,
    *,
    writer: BulkWriter,
    ensure_products: EnsureProducts,
    rejects: RejectsFile,
    progress: Progress,
    now: datetime,
) -> ReviewImportReport:
    """Write the reviews of a folder as comments, and rejected rows to ``rejects``.

    Raises FileUnreadable and RejectsUnwritable before anything is written, and what ``writer``
    raises; the same import again continues then.
    """
    require_files(folder, *FILES, REVIEWS)
    # What is wrong with orders is for their own import to tell.
    found = survey(folder, reject=lambda _rejected: None, progress=progress)
    with rejects:
        read = _read(folder, ReviewParser(found, now), rejects, progress)
    comments = list(read.comments.values())
    product_ids = sorted({comment.product_id for comment in comments})
    products_created = ensure_products(product_ids, originals=found.names.products)
    verdicts = VerdictCounts(superseded=read.superseded)
    with progress.step("Writing", total=len(comments), unit=" comments") as advance:
        for chunk in in_chunks(comments):
            verdicts += writer.write(chunk)
            advance(len(chunk))
    writer.rank_products(progress)
    return ReviewImportReport(read.rows, rejects.count, verdicts, products_created)


@dataclass(frozen=True, slots=True)
class ReviewParser:
    """How rows of reviews become comments; ``found`` are the orders they are about."""

    found: Found
    now: datetime

    def read(self, record: Record) -> list[NewComment] | Rejected:
        """Parse a review into the comments on its order's products, or reject it."""
        order_id = str(record.values["order_id"]).strip()
        if order_id not in self.found.orders:
            return _rejected(record, f"its order “{order_id[:40]}” is rejected, or there is none")
        products = self._products_of(order_id)
        if not products:
            return _rejected(record, "its order has no items, so that there is nothing to review")
        reading = CommentParser(Shape(), self.now)
        comments = []
        for product_id in products:
            comment = reading.read(self._as_comment(record, order_id, product_id))
            if isinstance(comment, Rejected):
                return _rejected(record, comment.reason)
            comments.append(replace(comment, verified=True))  # it came with the order
        return comments

    def _products_of(self, order_id: str) -> list[str]:
        items = self.found.items.get(order_id, [])
        return list(dict.fromkeys(item.product_id for item in items))

    def _as_comment(self, record: Record, order_id: str, product_id: str) -> Record:
        order = self.found.orders[order_id]
        review = record.values
        values: Mapping[str, object] = {
            # Review ids come again with other orders, and an order has several products.
            "id": f"{review['review_id']}-{order_id}-{product_id}",
            "product_id": product_id,
            "language": LANGUAGE,
            "rating": review["review_score"],
            "created_at": review["review_answer_timestamp"] or review["review_creation_date"],
            "author": self.found.customers[order.customer_id].username,
            "title": review["review_comment_title"],
            "body": review["review_comment_message"],
        }
        return Record(record.line, values)


def _read(folder: Path, reading: ReviewParser, rejects: RejectsFile, progress: Progress) -> _Read:
    result = _Read()
    size = REVIEWS.path_in(folder).stat().st_size
    with (
        progress.step("Checking reviews", total=size, unit="B") as advance,
        open_rows(folder, REVIEWS, advance=advance) as rows,
    ):
        for comments in _comments(rows, reading):
            result.rows += 1
            if isinstance(comments, Rejected):
                rejects.add(comments)
            else:
                result.take(comments)
    return result


def _comments(
    rows: Iterator[Record | Rejected], reading: ReviewParser
) -> Iterator[list[NewComment] | Rejected]:
    for row in rows:
        yield row if isinstance(row, Rejected) else reading.read(row)


def _rejected(record: Record, reason: str) -> Rejected:
    return Rejected(record.line, reason, str(record.values["review_id"])[:128])
