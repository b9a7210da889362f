"""The files of Olist's data set in a folder, plain or compressed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dynamo.files.columns import listed
from dynamo.files.content import FileUnreadable
from dynamo.files.records import Record, Rejected
from dynamo.files.row_files import OpenRows, RowFile
from dynamo.files.row_files import open_rows as open_any


@dataclass(frozen=True, slots=True)
class OlistFile:
    """A file: its name without suffix, and the columns read."""

    stem: str
    columns: tuple[str, ...]

    def path_in(self, folder: Path) -> Path:
        """Return the file's path. Raises FileUnreadable when it is missing."""
        require_files(folder, self)
        return next(path for path in self._paths(folder) if path.is_file())

    def is_in(self, folder: Path) -> bool:
        """Return whether a folder has the file."""
        return any(path.is_file() for path in self._paths(folder))

    def _paths(self, folder: Path) -> list[Path]:
        return [folder / f"{self.stem}.csv", folder / f"{self.stem}.csv.gz"]


CUSTOMERS = OlistFile(
    "olist_customers_dataset",
    ("customer_id", "customer_unique_id", "customer_zip_code_prefix"),
)
ORDERS = OlistFile(
    "olist_orders_dataset",
    (
        "order_id",
        "customer_id",
        "order_status",
        "order_purchase_timestamp",
        "order_approved_at",
        "order_delivered_carrier_date",
        "order_delivered_customer_date",
    ),
)
ITEMS = OlistFile("olist_order_items_dataset", ("order_id", "order_item_id", "product_id", "price"))
PRODUCTS = OlistFile("olist_products_dataset", ("product_id", "product_category_name"))
CATEGORIES = OlistFile(
    "product_category_name_translation",
    ("product_category_name", "product_category_name_english"),
)
REVIEWS = OlistFile(
    "olist_order_reviews_dataset",
    (
        "review_id",
        "order_id",
        "review_score",
        "review_comment_title",
        "review_comment_message",
        "review_creation_date",
        "review_answer_timestamp",
    ),
)


def require_files(folder: Path, *files: OlistFile) -> None:
    """Raise FileUnreadable, which names all that are missing, unless a folder has the files."""
    if not folder.is_dir():
        why = "is no folder" if folder.exists() else "does not exist"
        raise FileUnreadable(f"{folder} {why}.")
    if missing := [f"{file.stem}.csv" for file in files if not file.is_in(folder)]:
        raise FileUnreadable(f"{folder} has no {', no '.join(missing)}, gzip or not.")


def size_of(folder: Path, *files: OlistFile) -> int:
    """Return the bytes of files on disk. Raises FileUnreadable, which names all missing ones."""
    require_files(folder, *files)
    return sum(file.path_in(folder).stat().st_size for file in files)


@contextmanager
def open_rows(
    folder: Path, file: OlistFile, *, advance: Callable[[int], object]
) -> Iterator[Iterator[Record | Rejected]]:
    """Open the rows of a file; pass bytes read to ``advance``. May raise FileUnreadable inside."""
    path = file.path_in(folder)
    with open_any(RowFile(path)) as found:
        _require_columns(path, file, found.columns)
        yield found.advancing(_named(found, path.name), advance)


def _named(found: OpenRows, name: str) -> Iterator[Record | Rejected]:
    for row in found.rows:
        yield replace(row, file=name) if isinstance(row, Rejected) else row


def _require_columns(path: Path, file: OlistFile, present: tuple[str, ...]) -> None:
    for column in file.columns:
        if present.count(column) != 1:
            raise FileUnreadable(
                f"{path} has {present.count(column) or 'no'} columns “{column}”: {listed(present)}."
            )
