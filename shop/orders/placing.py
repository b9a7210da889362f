"""Placing of orders: one from a basket, idempotent by the id of an intent, and many at once.

Many are written for imports and samples: with exact counts, repeatable.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import partial

from django.utils.translation import gettext as _

from dynapages.items import Item, table_key
from dynapages.lists import id_at, sort_key_of
from dynapages.process import pool
from dynapages.pynamodb import unchanged, update
from dynapages.writes import MOST_ACTIONS, Action, ConditionFailed, Deltas
from shop import keys
from shop.catalogue.queries import bought_before, prices_of
from shop.models import Order, OrderItem, OrderPointer, ShopItem
from shop.order_status import Status
from shop.orders.actions import (
    DERIVED,
    deltas_of,
    log_order,
    put_actions,
    sum_of,
    tell_moved,
    tell_placed,
)
from shop.orders.items import (
    MOST_LINES,
    TAIL,
    NewLine,
    NewOrder,
    NewPickup,
    StatusChange,
    moment_in,
    new_order_id,
    order_items_of,
    tail_keys,
)
from shop.orders.moving import COUNTERS, settle, unsettled_by, write_in_parts, write_move
from shop.table import OPEN_ORDERS, Key, key_of, put_of, set_or_remove, write_with_counts


def tail_in(item: Item) -> dict[str, str]:
    """Derive the `TAIL` of an order's item or line, as `tail_keys` does."""
    order_id = item["sk"]["S"].removeprefix(keys.ORDER_PREFIX)
    has_none = item.get(Order.line_count.attr_name) == {"N": "0"}
    return tail_keys(order_id, is_first=has_none or item["pk"]["S"] == keys.item(order_id, 1))


def tail_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update of an order's item or line that lacks the ``expected`` `TAIL`."""
    same = unchanged(item, ShopItem.pk, OrderItem.data_partition)
    changes = set_or_remove(OrderItem, TAIL, expected)
    return [update(OrderItem, table_key(*key_of(item)), changes, same)]


class TooManyLines(ValueError):
    """The order has more different products than a basket holds."""


class OrderRefused(ValueError):
    """Products of an order are not for sale, or not together; the text says why."""


def place_order(
    *,
    username: str,
    client_id: str,
    basket: Mapping[str, int],
    now: datetime,
    pickup: NewPickup | None = None,
) -> str:
    """Place an order of a basket's quantities at their current prices; return its id.

    The same ``client_id`` returns the order that it placed the first time. Raises OrderRefused,
    and TooManyLines of more than `MOST_LINES` products.
    """
    if len(basket) > MOST_LINES:
        raise TooManyLines(f"An order has at most {MOST_LINES} lines, not {len(basket)}.")
    if placed_before := order_placed_by(username=username, client_id=client_id):
        return _logged(placed_before, username)
    placed_at = now.replace(microsecond=now.microsecond // 1000 * 1000)  # the precision of an id
    with pool().together() as together:
        bought = together.start(partial(bought_before, username))
        lines, currency = _priced(basket)
        before = bought.result()
    order = NewOrder(
        id=new_order_id(placed_at),
        username=username,
        placed_at=placed_at,
        lines=lines,
        history=(StatusChange(Status.PLACED, placed_at),),
        currency=currency,
        pickup=pickup,
    )
    item, dependents = order_items_of(order, shard=OPEN_ORDERS.pick(), before=before)
    mark = keys.placing(username, client_id)
    pointer = OrderPointer(pk=mark, sk=mark, username=username, order_id=order.id)
    actions = list(put_actions([item, pointer, *dependents]).values())
    try:
        deltas = deltas_of(username, left=None, entered=Status.PLACED)
        write_with_counts(actions, deltas, may_spread=True)
    except ConditionFailed:
        if placed_before := order_placed_by(username=username, client_id=client_id):
            return _logged(placed_before, username)
        raise
    tell_placed(order.id, username, placed_at, by=username)
    return _logged(order.id, username)


def order_placed_by(*, username: str, client_id: str) -> str | None:
    """Return the id of the order placed by an intent, or None."""
    mark = keys.placing(username, client_id)
    pointer = OrderPointer.find(mark, mark)
    return pointer.order_id if pointer else None


def _logged(order_id: str, username: str) -> str:
    """Log that an order was placed; again where the answer to the first placing may be lost."""
    log_order(
        order_id=order_id,
        username=username,
        who=username,
        source=None,
        target=Status.PLACED,
        at=moment_in(order_id),
    )
    return order_id


def _priced(quantities: Mapping[str, int]) -> tuple[tuple[NewLine, ...], str]:
    products = prices_of(quantities)
    missing = sorted(quantities.keys() - products.keys())
    if missing:
        sentence = _("“%(product)s” is no longer sold. Please remove it from your basket.")
        raise OrderRefused(sentence % {"product": missing[0]})
    currencies = sorted({product.currency for product, _price in products.values()})
    if len(currencies) > 1:
        sentence = _("All products of an order must have the same currency, not %(currencies)s.")
        raise OrderRefused(sentence % {"currencies": ", ".join(currencies)})
    ordered = [(*products[one], pieces) for one, pieces in quantities.items()]
    lines = (NewLine(p.id, p.name, n, int(price.scaleb(2))) for p, price, n in ordered)
    return tuple(lines), currencies[0]


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
    def all_of(cls, username: str, orders: Iterable[NewOrder]) -> "Iterator[_Prepared]":
        """Yield the orders of a customer, each with what was bought by those before it."""
        bought = bought_before(username)
        for order in orders:
            before = map(id_at, sorted(bought.values(), reverse=True))
            item, dependents = order_items_of(order, shard=OPEN_ORDERS.pick(), before=before)
            deltas = deltas_of(username, left=None, entered=order.now_in.status)
            yield cls(order, put_actions([item, *dependents]), deltas)
            places = {one: sort_key_of(moment_in(order.id), one) for one in order.product_ids}
            kept = {one: place for one, place in bought.items() if one not in places}
            bought = kept | places if order.now_in.status is Status.DELIVERED else kept


def put_orders(orders: Iterable[NewOrder], *, announces: bool = False) -> list[OrderOutcome]:
    """Write orders with their lines and counts; return the outcome of each, in their order.

    What is written is signalled if it ``announces`` that.
    A stored order (by its id) keeps its lines, and gets the new history if that is later. Ids must
    not repeat within one call. Customers are written in parallel: pass a few hundred orders. Raises
    what `dynapages.writes.transactions` raises; what was interrupted is completed by the same call.
    """
    wanted = list(orders)
    by_customer: dict[str, list[NewOrder]] = {}
    for order in wanted:
        by_customer.setdefault(order.username, []).append(order)
    put_all = partial(_put_all, announces=announces)
    written = pool().gather([partial(put_all, *group) for group in by_customer.items()])
    outcomes = {order_id: outcome for some in written for order_id, outcome in some.items()}
    return [outcomes[order.id] for order in wanted]


def _put_all(
    username: str, orders: Iterable[NewOrder], *, announces: bool
) -> dict[str, OrderOutcome]:
    outcomes: dict[str, OrderOutcome] = {}
    for batch in _batches(_Prepared.all_of(username, orders)):
        outcomes |= _put_batch(batch, announces=announces)
    return outcomes


def _batches(orders: Iterable[_Prepared]) -> Iterator[list[_Prepared]]:
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
        if len(actions) + COUNTERS > MOST_ACTIONS:  # those of one large order
            write_in_parts(batch[0].order, batch[0].deltas)
        else:
            write_with_counts(list(actions.values()), sum_of([order.deltas for order in batch]))
    except ConditionFailed as failure:
        if len(batch) == 1:
            order = batch[0].order
            place = list(actions).index((keys.user(order.username), keys.order(order.id)))
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
