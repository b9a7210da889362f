"""Folders like Olist's, for tests: made by hand, or taken from the real one and added to."""

import csv
from collections.abc import Collection, Iterable
from pathlib import Path

from tests.support.shop.olist_truth import Row, rows_of

CUSTOMERS = "olist_customers_dataset"
ORDERS = "olist_orders_dataset"
ITEMS = "olist_order_items_dataset"
PRODUCTS = "olist_products_dataset"
CATEGORIES = "product_category_name_translation"
REVIEWS = "olist_order_reviews_dataset"

COLUMNS = {
    CUSTOMERS: ["customer_id", "customer_unique_id", "customer_zip_code_prefix"],
    ORDERS: [
        "order_id",
        "customer_id",
        "order_status",
        "order_purchase_timestamp",
        "order_approved_at",
        "order_delivered_carrier_date",
        "order_delivered_customer_date",
    ],
    ITEMS: ["order_id", "order_item_id", "product_id", "price"],
    PRODUCTS: ["product_id", "product_category_name"],
    CATEGORIES: ["product_category_name", "product_category_name_english"],
    REVIEWS: [
        "review_id",
        "order_id",
        "review_score",
        "review_comment_title",
        "review_comment_message",
        "review_creation_date",
        "review_answer_timestamp",
    ],
}


class OlistFolder:
    """Rows of each file; ``write`` puts them into a folder."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {stem: [] for stem in COLUMNS}

    def add(self, stem: str, *values: str) -> None:
        """Add a row by its values; those left out are empty."""
        columns = COLUMNS[stem]
        padded = [*values, *[""] * (len(columns) - len(values))]
        self.rows[stem].append(dict(zip(columns, padded, strict=True)))

    def add_order(self, order_id: str, user: str, status: str, *dates: str) -> None:
        """Add an order and its customer."""
        self.add(CUSTOMERS, f"customer-of-{order_id}", user, "01012")
        self.add(ORDERS, order_id, f"customer-of-{order_id}", status, *dates)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for stem, rows in self.rows.items():
            with (folder / f"{stem}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS[stem], extrasaction="ignore")
                writer.writeheader()
                writer.writerows(rows)
        return folder


def part_of(source: Path, *, users: Collection[str] | None = None) -> OlistFolder:
    """Take the orders of some users, or of all, with what belongs to them."""
    found = OlistFolder()
    wanted = _wanting(rows_of(source, CUSTOMERS), "customer_unique_id", users)
    found.rows[CUSTOMERS] = wanted
    orders = _wanting(rows_of(source, ORDERS), "customer_id", _values(wanted, "customer_id"))
    found.rows[ORDERS] = orders
    order_ids = _values(orders, "order_id")
    for stem in (ITEMS, REVIEWS):
        found.rows[stem] = _wanting(rows_of(source, stem), "order_id", order_ids)
    product_ids = _values(found.rows[ITEMS], "product_id")
    found.rows[PRODUCTS] = _wanting(rows_of(source, PRODUCTS), "product_id", product_ids)
    found.rows[CATEGORIES] = list(rows_of(source, CATEGORIES))
    return found


def give_copies(folder: OlistFolder, source: Path, *, user: str, every: int) -> None:
    """Copy every n-th order of the source to a new user."""
    copied = {
        row["order_id"]: row for n, row in enumerate(rows_of(source, ORDERS)) if n % every == 0
    }
    for order_id, row in copied.items():
        new_id, customer = f"{user}-{order_id}", f"{user}-{row['customer_id']}"
        folder.add(CUSTOMERS, customer, user, "01012")
        folder.rows[ORDERS].append(row | {"order_id": new_id, "customer_id": customer})
    items = [row for row in rows_of(source, ITEMS) if row["order_id"] in copied]
    folder.rows[ITEMS] += [row | {"order_id": f"{user}-{row['order_id']}"} for row in items]
    known = _values(folder.rows[PRODUCTS], "product_id")
    new = _values(items, "product_id") - known
    folder.rows[PRODUCTS] += _wanting(rows_of(source, PRODUCTS), "product_id", new)


def _wanting(rows: Iterable[Row], column: str, values: Collection[str] | None) -> list[Row]:
    return [row for row in rows if values is None or row[column] in values]


def _values(rows: Iterable[Row], column: str) -> set[str]:
    return {row[column] for row in rows}
