"""An import of orders: the first pass checks every row, the second writes.

Nothing is written when a file is missing or unreadable. Importing again is idempotent. Orders whose
foreign id belongs to another order are rejected before anything else is written, or last where
another writer was faster.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from dynapages.calls import in_chunks
from dynapages.django.forecasts import writing_forecast
from dynapages.django.options import Progress
from dynapages.files.records import Rejected
from dynapages.files.rejects import RejectsFile
from dynapages.files.reports import RowCounts
from dynapages.process import pool
from shop import keys
from shop.accounts.services import ensure_profile
from shop.catalogue.content import NewCategory
from shop.data.imported_products import (
    ImportedProduct,
    Outcome,
    Update,
    catalogue_of_lines,
    products_of_orders,
    put_products,
)
from shop.data.orders import ImportedOrder
from shop.data.survey import OrderFiles, SurveyResult, read_order_files
from shop.models import Order
from shop.orders.ids import foreign_key, imported_order_id
from shop.orders.importing import OrderOutcome, put_orders
from shop.orders.items import NewOrder, status_date
from shop.orders.queries import find_owner
from shop.table import read_items

ORDERS_AT_A_TIME = 500
"""Their customers are written in parallel."""
READ_AT_A_TIME = 1_000
_ID_IN_USE = (
    "the shop has another order with this id, of another customer or placed at another time: "
    "--id-prefix tells the ids of two shops apart"
)
Batch = TypeVar("Batch", bound=Sequence[Any])
Reject = Callable[[Rejected], object]
OpenFiles = Callable[[Reject], OrderFiles]
"""Returns the files, and calls a function with rows that are rejected until then."""


@dataclass(slots=True)
class ImportResult:
    """What was found, the numbers of rows of each file, and what became of them.

    A trial leaves the rest at nothing. ``mapped`` is the number of orders, customers and products
    whose id or name could not be kept.
    """

    survey: SurveyResult
    files: dict[str, RowCounts]
    is_trial: bool = False
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
    update: Update,
    is_trial: bool,
    announces: bool = False,
) -> ImportResult:
    """Write the orders of files with their customers and products; a trial writes nothing.

    Signals of orders are sent if it ``announces`` them.
    Raises FileUnreadable, BadMapping and RejectsUnwritable before anything is written, and what
    `dynapages.writes.transactions` and `dynapages.calls.batches` raise.
    """
    with rejects:
        files = open_files(rejects.add)
        survey = read_order_files(files, reject=rejects.add, progress=progress)
        result = ImportResult(survey, survey.counts, is_trial)
        if survey.amounts.hint and not is_trial:
            progress.say(survey.amounts.hint)
        if not is_trial:
            load = _Load(rejects, progress, result)
            load.run(update, announces=announces)
    if files.catalogue is not None:  # Olist's files are known by their stems, packed or not
        result.files = {name.partition(".")[0]: counts for name, counts in result.files.items()}
    return result


@dataclass(frozen=True, slots=True)
class _Load:
    """Writes what was read, and rejects orders that are taken. Repeatable."""

    rejects: RejectsFile
    progress: Progress
    result: ImportResult

    def run(self, update: Update, *, announces: bool) -> None:
        """Write everything. Raises what `put_products` and `put_orders` do."""
        survey = self.result.survey
        orders = list(self._free_orders())
        products = products_of_orders(
            orders,
            survey.catalogue or catalogue_of_lines(survey.orders),
            originals=survey.names.products_before | survey.names.products,
        )
        # The oldest order of a customer comes first, and tells when they joined.
        joined: dict[str, datetime] = {}
        for imported in orders:
            joined.setdefault(imported.order.username, imported.order.placed_at)
        self._count(orders, products, joined)
        # Orders come last: what they lead to is there before they are.
        self._put_products(products, update)
        self._put_users(joined)
        self._put_orders(orders, announces=announces)

    def _count(
        self,
        orders: Sequence[ImportedOrder],
        products: Iterable[ImportedProduct],
        joined: Mapping[str, datetime],
    ) -> None:
        """Note how many customers, mapped ids and orders without items there are."""
        result, names = self.result, self.result.survey.names
        result.users = len(joined)
        # What was rejected since is not counted.
        result.mapped = len(names.users.keys() & joined.keys())
        for imported in orders:
            if not imported.order.lines:
                result.without_items += 1
            if imported.order.foreign_id in names.orders:
                result.mapped += 1
        for product in products:
            if product.id in names.products:
                result.mapped += 1

    def _put_products(self, products: Sequence[ImportedProduct], update: Update) -> None:
        """Put products that are missing, and change stored ones as far as ``update`` allows."""
        # Category by category: the front page shows complete ones.
        by_category: dict[NewCategory | None, list[ImportedProduct]] = {}
        for product in products:
            by_category.setdefault(product.category, []).append(product)
        for some in self._advancing("Products", by_category.values(), len(products)):
            self.result.products += put_products(some, update)

    def _put_users(self, joined: Mapping[str, datetime]) -> None:
        """Create the customers that are missing, who joined at these moments."""
        names = self.result.survey.names
        originals = names.users_before | names.users
        chunks = in_chunks(sorted(joined), READ_AT_A_TIME)
        for usernames in self._advancing("Customers", chunks, len(joined)):
            some = {username: joined[username] for username in usernames}
            self.result.users_created += _ensure_users(some, originals)

    def _put_orders(self, orders: Sequence[ImportedOrder], *, announces: bool) -> None:
        """Put orders, some at a time, and reject those whose id is in use."""
        # The oldest first, so that purchases point to the latest order.
        chunks = in_chunks(orders, ORDERS_AT_A_TIME)
        forecast = writing_forecast(self.progress)
        written = 0
        for chunk in self._advancing("Orders", chunks, len(orders)):
            outcomes = _put_changed([one.order for one in chunk], announces=announces)
            self.result.orders.update(outcomes)
            written += len(chunk)
            forecast.note(written, len(orders), noun="orders")
            for imported, outcome in zip(chunk, outcomes, strict=True):
                if outcome is OrderOutcome.ID_IN_USE:
                    self._reject(imported)

    def _advancing(self, label: str, batches: Iterable[Batch], total: int) -> Iterator[Batch]:
        """Yield batches, and move a progress bar behind each."""
        with self.progress.step(label, total=total, unit="") as advance:
            for batch in batches:
                yield batch
                advance(len(batch))

    def _free_orders(self) -> Iterator[ImportedOrder]:
        """Yield the orders whose ids are no other order's, and reject the others."""
        for some in in_chunks(self.result.survey.orders, READ_AT_A_TIME):
            in_use = _with_ids_of_others([imported.order for imported in some])
            for imported in some:
                if imported.order.id in in_use:
                    self._reject(imported)
                else:
                    yield imported

    def _reject(self, imported: ImportedOrder) -> None:
        for row in imported.rows:
            self.rejects.add(Rejected(row.line, _ID_IN_USE, imported.id, row.file))
            self.result.files[row.file].rejected += 1


def _put_changed(orders: Sequence[NewOrder], *, announces: bool) -> list[OrderOutcome]:
    """Put orders, but those that are stored, settled, in the same status since the same moment."""
    # A read costs a fraction of a transaction that is refused.
    stored = read_items(order.key for order in orders)
    changed: list[NewOrder] = []
    for order in orders:
        item = stored.get(order.key)
        is_same = (
            item is not None
            and Order.unsettled.attr_name not in item
            and item["order_status_date"]["S"] == status_date(order.id, order.now_in)
        )
        if not is_same:
            changed.append(order)
    outcomes = dict.fromkeys([order.id for order in orders], OrderOutcome.UNCHANGED)
    written = put_orders(changed, announces=announces)
    for order, outcome in zip(changed, written, strict=True):
        outcomes[order.id] = outcome
    return [outcomes[order.id] for order in orders]


def _with_ids_of_others(orders: Sequence[NewOrder]) -> set[str]:
    """Return the ids of orders whose foreign id, or kept id, belongs to another order."""
    by_pointer: dict[str, NewOrder] = {}
    for order in orders:
        if order.foreign_id:
            by_pointer[foreign_key(order.foreign_id)] = order
    in_use: set[str] = set()
    for (pointer, _), item in read_items((key, key) for key in by_pointer).items():
        order = by_pointer[pointer]
        if item["order_id"]["S"] != order.id:
            in_use.add(order.id)
    # The id of an export of this shop may be that of another customer's order.
    not_derived = [order for order in orders if not _is_derived(order)]
    owners = pool().map(find_owner, [order.id for order in not_derived])
    for order, owner in zip(not_derived, owners, strict=True):
        if owner not in {None, order.username}:
            in_use.add(order.id)
    return in_use


def _is_derived(order: NewOrder) -> bool:
    """Return whether an order's id follows from its id elsewhere: no other order has it."""
    foreign_id = order.foreign_id
    return foreign_id is not None and order.id == imported_order_id(order.placed_at, foreign_id)


def _ensure_users(joined: Mapping[str, datetime], originals: Mapping[str, str]) -> int:
    """Create missing users, given when each joined; return how many were created. Repeatable.

    ``originals`` are the names before the import of those whose name was mapped.
    """
    stored = read_items((keys.user(name), keys.profile(name)) for name in joined)
    missing = joined.keys() - {keys.username_in(partition) for partition, _ in stored}

    def ensure(username: str) -> bool:
        return ensure_profile(
            username=username,
            joined_at=joined[username],
            external_id=originals.get(username),
        )

    return sum(pool().map(ensure, sorted(missing)))
