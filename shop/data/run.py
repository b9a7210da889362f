"""An import of orders: the first pass checks every row, the second writes.

Nothing is written when a file is missing or unreadable. Importing again is idempotent. Orders whose
foreign id belongs to another order are rejected before anything else is written, or last where
another writer was faster.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from dynapages.calls import in_chunks
from dynapages.django.options import Progress
from dynapages.files.records import Rejected
from dynapages.files.rejects import RejectsFile
from dynapages.process import pool
from shop import keys
from shop.accounts.services import ensure_profile
from shop.catalogue.content import NewCategory
from shop.data.orders import ImportedOrder
from shop.data.survey import (
    Catalogue,
    FileCounts,
    ImportedProduct,
    OrderFiles,
    OrdersFound,
    Outcome,
    Update,
    category_named,
    put_products,
    survey,
)
from shop.models import Order
from shop.order_status import Status
from shop.orders.ids import foreign_key, imported_order_id
from shop.orders.importing import OrderOutcome, put_orders
from shop.orders.items import NewOrder, status_date
from shop.orders.queries import find_owner
from shop.table import read_items

ORDERS_AT_A_TIME = 500
"""Their customers are written in parallel; use one where the engine bears no concurrency."""
READ_AT_A_TIME = 1_000
_TAKEN = (
    "the shop has another order with this id, of another customer or placed at another time: "
    "--id-prefix tells the ids of two shops apart"
)
Some = TypeVar("Some", bound=Sequence[Any])
OpenFiles = Callable[[Callable[[Rejected], object]], OrderFiles]
"""Returns the files, and calls a function with rows that are rejected until then."""


@dataclass(slots=True)
class ImportReport:
    """What was found, the numbers of rows of each file, and what became of them.

    A trial leaves the rest at nothing. ``mapped`` is the number of orders, customers and products
    whose id or name could not be kept.
    """

    found: OrdersFound
    files: dict[str, FileCounts]
    orders: Counter[OrderOutcome] = field(default_factory=Counter)
    products: Counter[Outcome] = field(default_factory=Counter)
    without_items: int = 0
    users: int = 0
    users_created: int = 0
    mapped: int = 0


def import_orders(
    open_files: OpenFiles,
    *,
    rejects: RejectsFile,
    progress: Progress,
    orders_at_a_time: int,
    update: Update,
    is_trial: bool,
    announces: bool = False,
) -> ImportReport:
    """Write the orders of files with their customers and products; a trial writes nothing.

    Signals of orders are sent if it ``announces`` them.
    Raises FileUnreadable, BadMapping and RejectsUnwritable before anything is written, and what
    `dynapages.writes.transactions` and `dynapages.calls.batches` raise.
    """
    with rejects:
        files = open_files(rejects.add)
        found = survey(files, reject=rejects.add, progress=progress)
        report = ImportReport(found, found.counts)
        if not is_trial:
            _Load(rejects, progress, report).run(update, orders_at_a_time, announces=announces)
    if files.catalogue is not None:  # Olist's files are known by their stems, packed or not
        report.files = {name.partition(".")[0]: n for name, n in report.files.items()}
    return report


@dataclass(frozen=True, slots=True)
class _Load:
    """Writes what was read, and rejects orders that are taken. Repeatable."""

    rejects: RejectsFile
    progress: Progress
    report: ImportReport

    def run(self, update: Update, orders_at_a_time: int, *, announces: bool) -> None:
        """Write everything. Raises what `put_products` and `put_orders` do."""
        report, names = self.report, self.report.found.names
        orders = list(self._free_orders())
        products = _products_of(orders, report.found)
        # The oldest order of a customer comes first, and tells when they joined.
        joined = {one.order.username: one.order.placed_at for one in reversed(orders)}
        report.without_items = sum(not one.order.lines for one in orders)
        report.users = len(joined)
        report.mapped = len(names.users.keys() & joined.keys())
        report.mapped += len(names.orders.keys() & {one.order.foreign_id for one in orders})
        report.mapped += sum(product.id in names.products for product in products)
        # Category by category: the front page shows complete ones.
        shelves: dict[NewCategory | None, list[ImportedProduct]] = {}
        for product in products:
            shelves.setdefault(product.category, []).append(product)
        for some in self._advancing("Products", shelves.values(), len(products)):
            report.products += put_products(some, update)
        for usernames in self._advancing(
            "Customers", in_chunks(sorted(joined), READ_AT_A_TIME), len(joined)
        ):
            report.users_created += _ensure_users(
                {name: joined[name] for name in usernames}, names.users_before | names.users
            )
        # The oldest first, so that purchases point to the latest order.
        chunks = in_chunks(orders, orders_at_a_time)
        for chunk in self._advancing("Orders", chunks, len(orders)):
            outcomes = _put_changed([one.order for one in chunk], announces=announces)
            report.orders.update(outcomes)
            for one, outcome in zip(chunk, outcomes, strict=True):
                if outcome is OrderOutcome.TAKEN:
                    self._reject(one)

    def _advancing(self, label: str, batches: Iterable[Some], total: int) -> Iterator[Some]:
        with self.progress.step(label, total=total, unit="") as advance:
            for some in batches:
                yield some
                advance(len(some))

    def _free_orders(self) -> Iterator[ImportedOrder]:
        for some in in_chunks(self.report.found.orders, READ_AT_A_TIME):
            taken = _taken_among([one.order for one in some])
            for one in some:
                if one.order.id in taken:
                    self._reject(one)
                else:
                    yield one

    def _reject(self, order: ImportedOrder) -> None:
        for row in order.rows:
            self.rejects.add(Rejected(row.line, _TAKEN, order.id, row.file))
            self.report.files[row.file].rejected += 1


def _products_of(orders: Iterable[ImportedOrder], found: OrdersFound) -> list[ImportedProduct]:
    """Return the products of files and of orders, with their prices in the latest order."""
    prices = {
        line.product_id: (line.unit_price_cents, one.order.currency, one.order.placed_at)
        for one in orders
        for line in one.order.lines
    }
    catalogue = found.catalogue or _catalogue_of(found.orders)
    originals = found.names.products_before | found.names.products
    products: list[ImportedProduct] = []
    for product_id in sorted({*prices, *catalogue.listed}):
        cents, currency, priced_at = prices.get(product_id, (None, None, None))
        products.append(
            replace(
                catalogue.describe(product_id),
                price_cents=cents,
                currency=currency,
                priced_at=priced_at,
                external_id=originals.get(product_id),
            )
        )
    return products


def _catalogue_of(orders: Iterable[ImportedOrder]) -> Catalogue:
    """Return what the lines tell of products; a later order's name and category win."""
    found: dict[str, ImportedProduct] = {}
    for line in (line for one in orders for line in one.lines):
        before = found.get(line.product_id)
        named = line.listed_as or line.name
        is_named = bool(named) or (before is not None and before.is_named)
        earlier = before.category if before else None
        category = category_named(line.category) if line.category else earlier
        name = named or (before.name if before else line.called)
        found[line.product_id] = ImportedProduct(line.product_id, name, is_named, category)
    return Catalogue((), found.__getitem__)


def _put_changed(orders: Sequence[NewOrder], *, announces: bool) -> list[OrderOutcome]:
    """Put orders, but those that are stored, settled, in the same status since the same moment."""
    found = read_items((keys.user(order.username), keys.order(order.id)) for order in orders)
    stored = {
        key: item["order_status_date"]["S"]
        for (_, key), item in found.items()
        if Order.unsettled.attr_name not in item
    }
    unchanged = {
        o.id for o in orders if stored.get(keys.order(o.id)) == status_date(o.id, o.now_in)
    }
    others = [order for order in orders if order.id not in unchanged]
    written = iter(put_orders(others, announces=announces))
    return [OrderOutcome.KEPT if order.id in unchanged else next(written) for order in orders]


def _taken_among(orders: Sequence[NewOrder]) -> set[str]:
    """Return the ids of orders whose foreign id, or kept id, belongs to another order."""
    wanted = {foreign_key(order.foreign_id): order for order in orders if order.foreign_id}
    found = read_items((key, key) for key in wanted)
    taken = {
        wanted[key].id
        for (key, _), item in found.items()
        if item["order_id"]["S"] != wanted[key].id
    }
    kept = [order for order in orders if not _is_derived(order)]
    owners = pool().gather([partial(find_owner, order.id) for order in kept])
    owned = zip(kept, owners, strict=True)
    return taken | {order.id for order, owner in owned if owner not in {None, order.username}}


def _is_derived(order: NewOrder) -> bool:
    foreign_id = order.foreign_id
    return foreign_id is not None and order.id == imported_order_id(order.placed_at, foreign_id)


def _ensure_users(joined: Mapping[str, datetime], originals: Mapping[str, str]) -> int:
    """Create missing users, given when each joined; return how many were created. Repeatable.

    ``originals`` are the names before the import of those whose name was mapped.
    """
    found = read_items((keys.user(name), keys.profile(name)) for name in joined)
    missing = joined.keys() - {keys.username_in(partition) for partition, _ in found}
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


def counts_of(report: ImportReport) -> dict[str, Any]:
    """Return the figures of an import, as ``--json`` prints them."""
    found, statuses = report.found, report.found.statuses
    return {
        "files": {
            stem: {**asdict(counts), "read": counts.read} for stem, counts in report.files.items()
        },
        "orders": {
            "created": report.orders[OrderOutcome.CREATED],
            "updated": report.orders[OrderOutcome.UPDATED],
            "unchanged": report.orders[OrderOutcome.KEPT],
            "without_items": report.without_items,
        },
        "statuses": {status.value: statuses[status] for status in Status},
        "users": {"named": report.users, "created": report.users_created},
        "products": report.products.total(),
        "products_created": report.products[Outcome.CREATED],
        "products_updated": report.products[Outcome.UPDATED],
        "mapped": report.mapped,
        "dated_by_month": found.dated_by_month,
        "returned_lines": found.returned_lines,
        "orders_of_returns": found.orders_of_returns,
        "decimal_found": found.decimal_found,
    }


def prose_of(report: ImportReport) -> str:
    """Return the sentences that an import prints."""
    counts = counts_of(report)
    lines = [
        *_rows(report),
        "Orders: {created:,} created, {updated:,} updated, {unchanged:,} unchanged; "
        "{without_items:,} of them without items.".format_map(counts["orders"]),
        "Customers: {named:,}, of whom {created:,} are new.".format_map(counts["users"]),
        "Products: {products:,}; {products_created:,} of them are new, "
        "{products_updated:,} updated.".format_map(counts),
    ]
    if report.mapped:
        lines.append(f"Ids and names that were mapped: {report.mapped:,}.")
    return "\n".join([*lines, *_remarks(report.found)])


def trial_of(report: ImportReport, rejects: RejectsFile) -> str:
    """Return what a trial prints: rows, orders by status, and the first rejected rows."""
    statuses = [
        f"{number:,} {status.value}" for status, number in sorted(report.found.statuses.items())
    ]
    lines = [*_rows(report), f"Orders: {', '.join(statuses) or 'none'}. Nothing was written."]
    lines += _remarks(report.found)
    if rejects.count:
        lines += ["The first rejected rows:", *rejects.first()]
    return "\n".join(lines)


def _rows(report: ImportReport) -> list[str]:
    return [
        f"{name}: {counts.rows:,} rows, {counts.read:,} read, {counts.rejected:,} rejected"
        + (f", {counts.skipped:,} skipped." if counts.skipped else ".")
        for name, counts in report.files.items()
    ]


def _remarks(found: OrdersFound) -> Iterator[str]:
    if number := found.dated_by_month:
        yield f"Orders dated to the first of a month, because a date has no day: {number:,}."
    if mark := found.decimal_found:
        yield f"Unclear amounts were read as the others, with decimals after “{mark}”."
    if found.returned_lines:
        others = f"orders that have no others: {found.orders_of_returns:,}"
        yield f"Returned lines, which were skipped: {found.returned_lines:,}; {others}."
