"""The files of Olist's data set in a folder, as orders and lines of the plain shape.

Customers, products and categories are read at once, and joined to the orders and their items.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dynapages.files.columns import columns_among
from dynapages.files.dates import DateFormats
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import Record, Rejected, RowRefused
from dynapages.files.reports import RowCounts
from dynapages.files.row_files import RowFile, open_rows
from dynapages.files.values import Skipped
from shop.data.fields import field_text
from shop.data.imported_products import Catalogue, ImportedProduct, category_named
from shop.data.names import Names
from shop.data.shape import LINE_NUMBER, Shape, Statuses
from shop.data.survey import OrderFiles

ORDERS = "olist_orders_dataset"
ITEMS = "olist_order_items_dataset"
REVIEWS = "olist_order_reviews_dataset"
CUSTOMERS = "olist_customers_dataset"
PRODUCTS = "olist_products_dataset"
CATEGORIES = "product_category_name_translation"
_JOINED = {
    CUSTOMERS: ("customer_id", "customer_unique_id", "customer_zip_code_prefix"),
    CATEGORIES: ("product_category_name", "product_category_name_english"),
    PRODUCTS: ("product_id", "product_category_name"),
}
"""The columns of files that are joined to others by the first one."""
_MAY_BE_EMPTY = {(CUSTOMERS, "customer_zip_code_prefix"), (PRODUCTS, "product_category_name")}
_COLUMNS = {
    "customer": "customer_id",
    "status": "order_status",
    "placed_at": "order_purchase_timestamp",
    "approved_at": "order_approved_at",
    "shipped_at": "order_delivered_carrier_date",
    "delivered_at": "order_delivered_customer_date",
}
_LINE_COLUMNS = {LINE_NUMBER: "order_item_id", "unit_price": "price"}
_CONSTANTS = {"currency": "BRL", "quantity": "1"}
_DIGITS = 8
"""Of an id in the name of a product."""
_SHOWN = 40
"""Characters of a wrong value in a reason."""


def path_of(folder: Path, stem: str) -> Path:
    """Return the path of one of the files. Raises FileUnreadable if it is missing."""
    require_files(folder, stem)
    plain, packed = _paths(folder, stem)
    return plain if plain.is_file() else packed


def require_files(folder: Path, *stems: str) -> None:
    """Raise FileUnreadable, which names all that are missing, unless a folder has the files."""
    if not folder.is_dir():
        why = "is no folder" if folder.exists() else "does not exist"
        raise FileUnreadable(f"{folder} {why}.")
    missing: list[str] = []
    for stem in stems:
        plain, packed = _paths(folder, stem)
        if not (plain.is_file() or packed.is_file()):
            missing.append(stem)
    if missing:
        raise FileUnreadable(f"{folder} has no {'.csv, no '.join(missing)}.csv, gzip or not.")


def olist_files(
    folder: Path, statuses: Statuses, dates: DateFormats, *, reject: Callable[[Rejected], object]
) -> OrderFiles:
    """Return the orders and items of a folder, joined to its other files, which are read now.

    ``reject`` is called with each of their rows that is rejected. Raises FileUnreadable, and
    BadMapping for columns that are missing.
    """
    require_files(folder, *_JOINED, ITEMS, ORDERS)
    joined = _Joined(folder, reject)
    # Small files, which are held in memory while orders and items are read row by row.
    for stem in _JOINED:
        joined.read(stem)
    shape = Shape(
        columns=_COLUMNS,
        line_columns=_LINE_COLUMNS,
        constants=_CONSTANTS,
        statuses=statuses,
        dates=dates,
        are_lines_numbered=True,
        join_order=joined.order,
        join_line=joined.line,
    )
    return OrderFiles(
        RowFile(path_of(folder, ORDERS)),
        RowFile(path_of(folder, ITEMS)),
        shape,
        names=joined.names,
        catalogue=Catalogue(joined.rows[PRODUCTS], joined.describe),
        counts=joined.counts,
    )


@dataclass(slots=True)
class _Joined:
    """The rows of joined files, as texts by the first of them, and what they add to others."""

    folder: Path
    reject: Callable[[Rejected], object]
    rows: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    counts: dict[str, RowCounts] = field(default_factory=dict)
    names: Names = field(default_factory=Names)

    def read(self, stem: str) -> None:
        """Read a file, and reject the rows that are wrong."""
        path = path_of(self.folder, stem)
        columns = _JOINED[stem]
        counts = RowCounts()
        self.rows[stem] = {}
        self.counts[path.name] = counts
        with open_rows(RowFile(path)) as opened:
            columns_among(opened.columns, {name: name for name in columns}, needed=columns)
            for row in opened.rows:
                counts.rows += 1
                if isinstance(row, Skipped):
                    counts.skipped += 1
                    continue
                try:
                    self._add(stem, row)
                except RowRefused as refused:
                    shown = row.id if isinstance(row, Rejected) else row.shown(columns[0])
                    self.reject(Rejected(row.line, str(refused), shown, path.name))
                    counts.rejected += 1

    def order(self, record: Record) -> Record:
        """Return an order with its customer and zip, and the date it has for its processing."""
        values = record.values
        customer_id = field_text("customer_id", values["customer_id"])
        customer = self.rows[CUSTOMERS].get(customer_id)
        if customer is None:
            raise RowRefused(f"customer_id: “{customer_id[:_SHOWN]}” is none of the customers")
        joined: dict[str, object] = {
            "customer_id": customer["customer_unique_id"],
            "zip": customer["customer_zip_code_prefix"],
            "processing_at": "",
        }
        if values["order_status"] == "processing":  # which has no date of its own
            joined["processing_at"] = values["order_approved_at"]
        return Record(record.line, {**values, **joined})

    def line(self, record: Record) -> Record:
        """Return a line with the name of its product."""
        name = ""
        id_in_file = field_text("product_id", record.values["product_id"])
        if id_in_file:
            name = self.describe(self.names.product(id_in_file)).name
        return Record(record.line, {**record.values, "product_name": name})

    def describe(self, product_id: str) -> ImportedProduct:
        """Return what the files tell about a product, without its price.

        They have no names: it is called by its English category and the start of its id.
        """
        product = self.rows[PRODUCTS].get(product_id, {})
        category = self.rows[CATEGORIES].get(product.get("product_category_name", ""))
        if category is None:
            name = f"Product {product_id[:_DIGITS]}"
            return ImportedProduct(product_id, name, is_named=False, category=None)
        english = category["product_category_name_english"].replace("_", " ").capitalize()
        name = f"{english} {product_id[:_DIGITS]}"
        return ImportedProduct(product_id, name, is_named=True, category=category_named(english))

    def _add(self, stem: str, row: Record | Rejected) -> None:
        """Add a row's texts by its key. Raises RowRefused for a faulty or repeated one."""
        if isinstance(row, Rejected):
            raise RowRefused(row.reason)
        texts = {name: field_text(name, row.values[name]) for name in _JOINED[stem]}
        for name, text in texts.items():
            if not text and (stem, name) not in _MAY_BE_EMPTY:
                raise RowRefused(f"{name} is missing")
        key = texts[_JOINED[stem][0]]
        if stem == PRODUCTS:
            key = self.names.product(key)
        if key in self.rows[stem]:
            raise RowRefused(f"“{key}” is there already: the first such row counts")
        self.rows[stem][key] = texts


def _paths(folder: Path, stem: str) -> tuple[Path, Path]:
    """Return where a file may be: plain, and packed."""
    return folder / f"{stem}.csv", folder / f"{stem}.csv.gz"
