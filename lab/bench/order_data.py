"""The orders that are measured: those of one busy customer, and a long queue of open ones.

Made from a seed, as `lab.bench.comment_data` makes comments. The orders have no lines, which lists
do not read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from django.conf import settings

from dynamo.items import Item, table_key
from dynamo.lists.places import place_of, timestamp
from dynamo.lists.runs import Position
from dynamo.writes.shards import SHARDS
from lab.bench.comment_data import SPAN, START, weighted
from shop import keys
from shop.models import ShopItem
from shop.order_status import OPEN, Status
from shop.orders.counts import deltas_of
from shop.orders.filters import OrderFilter
from shop.orders.ids import imported_order_id
from shop.orders.items import NewOrder, StatusChange, order_items_of
from shop.table import OPEN_ORDERS

CUSTOMER = "bench"
OTHERS = 30_000
LONGEST_STEP = timedelta(days=20)
STATUSES = {
    Status.DELIVERED: 78,
    Status.SHIPPED: 8,
    Status.CANCELED: 6,
    Status.RETURNED: 4,
    Status.PROCESSING: 2,
    Status.APPROVED: 1,
    Status.PLACED: 1,
}
"""Weights of the statuses of the customer's orders."""
QUEUED = {Status.PLACED: 30, Status.APPROVED: 20, Status.PROCESSING: 50}
"""Weights of the statuses of the open orders of all others."""


@dataclass(frozen=True, slots=True)
class OrderData:
    """Orders of one customer, and open ones of others, the same for the same seed."""

    of_customer: int
    queued: int
    seed: int = 2_024
    model: type[ShopItem] = ShopItem

    @property
    def name(self) -> str:
        return f"orders-{self.of_customer}-{self.queued}"

    @property
    def count(self) -> int:
        return self.of_customer + self.queued

    def items(self) -> Iterator[Item]:
        """Yield the orders' items, the counts of the customer and the queue, and the shards."""
        rng = Random(self.seed)  # noqa: S311 - repeatable data, nothing secret
        cells: dict[str, Counter[str]] = {}
        for order in self.orders():
            item, belongings = order_items_of(order, shard=rng.randrange(settings.ORDER_SHARDS))
            yield from (one.serialize() for one in (item, *belongings))
            deltas = deltas_of(order.username, left=None, entered=order.now_in.status)
            for name, changes in deltas.items():
                cells.setdefault(name, Counter()).update(changes)
        for name, counts in cells.items():
            numbers = {cell: {"N": str(number)} for cell, number in counts.items()}
            yield {**table_key(**keys.counter(name, 0)), **numbers}
        yield {
            **table_key(**keys.shards(OPEN_ORDERS.name)),
            SHARDS: {"N": str(settings.ORDER_SHARDS)},
        }

    def orders(self) -> Iterator[NewOrder]:
        """Yield the orders, in no order of time."""
        rng = Random(self.seed)  # noqa: S311 - the same
        own, queued = weighted(STATUSES), weighted(QUEUED)
        for number in range(self.count):
            is_own = number < self.of_customer
            placed = START + SPAN * rng.random()
            status = (own if is_own else queued)(rng)
            entered = placed + LONGEST_STEP * rng.random()
            yield NewOrder(
                id=imported_order_id(placed, f"{self.seed}-{number}"),
                username=CUSTOMER if is_own else f"customer-{rng.randrange(OTHERS)}",
                placed_at=placed,
                lines=(),
                history=_history(placed, status, entered),
                currency="EUR",
            )


class OrderAnswers:
    """The right answer for every list, from the orders themselves."""

    def __init__(self, orders: Iterable[NewOrder]) -> None:
        self._orders = list(orders)

    def of_customer(self, chosen: OrderFilter) -> list[Position]:
        """Return the positions of a list of the customer's orders, newest first.

        Days narrow only lists of statuses here.
        """
        own = [order for order in self._orders if order.username == CUSTOMER]
        if not chosen.statuses:
            return [Position(order_id) for order_id in sorted((o.id for o in own), reverse=True)]
        places = [
            place_of(order.now_in.moment, order.id)
            for order in own
            if order.now_in.status in chosen.statuses
        ]
        return [
            Position(place) for place in sorted(places, reverse=True) if _is_within(place, chosen)
        ]

    def queue(self, statuses: Sequence[Status]) -> list[Position]:
        """Return the positions of the queue, oldest first."""
        found = [
            Position(place_of(order.placed_at, order.id), order.username)
            for order in self._orders
            if order.now_in.status in (statuses or OPEN)
        ]
        return sorted(found, key=lambda position: position.place)


def _is_within(place: str, chosen: OrderFilter) -> bool:
    since, until = chosen.since_moment, chosen.until_moment
    return (since is None or place >= timestamp(since)) and (
        until is None or place < timestamp(until)
    )


def _history(placed: datetime, status: Status, entered: datetime) -> tuple[StatusChange, ...]:
    first = StatusChange(Status.PLACED, placed)
    return (first,) if status is Status.PLACED else (first, StatusChange(status, entered))
