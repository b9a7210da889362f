"""The second pass of an import: writes products, customers and orders that were read.

Orders whose foreign id belongs to another order are rejected before anything else is written, so
that they have no effect. Another writer may still be faster: then they are rejected last.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Generic, Protocol, TypeVar

from dynamo.files.records import Rejected
from dynamo.files.rejects import RejectsFile
from dynamo.progress import Progress
from shop.catalogue.items import NewCategory
from shop.imports.names import Names
from shop.imports.products import ImportedProduct, Outcome, Update, put_products
from shop.imports.stored import taken_among, unchanged_among
from shop.imports.users import ensure_users
from shop.orders.bulk import OrderOutcome, put_orders
from shop.orders.items import NewOrder

ORDERS_AT_A_TIME = 500
"""Their customers are written in parallel; use one where the engine bears no concurrency."""
READ_AT_A_TIME = 1_000
_TAKEN = "the shop has another order with this id, of another customer or placed at another time"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a file, by the number of its first line."""

    file: str
    line: int


class OrderRow(Protocol):
    """An order as it was read, with its id in the files."""

    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=OrderRow)


@dataclass(frozen=True, slots=True)
class Readings(Generic[Row]):
    """What was read: ``rows`` of the orders, the oldest first, ``build`` makes each an order.

    ``places`` returns the rows that are rejected together with an order.
    ``products`` are those that a file of products names, by id. ``describe`` returns what the
    files tell about any product, without its price and original id.
    """

    rows: Sequence[Row]
    places: Callable[[Row], Iterable[Place]]
    build: Callable[[Row], NewOrder]
    products: Iterable[str]
    describe: Callable[[str], ImportedProduct]
    names: Names


@dataclass(slots=True)
class LoadReport:
    """What became of the orders, customers and products.

    ``taken`` are the numbers of rows of orders that were rejected meanwhile, by file; ``mapped`` is
    the number of orders, customers and products whose id or name could not be kept.
    """

    orders: Counter[OrderOutcome] = field(default_factory=Counter)
    products: Counter[Outcome] = field(default_factory=Counter)
    without_items: int = 0
    users: int = 0
    users_created: int = 0
    mapped: int = 0
    taken: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Load(Generic[Row]):
    """Writes what was read, and rejects orders that are taken."""

    readings: Readings[Row]
    rejects: RejectsFile
    progress: Progress

    def run(self, *, update: Update, orders_at_a_time: int = ORDERS_AT_A_TIME) -> LoadReport:
        """Write everything. Repeatable; raises what `put_products` and `put_orders` do."""
        report = LoadReport()
        rows, seen = self._free_rows(report), _Seen()
        for row in rows:
            seen.take(self.readings.build(row))
        products = seen.products(self.readings)
        report.without_items, report.users = seen.without_lines, len(seen.joined)
        names = self.readings.names
        report.mapped = len(names.users.keys() & seen.joined.keys())
        report.mapped += len(names.orders.keys() & seen.foreign_ids)
        report.mapped += sum(product.external_id is not None for product in products)
        self._put_products(products, update, report)
        self._put_users(seen.joined, report)
        self._put_orders(rows, orders_at_a_time, report)
        return report

    def _free_rows(self, report: LoadReport) -> list[Row]:
        free: list[Row] = []
        for some in in_chunks(self.readings.rows, READ_AT_A_TIME):
            orders = [self.readings.build(row) for row in some]
            taken = taken_among(orders)
            for row, order in zip(some, orders, strict=True):
                if order.id in taken:
                    self._reject(row, report)
                else:
                    free.append(row)
        return free

    def _put_products(
        self, products: Sequence[ImportedProduct], update: Update, report: LoadReport
    ) -> None:
        # Category by category: the front page shows complete ones.
        with self.progress.step("Products", total=len(products), unit="") as advance:
            for some in _by_category(products):
                report.products += put_products(some, update)
                advance(len(some))

    def _put_users(self, joined: Mapping[str, datetime], report: LoadReport) -> None:
        with self.progress.step("Customers", total=len(joined), unit="") as advance:
            for some in in_chunks(sorted(joined), READ_AT_A_TIME):
                report.users_created += ensure_users(
                    {name: joined[name] for name in some}, self.readings.names.users
                )
                advance(len(some))

    def _put_orders(self, rows: Sequence[Row], at_a_time: int, report: LoadReport) -> None:
        # The oldest first, so that purchases point to the latest order.
        with self.progress.step("Orders", total=len(rows), unit="") as advance:
            for some in in_chunks(rows, at_a_time):
                outcomes = _put_changed([self.readings.build(row) for row in some])
                for row, outcome in zip(some, outcomes, strict=True):
                    if outcome is OrderOutcome.TAKEN:
                        self._reject(row, report)
                report.orders.update(outcomes)
                advance(len(some))

    def _reject(self, row: Row, report: LoadReport) -> None:
        for place in self.readings.places(row):
            self.rejects.add(Rejected(place.line, _TAKEN, row.id, place.file))
            report.taken[place.file] += 1


@dataclass(slots=True)
class _Seen:
    """What orders tell of customers and products, when they are taken the oldest first."""

    joined: dict[str, datetime] = field(default_factory=dict)
    prices: dict[str, tuple[int, str, datetime]] = field(default_factory=dict)
    foreign_ids: set[str] = field(default_factory=set)
    without_lines: int = 0

    def take(self, order: NewOrder) -> None:
        self.joined.setdefault(order.username, order.placed_at)
        self.without_lines += not order.lines
        if order.foreign_id is not None:
            self.foreign_ids.add(order.foreign_id)
        for line in order.lines:
            price = line.unit_price_cents, order.currency, order.placed_at
            self.prices[line.product_id] = price

    def products(self, readings: Readings[Row]) -> list[ImportedProduct]:
        wanted = sorted(self.prices.keys() | set(readings.products))
        originals = readings.names.products
        described = (
            replace(readings.describe(product_id), external_id=originals.get(product_id))
            for product_id in wanted
        )
        return [self._priced(product) for product in described]

    def _priced(self, product: ImportedProduct) -> ImportedProduct:
        if product.id not in self.prices:
            return product
        cents, currency, placed_at = self.prices[product.id]
        return replace(product, price_cents=cents, currency=currency, priced_at=placed_at)


def in_chunks(things: Iterable[T], size: int) -> Iterator[list[T]]:
    """Split things into lists of ``size``, the last one shorter."""
    iterator = iter(things)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _by_category(products: Iterable[ImportedProduct]) -> Iterable[list[ImportedProduct]]:
    found: dict[NewCategory | None, list[ImportedProduct]] = {}
    for product in products:
        found.setdefault(product.category, []).append(product)
    return found.values()


def _put_changed(orders: Sequence[NewOrder]) -> list[OrderOutcome]:
    unchanged = unchanged_among(orders)
    changed = [order for order in orders if order.id not in unchanged]
    written = iter(put_orders(changed))
    return [OrderOutcome.KEPT if order.id in unchanged else next(written) for order in orders]
