"""The check of orders: keys and summaries, the counts of customers and of the queue, its shards.

Counts that look wrong are compared again while they stand still: a customer's with the orders, the
queue's length with the index ``queue``, which may be a moment behind.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from dynamo.items import Item
from dynamo.lists.places import parse_timestamp
from dynamo.upkeep.counters import spread_hints
from dynamo.upkeep.differences import Suspect, confirmed, difference, differing, suspected
from dynamo.upkeep.integrity import Difference
from dynamo.writes.counters import cells_in
from shop import keys
from shop.integrity.comparing import IndexKeys, too_few_shards, write
from shop.integrity.summaries import lacks_summary, summary_changes
from shop.models import Order
from shop.order_status import OPEN, Status
from shop.orders.actions import DERIVED
from shop.orders.counts import CUSTOMER_PREFIX, cells_of, counter_of
from shop.orders.items import derived_keys
from shop.table import OPEN_ORDERS, QUEUE, Key, correct_sums, counters_of, key_of, read_items

ATTEMPTS = 5


class OrderCheck:
    """Compares orders' keys and summaries, customers' counts, the queue's length and its shards."""

    def __init__(self) -> None:
        self._keys = order_keys()
        self._without_summary: list[Key] = []
        self._counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._stored: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._shards = 1
        self._spread: list[Difference] = []

    def takers(self) -> Mapping[tuple[str, str], Callable[[Item], None]]:
        return {
            (keys.USER_PREFIX, keys.ORDER_PREFIX): self._take_order,
            (keys.COUNTER_PREFIX + CUSTOMER_PREFIX, ""): self._take_share,
            (keys.counter(QUEUE, 0)["pk"], ""): self._take_queue,
        }

    def differences(self) -> Iterator[Difference]:
        yield from self._keys.differences(write)
        yield from _missing_summaries(self._without_summary)
        yield from too_few_shards(
            "the queue", OPEN_ORDERS.count(), self._shards, OPEN_ORDERS.raise_to
        )
        for name in sorted(self._counted.keys() | self._stored.keys()):
            if self._counted[name] != self._stored[name]:
                username = name.removeprefix(CUSTOMER_PREFIX)
                yield from _look(f"customer {username}", name, partial(_count_orders, username))
        yield from confirmed(self._suspected_queue())
        yield from self._spread

    def _take_order(self, item: Item) -> None:
        order = Order.from_raw_data(dict(item))
        self._counted[counter_of(keys.username_in(order.pk))][order.status] += 1
        if Status(order.status).is_open:
            self._shards = max(self._shards, int(order.shard) + 1)
        self._keys.take(item)
        if lacks_summary(item):
            self._without_summary.append(key_of(item))

    def _take_share(self, item: Item) -> None:
        name = keys.counter_in(item["pk"]["S"])
        self._stored[name].update(cells_in(item))
        subject = f"counts of customer {name.removeprefix(CUSTOMER_PREFIX)}"
        self._spread += spread_hints(counters_of(name), name, item, subject)

    def _take_queue(self, item: Item) -> None:
        self._spread += spread_hints(counters_of(QUEUE), QUEUE, item, "counts of the queue")

    def _suspected_queue(self) -> Iterator[Suspect]:
        sums = sum(self._counted.values(), Counter[str]())
        counted = {status.value: sums[status.value] for status in OPEN}
        found = _counts_differ("the queue", QUEUE, cells_of(QUEUE), counted)
        yield from suspected(found, partial(_look, "the queue", QUEUE, _count_queue))


def order_keys() -> IndexKeys:
    """Compare the index keys of orders."""
    return IndexKeys(
        kind="keys",
        model=Order,
        names=DERIVED,
        source=(Order.status, Order.history),
        derive=_derived_keys,
        order_in=lambda item: str(item["sk"]["S"]).removeprefix(keys.ORDER_PREFIX),
    )


def _missing_summaries(table_keys: Iterable[Key]) -> Iterator[Difference]:
    for key in table_keys:
        item = read_items([key]).get(key)
        if item is not None and (actions := summary_changes(item)):
            name = f"order {key[1].removeprefix(keys.ORDER_PREFIX)}"
            sides: tuple[Any, Any] = {"summary": "missing"}, {"summary": "the first line's"}
            yield difference("summary", name, *sides, repair=partial(write, actions))


def _look(subject: str, name: str, count: Callable[[], Mapping[str, int]]) -> Iterator[Difference]:
    """Compare a counter with what is counted while it stays the same; busy where it never does."""
    for _ in range(ATTEMPTS):
        stored = cells_of(name)
        counted = count()
        if cells_of(name) == stored:
            yield from _counts_differ(subject, name, stored, counted)
            return
    yield Difference.busy("counts", subject)


def _counts_differ(
    subject: str, name: str, stored: Mapping[str, int], counted: Mapping[str, int]
) -> Iterator[Difference]:
    wrong, right = differing(stored, counted, missing=0)
    if wrong:
        repair = partial(correct_sums, name, stored, right)
        yield difference("counts", subject, wrong, right, repair=repair)


def _count_orders(username: str) -> Mapping[str, int]:
    orders = Order.query(
        keys.user(username),
        Order.sk.startswith(keys.ORDER_PREFIX),
        consistent_read=True,
        attributes_to_get=[Order.status.attr_name],
    )
    return Counter(order.status for order in orders)


def _count_queue() -> Mapping[str, int]:
    shards = range(OPEN_ORDERS.count())
    return {
        status.value: sum(Order.queue.count(keys.open_shard(status, n)) for n in shards)
        for status in OPEN
    }


def _derived_keys(item: Item, _shards: int) -> dict[str, str]:
    order = Order.from_raw_data(dict(item))
    return derived_keys(
        order_id=order.sk.removeprefix(keys.ORDER_PREFIX),
        status=Status(order.status),
        entered_at=parse_timestamp(order.history[-1].at),
        placed_at=parse_timestamp(order.placed_at),
        shard=int(order.shard),
    )
