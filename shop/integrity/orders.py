"""The check of orders: what is derived of each, the shards of the queue, and the counts.

`order_kinds` returns its parts. What interrupted imports leave is in `shop.integrity.large_orders`,
what else belongs to an order in `shop.integrity.order_parts`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dynapages.items import Item, table_key
from dynapages.lists import parse_timestamp
from dynapages.process import write_actions
from dynapages.pynamodb import unchanged, update
from dynapages.upkeep import Derived, Kind, Sums, texts_in
from dynapages.writes import Action
from shop import keys
from shop.integrity.large_orders import StrayLines, UnsettledOrders
from shop.integrity.order_parts import LostLines, OrderPointers
from shop.integrity.shards import ShardNumber, read_item
from shop.models import Order, OrderItem, ShopItem
from shop.order_status import OPEN, Status
from shop.orders.counts import CUSTOMER_PREFIX, customer_counter
from shop.orders.items import INDEX_KEYS, TAIL, StatusChange, derived_keys, summary_of, tail_keys_of
from shop.table import OPEN_ORDERS, QUEUE, counters_of, key_of, set_or_remove

ORDERS = keys.USER_PREFIX, keys.ORDER_PREFIX
"""How the keys of orders begin."""
ORDERS_AND_LINES = "", keys.ORDER_PREFIX
SUMMARY = Order.summary.attr_name


def order_kinds() -> Sequence[Kind]:
    """Return lines and pointers, what is derived of orders, the queue's shards, and counts."""
    return (
        StrayLines(),
        UnsettledOrders(),
        LostLines(),
        OrderPointers(),
        _index_keys(),
        _numbers(),
        _summaries(),
        ShardNumber("the queue", ORDERS, _shard_in_queue, OPEN_ORDERS.count, OPEN_ORDERS.raise_to),
        _counts_of_customers(),
        _counts_of_queue(),
    )


def order_id_of(order: Item) -> str:
    """Return the id of an order or of a line from its sort key."""
    return key_of(order)[1].removeprefix(keys.ORDER_PREFIX)


def counter_name_in(shard: Item) -> str:
    """Return the name of the counter that an item is a shard of."""
    return str(shard["pk"]["S"].removeprefix(keys.COUNTER_PREFIX).rpartition("#")[0])


def _subject(order: Item) -> str:
    return f"order {order_id_of(order)}"


# Keys in indexes


def _index_keys() -> Derived:
    """Return the comparison of orders' keys in the indexes with their statuses."""
    return Derived(
        "keys",
        starts=ORDERS,
        subject=_subject,
        read=read_item,
        write=write_actions,
        names=INDEX_KEYS,
        derive=_derived_keys,
        actions=_key_actions,
    )


def _derived_keys(item: Item) -> dict[str, str]:
    """Return the keys that an order should have, from its last status and its date."""
    order = Order.from_raw_data(dict(item))
    return derived_keys(
        order_id=order_id_of(item),
        now_in=StatusChange(Status(order.status), parse_timestamp(order.history[-1].at)),
        placed_at=parse_timestamp(order.placed_at),
        shard=int(order.shard),
    )


def _key_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update of an order's keys in the indexes, unless it was moved meanwhile."""
    changes = set_or_remove(Order, INDEX_KEYS, expected)
    # An order that was moved meanwhile has other keys by now.
    same = unchanged(item, Order.status, Order.history)
    return [update(Order, table_key(*key_of(item)), changes, same)]


# The number that staff find an order by


def _numbers() -> Derived:
    """Return the comparison of the keys by which staff find an order by the end of its id."""
    return Derived(
        "number",
        starts=ORDERS_AND_LINES,
        subject=_subject,
        read=read_item,
        write=write_actions,
        names=TAIL,
        derive=tail_keys_of,
        actions=_number_actions,
    )


def _number_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update of an order's item or line that lacks the ``expected`` `TAIL`."""
    same = unchanged(item, ShopItem.pk, OrderItem.data_partition)
    changes = set_or_remove(OrderItem, TAIL, expected)
    return [update(OrderItem, table_key(*key_of(item)), changes, same)]


# Summaries


def _summaries() -> Derived:
    """Return the comparison of orders' summaries, which lists show, with their lines."""
    return Derived(
        "summary",
        starts=ORDERS,
        subject=_subject,
        read=read_item,
        write=write_actions,
        names=[SUMMARY],
        derive=_derived_summary,
        actions=_summary_actions,
    )


def _derived_summary(order: Item) -> Mapping[str, str]:
    """Return the stored summary; of an order that has none, one made from its first line."""
    stored = texts_in(order, [SUMMARY])
    line_count = int(order[Order.line_count.attr_name]["N"])
    if stored or line_count == 0:
        return stored
    order_id = order_id_of(order)
    line = read_item((keys.item(order_id, 1), keys.order(order_id)))  # which never changes
    if line is None:
        return {}
    return {SUMMARY: summary_of(line[OrderItem.name.attr_name]["S"], products=line_count)}


def _summary_actions(order: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update that adds a missing summary."""
    # A summary never changes: only one that is missing is written.
    still_missing = Order.line_count.exists() & Order.summary.does_not_exist()
    changes = [Order.summary.set(expected[SUMMARY])]
    return [update(Order, table_key(*key_of(order)), changes, still_missing)]


# Counts


def _counts_of_customers() -> Sums:
    """Return the comparison of each customer's counts by status with the orders."""
    return Sums(
        shards=(keys.COUNTER_PREFIX + CUSTOMER_PREFIX, ""),
        name_in=counter_name_in,
        items=ORDERS,
        cells=_customer_cells,
        counters=counters_of,
        subject=_customer_subject,
        spread_subject=_customer_spread_subject,
        count=_count_orders_of_customer,
        write=write_actions,
    )


def _customer_cells(order: Item) -> Iterable[tuple[str, str]]:
    """Return the counter and the cell that an order counts in: its customer's, by status."""
    username = keys.username_in(order["pk"]["S"])
    return [(customer_counter(username), order["status"]["S"])]


def _customer_subject(counter: str) -> str:
    return f"customer {counter.removeprefix(CUSTOMER_PREFIX)}"


def _customer_spread_subject(counter: str) -> str:
    return f"counts of {_customer_subject(counter)}"


def _count_orders_of_customer(counter: str) -> Mapping[str, int]:
    """Count a customer's orders by status, strongly, by one Query."""
    orders = Order.query(
        keys.user(counter.removeprefix(CUSTOMER_PREFIX)),
        Order.sk.startswith(keys.ORDER_PREFIX),
        consistent_read=True,
        attributes_to_get=[Order.status.attr_name],
    )
    return Counter(order.status for order in orders)


def _counts_of_queue() -> Sums:
    """Return how to compare, and to correct, the stored counts of open orders by status."""
    return Sums(
        shards=(keys.counter(QUEUE, 0)["pk"], ""),
        name_in=counter_name_in,
        items=ORDERS,
        cells=_queue_cells,
        counters=counters_of,
        subject=_queue_subject,
        spread_subject=_queue_spread_subject,
        count=_count_queue,
        write=write_actions,
    )


def _queue_cells(order: Item) -> Iterable[tuple[str, str]]:
    """Return the counter and the cell that an order counts in while it is open."""
    if not _is_open(order):
        return []
    return [(QUEUE, order["status"]["S"])]


def _queue_subject(_counter: str) -> str:
    return "the queue"


def _queue_spread_subject(_counter: str) -> str:
    return "counts of the queue"


def _count_queue(_counter: str) -> Mapping[str, int]:
    """Count open orders by an index, which may be a moment behind."""
    counts: Counter[str] = Counter()
    for shard in range(OPEN_ORDERS.count()):
        for status in OPEN:
            counts[status.value] += Order.queue.count(keys.open_shard(status, shard))
    return counts


def _shard_in_queue(order: Item) -> int | None:
    """Return the shard of an open order in the queue's index, None for a closed one."""
    return int(order["shard"]["N"]) if _is_open(order) else None


def _is_open(order: Item) -> bool:
    return Status(order["status"]["S"]).is_open
