"""An import of Olist's files: the first pass checks every row, the second writes.

Nothing is written when a file is missing or unreadable. Importing again is idempotent, and
continues after an interruption.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

from dynamo.files.records import Rejected
from dynamo.files.rejects import RejectsFile
from dynamo.progress import Progress
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.imports import olist_files
from shop.imports.found import FileCounts, Found
from shop.imports.olist import OlistOrder
from shop.imports.olist_products import new_product
from shop.imports.stored import unchanged_among
from shop.imports.survey import survey
from shop.imports.users import ensure_users
from shop.orders.bulk import OrderOutcome, put_orders
from shop.orders.items import NewOrder

ORDERS_AT_A_TIME = 500
"""Their customers are written in parallel; use one where the engine bears no concurrency."""
USERS_AT_A_TIME = 1_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The numbers of rows of each file, and of orders created, updated and unchanged."""

    files: Mapping[str, FileCounts]
    created: int
    updated: int
    unchanged: int
    without_items: int
    users: int
    users_created: int
    products: int

    @property
    def rejected(self) -> int:
        """Rows of all files that were rejected."""
        return sum(counts.rejected for counts in self.files.values())


def import_orders(
    folder: Path,
    *,
    rejects: RejectsFile,
    progress: Progress,
    orders_at_a_time: int = ORDERS_AT_A_TIME,
) -> ImportReport:
    """Write the orders of a folder with their customers and products.

    Raises FileUnreadable and RejectsUnwritable before anything is written, and what
    `dynamo.writes.transactions` and `dynamo.calls.batches` raise.
    """
    with rejects:
        found = survey(folder, reject=rejects.add, progress=progress)
        _put_products(found, progress)
        joined = found.first_purchases()
        users_created = _put_users(joined, progress)
        load = _OrderLoad(found, olist_files.ORDERS.path_in(folder).name, rejects)
        outcomes = Counter(load.put(progress, at_a_time=orders_at_a_time))
    return ImportReport(
        files=_with_taken(found.counts, outcomes[OrderOutcome.TAKEN]),
        created=outcomes[OrderOutcome.CREATED],
        updated=outcomes[OrderOutcome.UPDATED],
        unchanged=outcomes[OrderOutcome.KEPT],
        without_items=sum(order.id not in found.items for order in found.orders.values()),
        users=len(joined),
        users_created=users_created,
        products=len(found.product_categories),
    )


def _put_products(found: Found, progress: Progress) -> None:
    # Category by category: the front page shows complete ones.
    total = len(found.product_categories)
    with progress.step("Products", total=total, unit="") as advance:
        for category, products in _by_category(found).items():
            put_catalogue(categories=[category], products=products)
            advance(len(products))


def _by_category(found: Found) -> dict[NewCategory, list[NewProduct]]:
    prices = found.prices()
    shelves: dict[NewCategory, list[NewProduct]] = {}
    for product_id, category in found.product_categories.items():
        product = new_product(product_id, category, price_cents=prices.get(product_id))
        shelves.setdefault(category, []).append(product)
    return shelves


def _put_users(joined: Mapping[str, datetime], progress: Progress) -> int:
    created = 0
    with progress.step("Customers", total=len(joined), unit="") as advance:
        for some in _chunks(sorted(joined), USERS_AT_A_TIME):
            created += ensure_users({username: joined[username] for username in some})
            advance(len(some))
    return created


@dataclass(frozen=True, slots=True)
class _OrderLoad:
    found: Found
    file: str
    rejects: RejectsFile

    def put(self, progress: Progress, *, at_a_time: int) -> Iterator[OrderOutcome]:
        """Write the oldest first, so that purchases point to the latest order; yield outcomes."""
        orders = self.found.in_order_of_placing()
        with progress.step("Orders", total=len(orders), unit="") as advance:
            for some in _chunks(orders, at_a_time):
                outcomes = _put_changed([self.found.order(order) for order in some])
                self._reject_taken(some, outcomes)
                advance(len(some))
                yield from outcomes

    def _reject_taken(self, orders: Sequence[OlistOrder], outcomes: Sequence[OrderOutcome]) -> None:
        reason = "the shop has an order with this id that was placed at another time"
        for order, outcome in zip(orders, outcomes, strict=True):
            if outcome is OrderOutcome.TAKEN:
                self.rejects.add(Rejected(order.line, reason, order.id, self.file))


def _put_changed(orders: Sequence[NewOrder]) -> list[OrderOutcome]:
    unchanged = unchanged_among(orders)
    changed = [order for order in orders if order.id not in unchanged]
    written = iter(put_orders(changed))
    return [OrderOutcome.KEPT if order.id in unchanged else next(written) for order in orders]


def _with_taken(files: Mapping[str, FileCounts], taken: int) -> dict[str, FileCounts]:
    stem = olist_files.ORDERS.stem
    counts = files[stem]
    return {**files, stem: replace(counts, rejected=counts.rejected + taken)}


def _chunks(things: Sequence[T], size: int) -> Iterator[list[T]]:
    iterator = iter(things)
    while chunk := list(islice(iterator, size)):
        yield chunk
