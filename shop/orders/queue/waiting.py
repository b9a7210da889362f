"""What waits in the queue: how many orders are in each open status, and since when the oldest."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from dynapages.lists import Order, PageRequest
from dynapages.process import pool, read
from shop.order_status import OPEN, Status
from shop.orders.counts import read_queue_lengths_and_shards
from shop.orders.filters import OrderFilter, plan_for_queue
from shop.orders.queries import OrdersResult
from shop.table import OPEN_ORDERS


@dataclass(frozen=True, slots=True)
class WaitingOrders:
    """The open orders of a status: how many, and when the oldest was placed, None without any."""

    status: Status
    count: int
    since: datetime | None


def read_waiting() -> list[WaitingOrders]:
    """Read what waits in each open status, in one round.

    It takes half a unit for each status and shard of the queue, and what its counter costs.
    Eventually consistent: a count and its oldest order may be of different moments.
    """
    counts: dict[Status, int] = {}

    def count() -> int:
        lengths, shards = read_queue_lengths_and_shards()
        counts.update(lengths)
        return shards

    # The oldest and the counts are read at once; again if there are more shards than were known.
    oldest = OPEN_ORDERS.read_all(_oldest_of_each, pool=pool(), count=count)
    return [WaitingOrders(status, counts[status], oldest[status]) for status in OPEN]


def _oldest_of_each(shards: int) -> Mapping[Status, datetime | None]:
    oldest = pool().map(partial(_oldest_in, shards=shards), OPEN)
    return dict(zip(OPEN, oldest, strict=True))


def _oldest_in(status: Status, *, shards: int) -> datetime | None:
    """Return when the oldest order of a status was placed."""
    plan = plan_for_queue(OrderFilter(statuses=(status,)), shards=shards)
    page = read(plan.runs, PageRequest(1), order=Order.OLDEST_FIRST, look_ahead=False)
    for order in OrdersResult.of(page, plan).items:
        return order.placed
    return None
