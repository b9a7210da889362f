"""The access patterns of lists of orders, and the choice among them (docs/orders.md).

A range of days is a range of each run, in the same index, bounded by the run's status.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from dynapages.lists import Index, Position, Run, id_at, timestamp
from shop import keys
from shop.models import Order
from shop.order_status import OPEN
from shop.orders.filters import OrderFilter
from shop.orders.items import id_bound
from shop.table import BY_KEY, TABLE_NAME


def _sort_key(position: Position) -> dict[str, str]:
    return {"sk": keys.order(id_at(position.place))}


BY_STATUS = Index(
    TABLE_NAME,
    Order.by_status.Meta.index_name,
    partition="pk",
    sort="order_status_date",
    table_key=_sort_key,
)
BY_OPEN_DATE = Index(
    TABLE_NAME,
    Order.open_by_date.Meta.index_name,
    partition="pk",
    sort="order_open_date",
    table_key=_sort_key,
    consistent=True,
)
QUEUE = Index(
    TABLE_NAME,
    Order.queue.Meta.index_name,
    partition="open_shard",
    sort="open_place",
    table_key=lambda position: {"pk": keys.user(position.rest), **_sort_key(position)},
    rest_of=lambda item: keys.username_in(item["pk"]["S"]),
)
"""The place in the queue has the order's id; the rest of the table key is the customer."""


def _runs(
    index: Index,
    username: str,
    chosen: OrderFilter,
    prefixes: Iterable[str],
    *,
    place_at: Callable[[datetime], str],
) -> tuple[Run, ...]:
    since, until = _bounds(chosen, place_at=place_at)
    return tuple(Run(index, keys.user(username), prefix, since, until) for prefix in prefixes)


def _bounds(
    chosen: OrderFilter, *, place_at: Callable[[datetime], str]
) -> tuple[str | None, str | None]:
    since, until = (None if moment is None else place_at(moment) for moment in chosen.moments)
    return since, until


@dataclass(frozen=True, slots=True)
class OrderPlan:
    """The runs that one list is merged from."""

    name: str
    runs: tuple[Run, ...]


def plan_for_user(username: str, chosen: OrderFilter) -> OrderPlan:
    """Plan a list of a user's orders."""
    if chosen.open_only:
        runs = _runs(BY_OPEN_DATE, username, chosen, [""], place_at=timestamp)
        return OrderPlan("open_by_date", runs)
    if chosen.statuses:
        prefixes = map(keys.status_prefix, chosen.statuses)
        runs = _runs(BY_STATUS, username, chosen, prefixes, place_at=timestamp)
        return OrderPlan("orders_by_status", runs)
    runs = _runs(BY_KEY, username, chosen, [keys.ORDER_PREFIX], place_at=id_bound)
    return OrderPlan("orders_by_user", runs)


def plan_for_queue(chosen: OrderFilter, *, shards: int) -> OrderPlan:
    """Plan the shop's open orders, in all open statuses when none is chosen, by days of placing."""
    since, until = _bounds(chosen, place_at=timestamp)
    runs = [
        Run(QUEUE, keys.open_shard(status, shard), since=since, until=until)
        for status in chosen.statuses or OPEN
        for shard in range(shards)
    ]
    return OrderPlan("open_orders", tuple(runs))
