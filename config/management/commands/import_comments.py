"""``manage.py import_comments`` of this site: the app's, and Olist's folder.

Its reviews become comments on the products of its orders: docs/importing.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from comments.data.run import CommentFile
from comments.management.commands import import_comments
from dynapages.django.options import Progress
from dynapages.files.columns import BadMapping
from dynapages.files.dates import DateFormats
from dynapages.files.records import Record, Rejected
from shop.data.olist import REVIEWS, olist_files, path_of, require_files
from shop.data.orders import ImportedOrder
from shop.data.survey import read_order_files

_ADDED_COLUMNS = {
    "id": "comment_id",
    "product_id": "product_id",
    "author": "customer",
    "username": "customer",
}
"""The columns by fields of a comment that the reviews' file does not have.

Who placed an order has written its review: it is found, edited and erased as theirs.
"""
_ADDED_CONSTANTS = {"verified": "true"}
"""A review came with the order."""


@dataclass(frozen=True, slots=True)
class OlistReviews:
    """The orders of a folder by their ids, on whose products the reviews are."""

    orders: dict[str, ImportedOrder]
    columns: tuple[str, ...] = ("comment_id", "product_id", "customer")

    @classmethod
    def of(cls, folder: Path, dates: DateFormats, progress: Progress) -> "OlistReviews":
        """Read a folder with dates in these formats.

        Raises FileUnreadable, and BadMapping for columns that are missing.
        """
        require_files(folder, REVIEWS)
        # What is wrong with orders is for their own import to tell.
        files = olist_files(folder, {}, dates, reject=_ignore)
        survey = read_order_files(files, reject=_ignore, progress=progress)
        return cls({imported.id: imported for imported in survey.orders})

    def rows_of(self, review: Record) -> Iterator[Record | Rejected]:
        """Yield a review as the row of a comment on each product of its order.

        A review of an order that is not there, or has no items, is yielded as rejected.
        """
        order_id = str(review.values["order_id"]).strip()
        if order_id not in self.orders:
            reason = f"its order “{order_id[:40]}” is rejected, or there is none"
            yield Rejected(review.line, reason, review.shown("review_id"))
            return
        imported = self.orders[order_id]
        if not imported.lines:
            reason = "its order has no items, so that there is nothing to review"
            yield Rejected(review.line, reason, review.shown("review_id"))
        ids_in_file = {line.product_id: line.id_in_file for line in imported.lines}
        for product_id, id_in_file in ids_in_file.items():
            added = {
                # Review ids come again with other orders, and an order has several products.
                "comment_id": f"{review.values['review_id']}-{order_id}-{product_id}",
                "product_id": id_in_file,
                "customer": imported.order.username,
            }
            yield Record(review.line, {**review.values, **added})


def _ignore(_rejected: Rejected) -> None:
    """Leave a row of the orders to their own import."""


class Command(import_comments.Command):
    """Imports a file, or Olist's reviews, each as a comment on each product of its order."""

    help = f"{import_comments.Command.help}. Of Olist's folder, --preset olist reads the reviews"

    def source(self, path: Path, options: dict[str, Any], progress: Progress) -> CommentFile:
        if not path.is_dir():
            return super().source(path, options, progress)
        if options["preset"] != "olist" or options["product_id"] is not None:
            raise BadMapping(
                "Of a folder, --preset olist reads the reviews, on their own products."
            )
        reviews = super().source(path_of(path, REVIEWS), options, progress)
        shape = reviews.shape
        columns = dict(shape.columns)
        for field, column in _ADDED_COLUMNS.items():
            columns[field] = [column]
        constants = {**shape.constants, **_ADDED_CONSTANTS}
        return replace(
            reviews,
            shape=replace(shape, columns=columns, constants=constants),
            joined=OlistReviews.of(path, shape.dates, progress),
        )
