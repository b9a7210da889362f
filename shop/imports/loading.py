"""The second pass of an import: writes products, customers and orders that were read.

Orders whose foreign id belongs to another order are rejected before anything else is written, so
that they have no effect. Another writer may still be faster: then they are rejected last. What is
stored is read in batches, which is much faster than conditional writes that fail.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from dynamo.calls.batches import in_chunks
from dynamo.calls.client import pool
from dynamo.files.records import Rejected, RejectsFile
from dynamo.upkeep.pace import Progress
from shop import keys
from shop.accounts.services import ensure_profile
from shop.catalogue.items import NewCategory
from shop.imports.orders import ImportedOrder
from shop.imports.products import (
    Catalogue,
    ImportedProduct,
    Outcome,
    Update,
    category_named,
    put_products,
)
from shop.imports.survey import OrdersFound
from shop.orders.bulk import OrderOutcome, put_orders
from shop.orders.items import NewOrder, derived_keys, imported_order_id
from shop.orders.queries import NoSuchOrder, owner_of
from shop.table import read_items

ORDERS_AT_A_TIME = 500
"""Their customers are written in parallel; use one where the engine bears no concurrency."""
READ_AT_A_TIME = 1_000
_TAKEN = "the shop has another order with this id, of another customer or placed at another time"


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
class Load:
    """Writes what was read, and rejects orders that are taken."""

    found: OrdersFound
    rejects: RejectsFile
    progress: Progress

    def run(self, *, update: Update, orders_at_a_time: int = ORDERS_AT_A_TIME) -> LoadReport:
        """Write everything. Repeatable; raises what `put_products` and `put_orders` do."""
        report = LoadReport()
        orders, seen = self._free_orders(report), _Seen()
        for one in orders:
            seen.add(one.order)
        products = seen.products(self.found)
        report.without_items, report.users = seen.without_lines, len(seen.joined)
        names = self.found.names
        report.mapped = len(names.users.keys() & seen.joined.keys())
        report.mapped += len(names.orders.keys() & seen.foreign_ids)
        report.mapped += sum(product.external_id is not None for product in products)
        self._put_products(products, update, report)
        self._put_users(seen.joined, report)
        self._put_orders(orders, orders_at_a_time, report)
        return report

    def _free_orders(self, report: LoadReport) -> list[ImportedOrder]:
        free: list[ImportedOrder] = []
        for some in in_chunks(self.found.orders, READ_AT_A_TIME):
            taken = _taken_among([one.order for one in some])
            for one in some:
                if one.order.id in taken:
                    self._reject(one, report)
                else:
                    free.append(one)
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
                report.users_created += _ensure_users(
                    {name: joined[name] for name in some}, self.found.names.users
                )
                advance(len(some))

    def _put_orders(
        self, orders: Sequence[ImportedOrder], at_a_time: int, report: LoadReport
    ) -> None:
        # The oldest first, so that purchases point to the latest order.
        with self.progress.step("Orders", total=len(orders), unit="") as advance:
            for some in in_chunks(orders, at_a_time):
                outcomes = _put_changed([one.order for one in some])
                for one, outcome in zip(some, outcomes, strict=True):
                    if outcome is OrderOutcome.TAKEN:
                        self._reject(one, report)
                report.orders.update(outcomes)
                advance(len(some))

    def _reject(self, order: ImportedOrder, report: LoadReport) -> None:
        for row in order.rows:
            self.rejects.add(Rejected(row.line, _TAKEN, order.id, row.file))
            report.taken[row.file] += 1


@dataclass(slots=True)
class _Seen:
    """What orders tell of customers and products, when they are added the oldest first."""

    joined: dict[str, datetime] = field(default_factory=dict)
    prices: dict[str, tuple[int, str, datetime]] = field(default_factory=dict)
    foreign_ids: set[str] = field(default_factory=set)
    without_lines: int = 0

    def add(self, order: NewOrder) -> None:
        self.joined.setdefault(order.username, order.placed_at)
        self.without_lines += not order.lines
        if order.foreign_id is not None:
            self.foreign_ids.add(order.foreign_id)
        for line in order.lines:
            price = line.unit_price_cents, order.currency, order.placed_at
            self.prices[line.product_id] = price

    def products(self, found: OrdersFound) -> list[ImportedProduct]:
        catalogue = found.catalogue or _catalogue_of(found.orders)
        originals = found.names.products
        described = (
            replace(catalogue.describe(product_id), external_id=originals.get(product_id))
            for product_id in sorted({*self.prices, *catalogue.listed})
        )
        return [self._priced(product) for product in described]

    def _priced(self, product: ImportedProduct) -> ImportedProduct:
        if product.id not in self.prices:
            return product
        cents, currency, placed_at = self.prices[product.id]
        return replace(product, price_cents=cents, currency=currency, priced_at=placed_at)


def _catalogue_of(orders: Iterable[ImportedOrder]) -> Catalogue:
    """Return what the lines tell of products; a later order's name and category win."""
    found: dict[str, ImportedProduct] = {}
    for line in (line for one in orders for line in one.lines):
        before = found.get(line.product_id)
        is_named = bool(line.name) or (before is not None and before.is_named)
        earlier = before.category if before else None
        category = category_named(line.category) if line.category else earlier
        name = line.name or (before.name if before else line.called)
        found[line.product_id] = ImportedProduct(line.product_id, name, is_named, category)
    return Catalogue((), found.__getitem__)


def _by_category(products: Iterable[ImportedProduct]) -> Iterable[list[ImportedProduct]]:
    found: dict[NewCategory | None, list[ImportedProduct]] = {}
    for product in products:
        found.setdefault(product.category, []).append(product)
    return found.values()


def _put_changed(orders: Sequence[NewOrder]) -> list[OrderOutcome]:
    unchanged = _unchanged_among(orders)
    changed = [order for order in orders if order.id not in unchanged]
    written = iter(put_orders(changed))
    return [OrderOutcome.KEPT if order.id in unchanged else next(written) for order in orders]


def _unchanged_among(orders: Sequence[NewOrder]) -> set[str]:
    """Return the ids of the orders that are stored in the same status since the same moment."""
    found = read_items((keys.user(order.username), keys.order(order.id)) for order in orders)
    stored = {key: item["order_status_date"]["S"] for (_, key), item in found.items()}
    return {
        order.id for order in orders if stored.get(keys.order(order.id)) == _status_date_of(order)
    }


def _taken_among(orders: Sequence[NewOrder]) -> set[str]:
    """Return the ids of the orders that are stored otherwise.

    These are those whose foreign id belongs to another order, and those that kept an id of this
    shop which is that of an order of another customer.
    """
    wanted = {keys.foreign(order.foreign_id): order for order in orders if order.foreign_id}
    found = read_items((key, key) for key in wanted)
    taken = {
        wanted[key].id
        for (key, _), item in found.items()
        if item["order_id"]["S"] != wanted[key].id
    }
    kept = [order for order in orders if not _is_derived(order)]
    elsewhere = pool().gather([partial(_is_of_another, order) for order in kept])
    return taken | {order.id for order, is_taken in zip(kept, elsewhere, strict=True) if is_taken}


def _is_derived(order: NewOrder) -> bool:
    foreign_id = order.foreign_id
    return foreign_id is not None and order.id == imported_order_id(order.placed_at, foreign_id)


def _is_of_another(order: NewOrder) -> bool:
    try:
        return owner_of(order.id) != order.username
    except NoSuchOrder:
        return False


def _status_date_of(order: NewOrder) -> str:
    derived = derived_keys(
        order_id=order.id,
        status=order.now_in.status,
        entered_at=order.now_in.moment,
        placed_at=order.placed_at,
        shard=0,  # which the status date does not depend on
    )
    return derived["order_status_date"]


def _ensure_users(joined: Mapping[str, datetime], originals: Mapping[str, str]) -> int:
    """Create missing users, given when each joined; return how many were created. Repeatable.

    ``originals`` are the names before the import of those whose name was mapped.
    """
    missing = joined.keys() - _existing(joined)
    created = pool().gather(
        [
            partial(
                ensure_profile,
                username=username,
                joined_at=joined[username],
                external_id=originals.get(username),
            )
            for username in sorted(missing)
        ]
    )
    return sum(created)


def _existing(usernames: Mapping[str, datetime]) -> set[str]:
    found = read_items((keys.user(name), keys.profile(name)) for name in usernames)
    return {keys.username_in(partition) for partition, _ in found}
