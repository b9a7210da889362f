"""Does the table hold what its writes promise? Order keys are derived again, counts recounted.

Reads the whole table once, so it is for a command and never for a page. Orders may be placed and
moved meanwhile: what looks wrong of an order or a customer is read again, strongly, before it is
called a difference. The queue's length has nothing smaller to be read again by; when it moves
during the check, that is said instead.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.lists.places import parse_timestamp
from dynamo.upkeep.differences import difference, differing
from dynamo.upkeep.integrity import Difference, every_item
from dynamo.writes.counters import cells_in
from dynamo.writes.transactions import write_together
from shop import keys
from shop.models import Order, ShopItem
from shop.order_status import OPEN, Status
from shop.orders.actions import SPARSE_KEYS
from shop.orders.counts import CUSTOMER_PREFIX, QUEUE, cells_of, counter_of, settle
from shop.orders.items import derived_keys
from shop.orders.shards import count_shards, raise_shards

DERIVED = ("order_status_date", *SPARSE_KEYS)
TABLE = ShopItem.Meta.table_name
ATTEMPTS = 5


@dataclass(slots=True)
class _Seen:
    """What one reading of the table has seen."""

    orders: dict[str, Counter[str]] = field(default_factory=dict)
    counters: dict[str, Counter[str]] = field(default_factory=dict)
    shards: int = 1
    suspects: list[Order] = field(default_factory=list)

    def take(self, item: Item) -> None:
        partition = item["pk"]["S"]
        if item["sk"]["S"].startswith(keys.ORDER_PREFIX) and partition.startswith(keys.USER_PREFIX):
            self._take_order(keys.username_in(partition), Order.from_raw_data(dict(item)))
        elif partition.startswith(keys.COUNTER_PREFIX):
            name = keys.counter_in(partition)
            self.counters.setdefault(name, Counter()).update(cells_in(item))

    def _take_order(self, username: str, order: Order) -> None:
        self.orders.setdefault(username, Counter())[order.status] += 1
        if Status(order.status).is_open:
            self.shards = max(self.shards, int(order.shard) + 1)
        if _stored_keys(order) != _expected_keys(order):
            self.suspects.append(order)


def order_differences() -> Iterator[Difference]:
    """Compare every order's keys, every customer's counts, the queue's length and its shards.

    What is found can be mended; that fails for what has changed since, which is then to be
    checked again.
    """
    length_before = cells_of(QUEUE)
    seen = _Seen()
    for item in every_item(client(), TABLE):
        seen.take(item)
    for order in seen.suspects:
        yield from _check_order(order.pk, order.sk)
    yield from _check_shards(seen.shards)
    yield from _check_customers(seen)
    yield from _check_queue(seen, length_before)


def _check_order(partition: str, sort_key: str) -> Iterator[Difference]:
    order = Order.get(partition, sort_key, consistent_read=True)
    stored, expected = _stored_keys(order), _expected_keys(order)
    if stored != expected:
        yield difference(
            "keys",
            f"order {sort_key.removeprefix(keys.ORDER_PREFIX)}",
            *differing(stored, expected),
            repair=partial(_rewrite_keys, order, expected),
        )


def _check_shards(needed: int) -> Iterator[Difference]:
    stored = count_shards()
    if stored < needed:
        yield difference(
            "shards",
            "the queue",
            {"number": stored},
            {"number": needed},
            repair=partial(raise_shards, needed),
        )


def _check_customers(seen: _Seen) -> Iterator[Difference]:
    names = {counter_of(username) for username in seen.orders}
    names |= {name for name in seen.counters if name.startswith(CUSTOMER_PREFIX)}
    for name in sorted(names):
        username = name.removeprefix(CUSTOMER_PREFIX)
        if seen.orders.get(username, Counter()) == seen.counters.get(name, Counter()):
            continue
        stored, counted = _recounted(username)
        yield from _counts_differ(f"customer {username}", name, stored, counted)


def _check_queue(seen: _Seen, length_before: Mapping[str, int]) -> Iterator[Difference]:
    stored = cells_of(QUEUE)
    counted: Counter[str] = Counter()
    for statuses in seen.orders.values():
        counted.update({status: n for status, n in statuses.items() if Status(status) in OPEN})
    if stored == length_before:
        yield from _counts_differ("the queue", QUEUE, stored, counted)
    elif stored != counted:
        yield Difference("counts", "the queue", "moving", "to be checked while no order moves")


def _counts_differ(
    subject: str, name: str, stored: Mapping[str, int], counted: Mapping[str, int]
) -> Iterator[Difference]:
    wrong, right = differing(stored, counted, missing=0)
    if wrong:
        yield difference("counts", subject, wrong, right, repair=partial(settle, name, right))


def _recounted(username: str) -> tuple[dict[str, int], dict[str, int]]:
    """Read a customer's counts, and count their orders, at a moment when nothing moves."""
    name = counter_of(username)
    for _ in range(ATTEMPTS):
        before = cells_of(name)
        counted = Counter(
            order.status
            for order in Order.query(
                keys.user(username),
                Order.sk.startswith(keys.ORDER_PREFIX),
                consistent_read=True,
                attributes_to_get=["status"],
            )
        )
        if cells_of(name) == before:
            break
    return before, dict(counted)


def _stored_keys(order: Order) -> dict[str, str]:
    found = {name: getattr(order, name) for name in DERIVED}
    return {name: value for name, value in found.items() if value is not None}


def _expected_keys(order: Order) -> dict[str, str]:
    return derived_keys(
        order_id=order.sk.removeprefix(keys.ORDER_PREFIX),
        status=Status(order.status),
        entered_at=parse_timestamp(order.history[-1].at),
        placed_at=parse_timestamp(order.placed_at),
        shard=int(order.shard),
    )


def _rewrite_keys(order: Order, expected: Mapping[str, str]) -> None:
    removed = [name for name in DERIVED if name not in expected]
    removal = f" REMOVE {', '.join(removed)}" if removed else ""
    update: dict[str, Any] = {
        "TableName": TABLE,
        "Key": {"pk": {"S": order.pk}, "sk": {"S": order.sk}},
        "UpdateExpression": f"SET {', '.join(f'{n} = :{n}' for n in expected)}{removal}",
        "ConditionExpression": "#status = :status AND size(history) = :steps",
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {
            **{f":{name}": {"S": value} for name, value in expected.items()},
            ":status": {"S": order.status},
            ":steps": {"N": str(len(order.history))},
        },
    }
    write_together(client(), [{"Update": update}])
