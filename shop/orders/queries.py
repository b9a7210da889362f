"""Reads of orders: lists, one order with its items, and who bought what."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from dynamo.calls.client import pool
from dynamo.items import Item
from dynamo.lists.reader import Order, Page, PageRequest, PageResult, read
from dynamo.lists.runs import Run
from dynamo.writes.counters import share_of
from shop import keys
from shop.models import Order as StoredOrder
from shop.models import OrderPointer, ShopItem
from shop.order_status import Status
from shop.orders.access_patterns import OrderPlan, plan_for_queue, plan_for_user
from shop.orders.actions import counts_of, queue_lengths
from shop.orders.entries import OrderEntry, WholeOrder, entry_of, whole_order
from shop.orders.filters import OrderFilter
from shop.orders.items import MOST_LINES
from shop.table import INVERTED, OPEN_ORDERS, key_of, read_for_page

LONGEST_ID = 200


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
        counts = together.start(partial(counts_of, username))
        return replace(list_orders(username, chosen, request), counts=counts.result())


def read_queue(chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of the queue and its lengths, in one round."""
    with pool().together() as together:
        lengths = together.start(queue_lengths)
        return replace(list_open_orders(chosen, request), counts=lengths.result())


def list_orders(username: str, chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of a user's orders, newest first (A2, A4, A5, A6, A8)."""
    plan = plan_for_user(username, chosen)
    page = read(plan.runs, request)
    return OrdersResult(tuple(entry_of(entry) for entry in page.entries), page, plan)


def list_open_orders(chosen: OrderFilter, request: PageRequest) -> OrdersResult:
    """Read a page of the shop's open orders, oldest first, of all customers (A7)."""
    return OPEN_ORDERS.read_all(partial(_list_queue, chosen, request))


def _list_queue(chosen: OrderFilter, request: PageRequest, shards: int) -> OrdersResult:
    plan = plan_for_queue(chosen, shards=shards)
    share = share_of(request.size + 1, shards)
    page = read(plan.runs, request, order=Order.OLDEST_FIRST, first_reads=[share] * len(plan.runs))
    return OrdersResult(tuple(entry_of(entry) for entry in page.entries), page, plan)


def find_order(
    order_id: str, *, username: str | None = None, sees_all: Callable[[], bool] | None = None
) -> FoundOrder:
    """Read an order and its lines by its id alone, or by its foreign id (A3).

    With ``username`` only that customer's, unless ``sees_all`` returns True. The order is read
    strongly; another's takes a second round. Raises NoSuchOrder.
    """
    if not 0 < len(order_id) <= LONGEST_ID:
        raise NoSuchOrder(order_id)
    is_any = sees_all or (lambda: username is None)
    found = _find(order_id, username, is_any) or _find_foreign(order_id, username, is_any)
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
    if not 0 < len(order_id) <= LONGEST_ID:
        raise NoSuchOrder(order_id)
    run = Run(index=INVERTED, partition=keys.order(order_id), prefix=keys.USER_PREFIX)
    entries = read([run], PageRequest(1), look_ahead=False).entries
    if not entries:
        raise NoSuchOrder(order_id)
    username: str = entries[0].position.place
    return username


def has_bought(username: str, product_id: str) -> bool:
    """Return whether a user ever ordered a product: one read, half a unit."""
    key = keys.user(username), keys.bought(username, product_id)
    return ShopItem.find(*key, consistent_read=False) is not None


def products_bought_by(username: str) -> Iterator[str]:
    """Yield the ids of the products a user ever ordered, strongly read."""
    prefix = keys.bought(username, "")
    edges = ShopItem.query(
        keys.user(username), ShopItem.sk.startswith(prefix), consistent_read=True
    )
    for edge in edges:
        yield edge.sk.removeprefix(prefix)


def _find(order_id: str, username: str | None, sees_all: Callable[[], bool]) -> FoundOrder | None:
    run = Run(index=INVERTED, partition=keys.order(order_id))
    with pool().together() as together:
        own = together.start(partial(_stored, username, order_id))
        page = read([run], PageRequest(MOST_LINES + 1), order=Order.OLDEST_FIRST, look_ahead=False)
        items = [entry.item for entry in page.entries]
        stored = own.result()
        if stored is None and sees_all():
            owners = (keys.username_in(item["pk"]["S"]) for item in items if _is_order(item))
            stored = _stored(next(owners, None), order_id)
    if stored is None:
        return None
    lines = [item for item in items if not _is_order(item)]
    lines = _complete(lines, order_id=order_id, count=int(stored.line_count))
    return FoundOrder(whole_order(stored, lines), page)


def _stored(username: str | None, order_id: str) -> StoredOrder | None:
    return StoredOrder.find(keys.user(username), keys.order(order_id)) if username else None


def _find_foreign(
    foreign_id: str, username: str | None, sees_all: Callable[[], bool]
) -> FoundOrder | None:
    key = keys.foreign(foreign_id)
    pointer = OrderPointer.find(key, key, consistent_read=False)
    if pointer is None or (username != pointer.username and not sees_all()):
        return None
    return _find(pointer.order_id, pointer.username, sees_all)


def _complete(lines: Sequence[Item], *, order_id: str, count: int) -> list[Item]:
    if len(lines) == count:
        return list(lines)
    # The index does not have all of them yet.
    numbers = range(1, count + 1)
    wanted = [(keys.item(order_id, number), keys.order(order_id)) for number in numbers]
    return sorted(read_for_page(wanted, consistent=True), key=key_of)


def _is_order(item: Item) -> bool:
    partition: str = item["pk"]["S"]
    return partition.startswith(keys.USER_PREFIX)
