"""Writes of many orders at once, for imports and samples: with exact counts, repeatable."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from dynapages.items import Item
from dynapages.process import pool
from dynapages.pynamodb import unchanged
from dynapages.writes import MOST_ACTIONS, Action, ConditionFailed, Deltas
from shop import keys
from shop.catalogue.items import EDGES
from shop.models import Order
from shop.order_status import Status
from shop.orders.actions import DERIVED, deltas_of, put_actions, sum_of, tell_moved, tell_placed
from shop.orders.items import NewOrder, order_items_of
from shop.orders.moving import COUNTERS, settle, unsettled_by, write_in_parts, write_move
from shop.table import OPEN_ORDERS, Key, put_of, write_with_counts


class OrderOutcome(Enum):
    """The outcome of putting an order."""

    CREATED = "created"
    UPDATED = "stored before, in an earlier status"
    KEPT = "stored before, as it is or newer"
    TAKEN = "its foreign id belongs to another order"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An order's actions, by the keys of the items they write."""

    order: NewOrder
    actions: Mapping[Key, Action]
    deltas: Deltas

    @classmethod
    def of(cls, order: NewOrder) -> "_Prepared":
        item, dependents = order_items_of(
            order, shard=OPEN_ORDERS.pick(), edge_shards=EDGES.writable()
        )
        deltas = deltas_of(order.username, left=None, entered=order.now_in.status)
        return cls(order, put_actions([item, *dependents]), deltas)

    @property
    def is_large(self) -> bool:
        """Whether it needs several transactions."""
        return len(self.actions) + COUNTERS > MOST_ACTIONS


def put_orders(orders: Iterable[NewOrder], *, announces: bool = False) -> list[OrderOutcome]:
    """Write orders with their lines and counts; return the outcome of each, in their order.

    What is written is signalled if it ``announces`` that.
    A stored order (by its id) keeps its lines, and gets the new history if that is later. Ids must
    not repeat within one call. Customers are written in parallel: pass a few hundred orders. Raises
    what `dynapages.writes.transactions` raises; what was interrupted is completed by the same call.
    """
    wanted = [_Prepared.of(order) for order in orders]
    by_customer: dict[str, list[_Prepared]] = {}
    for prepared in wanted:
        by_customer.setdefault(prepared.order.username, []).append(prepared)
    put_all = partial(_put_all, announces=announces)
    written = pool().gather([partial(put_all, group) for group in by_customer.values()])
    outcomes = {order_id: outcome for some in written for order_id, outcome in some.items()}
    return [outcomes[prepared.order.id] for prepared in wanted]


def _put_all(orders: Sequence[_Prepared], *, announces: bool) -> dict[str, OrderOutcome]:
    outcomes: dict[str, OrderOutcome] = {}
    for batch in _batches(orders):
        outcomes |= _put_batch(batch, announces=announces)
    return outcomes


def _batches(orders: Sequence[_Prepared]) -> Iterator[list[_Prepared]]:
    # What two of them write counts once.
    batch: list[_Prepared] = []
    names: set[Key] = set()
    for order in orders:
        if batch and len(names | order.actions.keys()) + COUNTERS > MOST_ACTIONS:
            yield batch
            batch, names = [], set()
        batch.append(order)
        names |= order.actions.keys()
    if batch:
        yield batch


def _put_batch(batch: Sequence[_Prepared], *, announces: bool) -> dict[str, OrderOutcome]:
    actions = {name: action for order in batch for name, action in order.actions.items()}
    try:
        if batch[0].is_large:
            write_in_parts(batch[0].order, batch[0].deltas)
        else:
            write_with_counts(list(actions.values()), sum_of([order.deltas for order in batch]))
    except ConditionFailed as failure:
        if len(batch) == 1:
            (only,) = batch
            order = only.order
            place = list(only.actions).index((keys.user(order.username), keys.order(order.id)))
            seen = failure.failed.get(place)
            taken = OrderOutcome.TAKEN
            return {order.id: taken if seen is None else _update(order, seen, announces=announces)}
        put_alone = partial(_put_batch, announces=announces)
        return {name: o for order in batch for name, o in put_alone([order]).items()}
    for one in batch if announces else ():
        tell_placed(one.order.id, one.order.username, one.order.placed_at)
    return dict.fromkeys([order.order.id for order in batch], OrderOutcome.CREATED)


def _update(order: NewOrder, seen: Item, *, announces: bool) -> OrderOutcome:
    stored = Order.from_raw_data(dict(seen))
    renewed, _ = order_items_of(order, shard=int(stored.shard))
    if stored.history[-1].at >= renewed.history[-1].at:
        if stored.unsettled:  # the import that wrote it was interrupted
            settle(order.username, order.id)
        return OrderOutcome.KEPT
    source, target = Status(stored.status), order.now_in.status
    # What the file tells of its lines may be another thing by now: the stored ones stay.
    for name in ("status", "history", *DERIVED):
        setattr(stored, name, getattr(renewed, name))
    stored.unsettled = unsettled_by(stored, source, target) or stored.unsettled
    # The stored status and its moment serve as the version that was compared, with what else
    # may change: its customer's choice, which no import knows of, and whether it is settled.
    version = Order.order_status_date, Order.pickup, Order.unsettled
    put = put_of(stored, unchanged(seen, *version))
    try:
        write_move(put, stored, source=source, target=target)
    except ConditionFailed:  # moved at the same moment, so what is stored is newer
        return OrderOutcome.KEPT
    if announces:
        tell_moved(order.id, order.username, source, target, at=order.now_in.moment)
    return OrderOutcome.UPDATED
