"""Reads of orders: lists, one order with its items, and who bought what."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from dynapages.items import Item
from dynapages.lists import Order, Page, PageRequest, PageResult, Run, every_entry
from dynapages.process import pool, read
from shop import keys
from shop.models import Order as StoredOrder
from shop.models import OrderPointer, Purchase, ShopItem
from shop.order_status import Status
from shop.orders.counts import read_customer_counts, read_queue_lengths_and_shards
from shop.orders.entries import LINES_AT_ONCE, OrderEntry, WholeOrder, entry_of, whole_order
from shop.orders.filters import OrderFilter, OrderPlan, plan_for_queue, plan_for_user
from shop.orders.ids import ID_LENGTH, foreign_key
from shop.table import INVERTED, OPEN_ORDERS, key_of, read_for_page, share_of

LONGEST_ID = 200
MOST_ALIKE = 10
"""Orders with the same end of their id, or the same id elsewhere, of which staff choose one."""


class NoSuchOrder(LookupError):
    """There is no order with this id, or it is another customer's."""


@dataclass(frozen=True, slots=True)
class OrdersResult(PageResult[OrderEntry]):
    """A page of a list of orders, and the counts by status of the whole list if they were read."""

    plan: OrderPlan
    counts: Mapping[Status, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundOrder:
    """An order, and the page of the index that found it."""

    order: WholeOrder
    page: Page


def read_orders(username: str, chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of a user's orders and their counts, in one round."""
    with pool().together() as together:
        counts = together.start(partial(read_customer_counts, username))
        return replace(list_orders(username, chosen, request), counts=counts.result())


def list_orders(username: str, chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of a user's orders, newest first (A2, A4, A5, A6, A8)."""
    plan = plan_for_user(username, chosen)
    page = read(plan.runs, request)
    return OrdersResult(tuple(entry_of(entry) for entry in page.entries), page, plan)


def list_open_orders(chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of the shop's open orders, oldest first, of all customers (A7).

    With the number of shards come the counts, those of the whole queue.
    """
    counts: dict[Status, int] = {}

    def count() -> int:
        lengths, shards = read_queue_lengths_and_shards()
        counts.update(lengths)
        return shards

    found = OPEN_ORDERS.read_all(partial(_list_queue, chosen, request), pool=pool(), count=count)
    return replace(found, counts=counts)


def _list_queue(chosen: OrderFilter, request: PageRequest, shards: int) -> OrdersResult:
    plan = plan_for_queue(chosen, shards=shards)
    share = share_of(request.size + 1, shards)
    page = read(plan.runs, request, order=Order.OLDEST_FIRST, first_reads=[share] * len(plan.runs))
    return OrdersResult(tuple(entry_of(entry) for entry in page.entries), page, plan)


def find_order(
    order_id: str,
    *,
    username: str | None = None,
    sees_all: Callable[[], bool] | None = None,
    first_line: int = 1,
) -> FoundOrder:
    """Read an order and `LINES_AT_ONCE` of its lines by its id alone, or by its foreign id (A3).

    With ``username`` only that customer's, unless ``sees_all`` returns True. The order is read
    strongly; another's takes a second round, and a third one if lines are left out behind those.
    Raises NoSuchOrder.
    """
    if not 0 < len(order_id) <= LONGEST_ID:
        raise NoSuchOrder(order_id)
    is_any = sees_all or (lambda: username is None)
    found = _find(order_id, username, is_any, first_line)
    found = found or _find_foreign(order_id, username, is_any, first_line)
    if found is None:
        raise NoSuchOrder(order_id)
    return found


def stored_order(username: str, order_id: str) -> StoredOrder:
    """Read a customer's order as of the last write. Raises NoSuchOrder."""
    order = StoredOrder.find(keys.user(username), keys.order(order_id))
    if order is None:
        raise NoSuchOrder(order_id)
    return order


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


def has_bought(username: str, product_id: str) -> bool:
    """Return whether a user ever ordered a product: one read, half a unit."""
    key = keys.bought(username, product_id)
    return Purchase.find(keys.user(username), key, consistent_read=False) is not None


def products_bought_by(username: str) -> Iterator[str]:
    """Yield the ids of the products a user ever ordered, strongly read."""
    prefix = keys.bought(username, "")
    edges = Purchase.query(
        keys.user(username), Purchase.sk.startswith(prefix), consistent_read=True
    )
    for edge in edges:
        yield edge.sk.removeprefix(prefix)


def pointers_to(foreign_id: str) -> list[OrderPointer]:
    """Return pointers to the orders with an id elsewhere: several if shops have the same ids."""
    found = OrderPointer.query(foreign_key(foreign_id), limit=MOST_ALIKE)
    return sorted(found, key=lambda pointer: pointer.pk != pointer.sk)


def orders_numbered(number: str) -> list[tuple[str, str]]:
    """Return the ids that are, or end in, what `number_in` returned, with their customers (S3).

    A line leads to an order, whose customer is read as well.
    """
    order_ids = [number] if len(number) == ID_LENGTH else []
    if keys.SHORT_ID <= len(number) < ID_LENGTH:
        found = ShopItem.by_data.query(keys.tail(number), limit=MOST_ALIKE)
        order_ids = [item.sk.removeprefix(keys.ORDER_PREFIX) for item in found]
    named = [order_id for order_id in order_ids if order_id.endswith(number)]
    return [(order_id, owner) for order_id in named if (owner := find_owner(order_id))]


def orders_of(owners: Iterable[tuple[str, str]]) -> list[WholeOrder]:
    """Read orders by their ids and customers, without lines; unknown ones are left out."""
    found = read_for_page((keys.user(owner), keys.order(order_id)) for order_id, owner in owners)
    orders = [whole_order(StoredOrder.from_raw_data(dict(item)), ()) for item in found]
    return sorted(orders, key=lambda order: order.id)


def every_line(order: StoredOrder) -> list[Item]:
    """Read all lines of an order of any length, at half a unit for about 20 of them."""
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    run = Run(index=INVERTED, partition=order.sk, prefix=keys.ITEM_PREFIX)
    walk = partial(read, [run], order=Order.OLDEST_FIRST)
    lines = [entry.item for entry in every_entry(walk, at_once=10 * LINES_AT_ONCE)]
    return _complete(lines, order_id=order_id, numbers=range(1, int(order.line_count) + 1))


def _find(
    order_id: str, username: str | None, sees_all: Callable[[], bool], first_line: int
) -> FoundOrder | None:
    # The order's own item is behind those of its lines.
    since = keys.item(order_id, first_line)
    run = Run(index=INVERTED, partition=keys.order(order_id), since=since)
    request = PageRequest(LINES_AT_ONCE + 1)
    with pool().together() as together:
        own = together.start(partial(_stored, username, order_id))
        page = read([run], request, order=Order.OLDEST_FIRST, look_ahead=False)
        items = [entry.item for entry in page.entries]
        stored = own.result()
        if stored is None and items and sees_all():
            owners = (keys.username_in(item["pk"]["S"]) for item in items if _is_order(item))
            stored = _stored(next(owners, None) or find_owner(order_id), order_id)
    if stored is None:
        return None
    count = int(stored.line_count)
    numbers = range(first_line, min(first_line + LINES_AT_ONCE, count + 1))
    lines = [item for item in items if not _is_order(item)][:LINES_AT_ONCE]
    lines = _complete(lines, order_id=order_id, numbers=numbers)
    return FoundOrder(whole_order(stored, lines, first_line=first_line), page)


def _stored(username: str | None, order_id: str) -> StoredOrder | None:
    return StoredOrder.find(keys.user(username), keys.order(order_id)) if username else None


def _find_foreign(
    foreign_id: str, username: str | None, sees_all: Callable[[], bool], first_line: int
) -> FoundOrder | None:
    pointers = pointers_to(foreign_id)
    own = [pointer for pointer in pointers if pointer.username == username]
    if not own and pointers and sees_all():
        own = pointers
    if len(own) != 1:  # none, or those of two shops
        return None
    (pointer,) = own
    return _find(pointer.order_id, pointer.username, sees_all, first_line)


def _complete(lines: Sequence[Item], *, order_id: str, numbers: Sequence[int]) -> list[Item]:
    """Return the lines with these numbers, strongly read unless an index has all of them."""
    line_keys = [(keys.item(order_id, number), keys.order(order_id)) for number in numbers]
    by_key = {key_of(line): line for line in lines}
    if all(key in by_key for key in line_keys):
        # An interrupted import may have left further ones.
        return [by_key[key] for key in line_keys]
    return sorted(read_for_page(line_keys, consistent=True), key=key_of)


def _is_order(item: Item) -> bool:
    partition: str = item["pk"]["S"]
    return partition.startswith(keys.USER_PREFIX)
