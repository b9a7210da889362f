"""Reads of orders: lists, one order with its items, and who bought what."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Self

from dynapages.items import Item
from dynapages.lists import Order, Page, PageRequest, PageResult, Run, every_entry, first_reads_of
from dynapages.process import pool, read
from shop import keys
from shop.models import Order as StoredOrder
from shop.models import OrderPointer, Purchase, ShopItem
from shop.order_status import Status
from shop.orders.counts import read_customer_counts, read_queue_lengths_and_shards
from shop.orders.entries import LINES_AT_ONCE, OrderEntry, WholeOrder, entry_of, whole_order
from shop.orders.filters import OrderFilter, OrderPlan, plan_for_queue, plan_for_user
from shop.orders.ids import ID_LENGTH, LONGEST_ID, foreign_key
from shop.orders.items import line_keys
from shop.orders.refs import OrderRef
from shop.table import INVERTED, OPEN_ORDERS, key_of, read_for_page

MOST_ALIKE = 10
"""Orders with the same end of their id, or the same id elsewhere, of which staff choose one."""


class NoSuchOrder(LookupError):
    """There is no order with this id, or it is another customer's."""


@dataclass(frozen=True, slots=True)
class OrdersResult(PageResult[OrderEntry]):
    """A page of a list of orders, and the counts by status of the whole list if they were read."""

    plan: OrderPlan
    counts: Mapping[Status, int] = field(default_factory=dict)

    @classmethod
    def of(cls, page: Page, plan: OrderPlan) -> Self:
        """Build the result of a page, without counts."""
        return cls(tuple(entry_of(entry) for entry in page.entries), page, plan)


# Lists


def read_orders(username: str, chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of a user's orders and their counts, in one round."""
    with pool().together() as together:
        counts = together.start(read_customer_counts, username)
        return replace(list_orders(username, chosen, request), counts=counts.result())


def list_orders(username: str, chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of a user's orders, newest first (A2, A4, A5, A6, A8)."""
    plan = plan_for_user(username, chosen)
    page = read(plan.runs, request)
    return OrdersResult.of(page, plan)


def list_open_orders(chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of the shop's open orders, oldest first, of all customers (A7).

    With the number of shards come the counts, those of the whole queue.
    """
    counts: dict[Status, int] = {}

    def count() -> int:
        lengths, shards = read_queue_lengths_and_shards()
        counts.update(lengths)
        return shards

    # Queue and counts are read at once; again if there are more shards than were known.
    read_queue = partial(_list_queue, chosen, request)
    result = OPEN_ORDERS.read_all(read_queue, pool=pool(), count=count)
    return replace(result, counts=counts)


def _list_queue(chosen: OrderFilter, request: PageRequest, shards: int) -> OrdersResult:
    plan = plan_for_queue(chosen, shards=shards)
    # Orders are spread evenly over the shards of a status; any status may have the whole page.
    of_a_status = first_reads_of(request.size + 1, [1] * shards)
    first_reads = of_a_status * (len(plan.runs) // shards)
    page = read(plan.runs, request, order=Order.OLDEST_FIRST, first_reads=first_reads)
    return OrdersResult.of(page, plan)


# One order


def find_order(
    order_id: str,
    *,
    username: str | None = None,
    sees_all: Callable[[], bool] | None = None,
    first_line: int = 1,
) -> WholeOrder:
    """Read an order and `LINES_AT_ONCE` of its lines by its id alone, or by its foreign id (A3).

    With ``username`` only that customer's, unless ``sees_all`` returns True. The order is read
    strongly; another's takes a second round, and a third one if lines are left out behind those.
    Raises NoSuchOrder.
    """
    if not 0 < len(order_id) <= LONGEST_ID:
        raise NoSuchOrder(order_id)

    def sees_any() -> bool:
        # It is asked late: what it reads is only needed for orders of others.
        if sees_all is None:
            return username is None
        return sees_all()

    order = _find(order_id, username, sees_any, first_line)
    if order is None:
        order = _find_foreign(order_id, username, sees_any, first_line)
    if order is None:
        raise NoSuchOrder(order_id)
    return order


def stored_order(username: str, order_id: str) -> StoredOrder:
    """Read a customer's order as of the last write. Raises NoSuchOrder."""
    order = StoredOrder.find(keys.user(username), keys.order(order_id))
    if order is None:
        raise NoSuchOrder(order_id)
    return order


def orders_asked_about(username: str) -> Iterator[StoredOrder]:
    """Yield a user's orders that have a request for reviews, sent or still to come; strongly read.

    All orders of the user are read for it, at a unit for each 4 KB of them.
    """
    yield from StoredOrder.query(
        keys.user(username),
        StoredOrder.sk.startswith(keys.ORDER_PREFIX),
        filter_condition=StoredOrder.asks_at.exists(),
        consistent_read=True,
    )


def find_stored_order(ref: OrderRef) -> StoredOrder | None:
    """Read an order strongly; None where its customer has none with this id."""
    if ref.key is None:
        return None
    return StoredOrder.find(*ref.key)


def stored_orders(refs: Sequence[OrderRef]) -> dict[str, StoredOrder]:
    """Read orders strongly, by their ids; those that do not exist are left out.

    One round where each is its customer's. The customers of others are looked up, in one round, and
    these orders are read in a third.
    """
    orders = _stored_orders(refs)
    unknown = [order_id for order_id in _ids_of(refs) if order_id not in orders]
    owners = pool().map(find_owner, unknown)
    found: list[OrderRef] = []
    for order_id, owner in zip(unknown, owners, strict=True):
        if owner is not None:
            found.append(OrderRef(order_id, owner))
    return orders | _stored_orders(found)


def _stored_orders(refs: Iterable[OrderRef]) -> dict[str, StoredOrder]:
    """Read those orders that are their customers', in calls for 100 each at the same time."""
    order_keys = [ref.key for ref in refs if ref.key is not None]
    items = read_for_page(order_keys, consistent=True)
    orders: dict[str, StoredOrder] = {}
    for item in items:
        order = StoredOrder.from_raw_data(dict(item))
        orders[order.sk.removeprefix(keys.ORDER_PREFIX)] = order
    return orders


def _ids_of(refs: Iterable[OrderRef]) -> list[str]:
    """Return the ids, each once."""
    return list(dict.fromkeys(ref.id for ref in refs))


def owner_of(order_id: str) -> str:
    """Return the customer of an order. Raises NoSuchOrder."""
    owner = find_owner(order_id)
    if owner is None:
        raise NoSuchOrder(order_id)
    return owner


def find_owner(order_id: str) -> str | None:
    """Return the customer of an order, None where there is no such order."""
    if not 0 < len(order_id) <= LONGEST_ID:
        return None
    run = Run(index=INVERTED, partition=keys.order(order_id), prefix=keys.USER_PREFIX)
    entries = read([run], PageRequest(1), look_ahead=False).entries
    return entries[0].position.place if entries else None


# What a user bought


def products_bought_by(username: str) -> Iterator[str]:
    """Yield the ids of the products a user ever ordered, strongly read."""
    prefix = keys.bought(username, "")
    edges = Purchase.query(
        keys.user(username), Purchase.sk.startswith(prefix), consistent_read=True
    )
    for edge in edges:
        yield edge.sk.removeprefix(prefix)


# Orders by numbers that staff type


def pointers_to(foreign_id: str) -> list[OrderPointer]:
    """Return pointers to the orders with an id elsewhere: several if shops have the same ids."""
    whole: list[OrderPointer] = []
    prefixed: list[OrderPointer] = []
    for pointer in OrderPointer.query(foreign_key(foreign_id), limit=MOST_ALIKE):
        if pointer.pk == pointer.sk:
            whole.append(pointer)
        else:
            prefixed.append(pointer)
    return whole + prefixed


def orders_numbered(number: str) -> list[tuple[str, str]]:
    """Return the ids that are, or end in, what `parse_number` returned, with their customers (S3).

    A line leads to an order, whose customer is read as well.
    """
    order_ids: list[str] = []
    if len(number) == ID_LENGTH:
        order_ids = [number]
    elif len(number) >= keys.SHORT_ID:
        items = ShopItem.by_data.query(keys.tail(number), limit=MOST_ALIKE)
        order_ids = [item.sk.removeprefix(keys.ORDER_PREFIX) for item in items]
    orders: list[tuple[str, str]] = []
    for order_id in order_ids:
        if not order_id.endswith(number):  # more characters were typed than the index has
            continue
        owner = find_owner(order_id)
        if owner is not None:
            orders.append((order_id, owner))
    return orders


def orders_of(owners: Iterable[tuple[str, str]]) -> list[WholeOrder]:
    """Read orders by their ids and customers, without lines; unknown ones are left out."""
    order_keys = [(keys.user(owner), keys.order(order_id)) for order_id, owner in owners]
    orders: list[WholeOrder] = []
    for item in read_for_page(order_keys):
        stored = StoredOrder.from_raw_data(dict(item))
        orders.append(whole_order(stored, lines=()))
    return sorted(orders, key=attrgetter("id"))


# Lines of an order


def every_line(order: StoredOrder) -> list[Item]:
    """Read all lines of an order of any length, at half a unit for about 20 of them."""
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    run = Run(index=INVERTED, partition=order.sk, prefix=keys.ITEM_PREFIX)
    walk = partial(read, [run], order=Order.OLDEST_FIRST)
    lines = [entry.item for entry in every_entry(walk, at_once=10 * LINES_AT_ONCE)]
    return _complete(lines, order_id=order_id, numbers=range(1, int(order.line_count) + 1))


def first_lines(order: StoredOrder) -> list[Item]:
    """Read the lines of an order, the first `LINES_AT_ONCE` of a large one, by one call."""
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    run = Run(index=INVERTED, partition=order.sk, prefix=keys.ITEM_PREFIX)
    page = read([run], PageRequest(LINES_AT_ONCE), order=Order.OLDEST_FIRST, look_ahead=False)
    items = [entry.item for entry in page.entries]
    last_line = min(LINES_AT_ONCE, int(order.line_count))
    return _complete(items, order_id=order_id, numbers=range(1, last_line + 1))


def _find(
    order_id: str, username: str | None, sees_any: Callable[[], bool], first_line: int
) -> WholeOrder | None:
    """Read an order by its own id, and some of its lines; None if it may not be seen."""
    # The order's own item is behind those of its lines.
    since = keys.item(order_id, first_line)
    run = Run(index=INVERTED, partition=keys.order(order_id), since=since)
    request = PageRequest(LINES_AT_ONCE + 1)
    with pool().together() as together:
        own = together.start(_stored, username, order_id)
        page = read([run], request, order=Order.OLDEST_FIRST, look_ahead=False)
        items = [entry.item for entry in page.entries]
        stored = own.result()
        if stored is None and items and sees_any():
            owner = _owner_among(items) or find_owner(order_id)
            stored = _stored(owner, order_id)
    if stored is None:
        return None
    last_line = min(first_line + LINES_AT_ONCE - 1, int(stored.line_count))
    # Of the items that were read, the order's own is none of the lines: it is left out by its key.
    lines = _complete(items, order_id=order_id, numbers=range(first_line, last_line + 1))
    return whole_order(stored, lines, first_line=first_line, page=page)


def _stored(username: str | None, order_id: str) -> StoredOrder | None:
    if not username:
        return None
    return StoredOrder.find(keys.user(username), keys.order(order_id))


def _owner_among(items: Iterable[Item]) -> str | None:
    """Return the customer of the order that is among its lines, if it is."""
    for item in items:
        if _is_order(item):
            return keys.username_in(item["pk"]["S"])
    return None


def _find_foreign(
    foreign_id: str, username: str | None, sees_any: Callable[[], bool], first_line: int
) -> WholeOrder | None:
    """Read the order that a foreign id leads to; None without exactly one that may be seen."""
    pointers = pointers_to(foreign_id)
    visible = [pointer for pointer in pointers if pointer.username == username]
    if not visible and pointers and sees_any():
        visible = pointers
    if len(visible) != 1:  # none, or those of two shops
        return None
    (pointer,) = visible
    return _find(pointer.order_id, pointer.username, sees_any, first_line)


def _complete(items: Sequence[Item], *, order_id: str, numbers: Sequence[int]) -> list[Item]:
    """Return the lines with these numbers, strongly read unless an index has all of them."""
    required = line_keys(order_id, numbers)
    by_key = {key_of(item): item for item in items}
    if by_key.keys() >= set(required):
        # An interrupted import may have left further ones, which are no lines of this order.
        return [by_key[key] for key in required]
    return sorted(read_for_page(required, consistent=True), key=key_of)


def _is_order(item: Item) -> bool:
    partition: str = item["pk"]["S"]
    return partition.startswith(keys.USER_PREFIX)
