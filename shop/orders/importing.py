"""Writing of many orders at once, repeatably and with exact counts: for imports and samples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

from dynapages.calls import one_task, size_of_batch
from dynapages.items import Item
from dynapages.lists import id_at, sort_key_of
from dynapages.process import pool
from dynapages.pynamodb import unchanged
from dynapages.work import Owed
from dynapages.writes import MOST_ACTIONS, Action, ConditionFailed, Deltas
from shop.catalogue.also_bought import bought_before
from shop.models import Order
from shop.order_status import Status
from shop.orders.asking import Asking, asking_after
from shop.orders.counts import add_up, count_changes
from shop.orders.ids import moment_in
from shop.orders.items import INDEX_KEYS, NewOrder, order_items, order_puts
from shop.orders.large_orders import complete_large_order, put_large_order
from shop.orders.move_writes import prepared_move, write_move
from shop.orders.owing import MOST_EVENTS, OrderChange, if_heard_of, owed_by
from shop.orders.settling import COUNTERS, mark_of_move
from shop.orders.signals import send_moved, send_placed
from shop.table import OPEN_ORDERS, Key, put_of, read_items, write_with_counts
from shop.work import actions_of, do_at_once


class OrderOutcome(Enum):
    """The outcome of putting an order."""

    CREATED = "created"
    UPDATED = "stored before, in an earlier status"
    UNCHANGED = "stored before, as it is or newer"
    ID_IN_USE = "its foreign id belongs to another order"


@dataclass(frozen=True, slots=True)
class _PreparedOrder:
    """An order with its puts, by the keys of the items they write, and its changes of counts.

    ``further`` are actions that store what it owes.
    """

    order: NewOrder
    puts: Mapping[Key, Action]
    changes: Deltas
    further: Sequence[Action]

    @property
    def announced(self) -> OrderChange:
        """What others owe something for, where imports are announced."""
        order = self.order
        return OrderChange(order.id, order.username, None, order.now_in.status, order.now_in.moment)


def put_orders(orders: Iterable[NewOrder], *, announces: bool = False) -> list[OrderOutcome]:
    """Write orders with their lines and counts; return the outcome of each, in their order.

    What is written is signalled if it ``announces`` that, and owes then what others owe for it.
    A stored order (by its id) keeps its lines, and gets the new history if that is later. Ids must
    not repeat within one call. Customers are written in parallel: pass a few hundred orders. Raises
    what `dynapages.writes.transactions` raises; what was interrupted is completed by the same call.
    """
    all_orders = list(orders)
    # Two orders of one customer would meet on the customer's counter.
    by_customer: dict[str, list[NewOrder]] = {}
    for order in all_orders:
        by_customer.setdefault(order.username, []).append(order)
    calls = [
        partial(_put_orders_of, username, some, announces=announces)
        for username, some in by_customer.items()
    ]
    outcomes: dict[str, OrderOutcome] = {}
    for outcomes_of_customer in pool().gather(calls):
        outcomes |= outcomes_of_customer
    return [outcomes[order.id] for order in all_orders]


def _put_orders_of(
    username: str, orders: Iterable[NewOrder], *, announces: bool
) -> dict[str, OrderOutcome]:
    """Put the orders of one customer, one transaction after the other."""
    outcomes: dict[str, OrderOutcome] = {}
    with one_task():
        prepared = _prepared(username, orders, announces=announces)
        for batch in _batches(prepared, reserved=MOST_EVENTS if announces else 0):
            outcomes |= _put_batch(batch, announces=announces)
    return outcomes


def _prepared(
    username: str, orders: Iterable[NewOrder], *, announces: bool
) -> Iterator[_PreparedOrder]:
    """Yield the orders of a customer, each with what was bought by those before it."""
    bought = bought_before(username)
    for stated in orders:
        asking = _asking(stated, announces=announces)
        order = replace(stated, asks_at=asking.asks_at)
        newest_first = sorted(bought.values(), reverse=True)
        before = [id_at(place) for place in newest_first]
        items = order_items(order, shard=OPEN_ORDERS.pick(), before=before)
        changes = count_changes(username, left=None, entered=order.now_in.status)
        yield _PreparedOrder(order, order_puts(items.all), changes, asking.actions)
        # An order takes the purchases of its products over; only delivered ones count.
        for product_id in order.product_ids:
            bought.pop(product_id, None)
        if order.now_in.status is Status.DELIVERED:
            for product_id in order.product_ids:
                bought[product_id] = sort_key_of(moment_in(order.id), product_id)


def _asking(order: NewOrder, *, asks_at: str | None = None, announces: bool) -> Asking:
    """Return what is to be done about the request for reviews of an order of a file.

    ``asks_at`` is that of the stored order.
    """
    return asking_after(
        username=order.username,
        order_id=order.id,
        target=order.now_in.status,
        moment=order.now_in.moment,
        asks_at=asks_at,
        may_ask=announces,
    )


def _batches(orders: Iterable[_PreparedOrder], *, reserved: int) -> Iterator[list[_PreparedOrder]]:
    """Divide orders into those of one transaction each; what two of them write counts once.

    As many actions as are ``reserved`` are left for others.
    """
    batch: list[_PreparedOrder] = []
    batch_keys: set[Key] = set()
    further = 0
    for order in orders:
        most_actions = size_of_batch(MOST_ACTIONS) - COUNTERS - reserved
        further += len(order.further)
        if batch and len(batch_keys | order.puts.keys()) + further > most_actions:
            yield batch
            batch = []
            batch_keys = set()
            further = len(order.further)
        batch.append(order)
        batch_keys |= order.puts.keys()
    if batch:
        yield batch


def _put_batch(batch: Sequence[_PreparedOrder], *, announces: bool) -> dict[str, OrderOutcome]:
    """Put orders in one transaction; if one of them is stored already, each in its own."""
    if len(batch) == 1:  # it may be a large one
        return _put_each(batch, announces=announces)
    puts: dict[Key, Action] = {}
    further: list[Action] = []
    for prepared in batch:
        puts |= prepared.puts
        further += prepared.further
    owes = _owed_by(batch, announces=announces)
    try:
        write_with_counts(
            [*puts.values(), *further, *actions_of(owes)],
            add_up([prepared.changes for prepared in batch]),
        )
    except ConditionFailed:  # one of them is stored: each by itself tells which
        return _put_each(batch, announces=announces)
    do_at_once(owes)
    if announces:
        for prepared in batch:
            _announce(prepared.order)
    return dict.fromkeys([prepared.order.id for prepared in batch], OrderOutcome.CREATED)


def _put_each(batch: Iterable[_PreparedOrder], *, announces: bool) -> dict[str, OrderOutcome]:
    """Put orders in transactions of their own."""
    outcomes: dict[str, OrderOutcome] = {}
    for prepared in batch:
        outcomes[prepared.order.id] = _put_alone(prepared, announces=announces)
    return outcomes


def _put_alone(prepared: _PreparedOrder, *, announces: bool) -> OrderOutcome:
    """Put one order, of any size, or bring the stored one to its status."""
    order, puts = prepared.order, prepared.puts
    owes = _owed_by([prepared], announces=announces)
    further = [*prepared.further, *actions_of(owes)]
    try:
        if len(puts) + len(further) + COUNTERS > MOST_ACTIONS:
            # The puts say that it is too large; they are built anew in parts.
            put_large_order(order, prepared.changes, further)
        else:
            write_with_counts([*puts.values(), *further], prepared.changes)
    except ConditionFailed as failure:
        # The order's own item is the first of the transaction.
        stored = failure.failed.get(0)
        if stored is None:
            return OrderOutcome.ID_IN_USE
        return _update(order, stored, announces=announces)
    do_at_once(owes)
    if announces:
        _announce(order)
    return OrderOutcome.CREATED


def _owed_by(batch: Iterable[_PreparedOrder], *, announces: bool) -> list[Owed]:
    """Return what others owe because of new orders; nothing where these are not announced."""
    if not announces:
        return []
    return owed_by([prepared.announced for prepared in batch])


def _announce(order: NewOrder) -> None:
    send_placed(order.id, order.username, order.placed_at)


def _update(order: NewOrder, seen: Item, *, announces: bool) -> OrderOutcome:
    """Bring a stored order to the status of a file, if that is later."""
    stored = Order.from_raw_data(dict(seen))
    if stored.unsettled:  # what wrote it was interrupted
        complete_large_order(order, stored)
        seen = read_items([order.key])[order.key]
        stored = Order.from_raw_data(dict(seen))
    renewed = order_items(order, shard=int(stored.shard)).order
    if stored.history[-1].at >= renewed.history[-1].at:
        return OrderOutcome.UNCHANGED
    source, target = Status(stored.status), order.now_in.status
    # What the file tells of its lines may be another thing by now: the stored ones stay.
    for name in ("status", "history", *INDEX_KEYS):
        setattr(stored, name, getattr(renewed, name))
    asking = _asking(order, asks_at=stored.asks_at, announces=announces)
    stored.asks_at = asking.asks_at
    stored.unsettled = mark_of_move(stored, source, target) or stored.unsettled
    # The stored status and its moment serve as the version that was compared, with what else
    # may change: its customer's choice, what is erased, and whether it is settled.
    version = (
        Order.order_status_date,
        Order.pickup,
        Order.address,
        Order.asks_at,
        Order.unsettled,
    )
    put = put_of(stored, unchanged(seen, *version))
    announced = None
    if announces:
        moment = order.now_in.moment
        announced = if_heard_of(OrderChange(order.id, order.username, source, target, moment))
    move = prepared_move(
        put,
        stored,
        source=source,
        target=target,
        further=asking.actions,
        announced=announced,
    )
    try:
        write_move(move)
    except ConditionFailed:  # moved at the same moment, so what is stored is newer
        return OrderOutcome.UNCHANGED
    if announces:
        send_moved(order.id, order.username, source, target, at=order.now_in.moment)
    return OrderOutcome.UPDATED
