"""The first pass of an import: reads or rejects every row of every file.

All rows are kept in memory, about 2 KB for each order, because the files are not sorted alike.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from dynamo.files.records import Record, Rejected, RowRefused
from dynamo.progress import Advance, Progress
from shop.imports import olist_files
from shop.imports.found import FileCounts, Found
from shop.imports.olist import OlistItem, read_customer, read_item, read_order
from shop.imports.olist_files import OlistFile, open_rows, size_of
from shop.imports.olist_products import read_category, read_product

T = TypeVar("T")

FILES = (
    olist_files.CUSTOMERS,
    olist_files.CATEGORIES,
    olist_files.PRODUCTS,
    olist_files.ITEMS,
    olist_files.ORDERS,
)
"""In reading order."""


def survey(folder: Path, *, reject: Callable[[Rejected], object], progress: Progress) -> Found:
    """Read the files; call ``reject`` with each rejected row. Raises FileUnreadable."""
    with progress.step("Checking", total=size_of(folder, *FILES), unit="B") as advance:
        return _Survey(folder, reject, advance).found()


class _Survey:
    def __init__(
        self, folder: Path, reject: Callable[[Rejected], object], advance: Advance
    ) -> None:
        self._folder = folder
        self._reject = reject
        self._advance = advance
        self._found = Found()
        self._broken: dict[str, int] = {}

    def found(self) -> Found:
        readers: list[tuple[OlistFile, Callable[[Record], None]]] = [
            (olist_files.CUSTOMERS, self._take_customer),
            (olist_files.CATEGORIES, self._take_category),
            (olist_files.PRODUCTS, self._take_product),
            (olist_files.ITEMS, self._take_item),
        ]
        for file, take in readers:
            self._read(file, take)
        self._read(olist_files.ORDERS, self._take_order)
        self._reject_items_without_order()
        return self._found

    def _read(self, file: OlistFile, take: Callable[[Record], None]) -> None:
        rows = rejected = 0
        with open_rows(self._folder, file, advance=self._advance) as read:
            for row in read:
                rows += 1
                refused = row if isinstance(row, Rejected) else self._refusal(file, row, take)
                if refused is not None:
                    rejected += 1
                    self._reject(refused)
        self._found.counts[file.stem] = FileCounts(rows, rejected)

    def _refusal(
        self, file: OlistFile, record: Record, take: Callable[[Record], None]
    ) -> Rejected | None:
        try:
            take(record)
        except RowRefused as refused:
            found_id = str(record.values[file.columns[0]])
            return self._rejected(file, record.line, str(refused), found_id)
        return None

    def _rejected(self, file: OlistFile, line: int, reason: str, found_id: str) -> Rejected:
        return Rejected(line, reason, found_id, file.path_in(self._folder).name)

    def _take_customer(self, record: Record) -> None:
        customer = read_customer(record, self._found.names)
        _add(self._found.customers, customer.id, customer)

    def _take_category(self, record: Record) -> None:
        _add(self._found.categories, *read_category(record))

    def _take_product(self, record: Record) -> None:
        product = read_product(record, self._found.names)
        _add(self._found.products, product.id, product)

    def _take_item(self, record: Record) -> None:
        try:
            item = read_item(record, self._found.names)
        except RowRefused:
            self._broken[str(record.values["order_id"]).strip()] = record.line
            raise
        self._found.items.setdefault(item.order_id, []).append(item)

    def _take_order(self, record: Record) -> None:
        order = read_order(record)
        _require_new(order.id, self._found.orders)
        if order.id in self._broken:
            raise RowRefused(f"its item in line {self._broken[order.id]} was rejected")
        self._found.order(order)
        self._found.orders[order.id] = order

    def _reject_items_without_order(self) -> None:
        file, found = olist_files.ITEMS, self._found
        lost = list(self._items_without_order())
        for item in lost:
            reason = f"its order “{item.order_id}” is rejected, or there is none"
            self._reject(self._rejected(file, item.line, reason, item.order_id))
        counts = found.counts[file.stem]
        found.counts[file.stem] = replace(counts, rejected=counts.rejected + len(lost))

    def _items_without_order(self) -> Iterator[OlistItem]:
        for order_id in self._found.items.keys() - self._found.orders.keys():
            yield from self._found.items.pop(order_id)


def _add(known: dict[str, T], found_id: str, value: T) -> None:
    _require_new(found_id, known)
    known[found_id] = value


def _require_new(found_id: str, known: Collection[str]) -> None:
    if found_id in known:
        raise RowRefused(f"“{found_id}” is there already: the first such row counts")
