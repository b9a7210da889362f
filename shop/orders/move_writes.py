"""The transactions that move orders, each of one order or of several.

Orders that move together change each counter once, by their sum: a transaction for each would meet
the others on the counter of the queue. Whatever a condition refuses is left out of the next
attempt, so that it stops none of the others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from dynapages.items import Item
from dynapages.writes import MOST_ACTIONS, Action, ConditionFailed, Deltas
from shop import keys
from shop.catalogue.also_bought import purchase_updates
from shop.models import Order, Purchase
from shop.order_status import Status
from shop.orders.counts import add_up, count_changes
from shop.orders.ids import moment_in
from shop.orders.owing import OrderChange, owed_by
from shop.orders.queries import every_line
from shop.orders.settling import mark_of_move, settle
from shop.table import Key, key_of, write_with_counts
from shop.work import actions_of, do_at_once

_EVENTS = ("events", "events")
"""The name, among those of keys, of the due item for what others owe because of a transaction."""


@dataclass(frozen=True, slots=True)
class MoveWrite:
    """The write of an order's move: the ``change`` of its item, and those of ``purchases``.

    ``change`` has the condition by which the move may be refused, and reports the item. ``further``
    actions have none. ``announced`` is what others owe something for; None of a move that nobody
    hears of.
    """

    order: Order
    change: Action
    counts: Deltas
    purchases: Mapping[Key, Action]
    further: Sequence[Action]
    announced: OrderChange | None
    is_large: bool
    """Whether there are more purchases than fit: they are settled behind the transaction."""

    @property
    def order_id(self) -> str:
        return self.order.sk.removeprefix(keys.ORDER_PREFIX)

    @property
    def username(self) -> str:
        return keys.username_in(self.order.pk)

    @property
    def counters(self) -> set[str]:
        """The names of the counters that it changes."""
        return {name for name, cells in self.counts.items() if any(cells.values())}

    @property
    def items(self) -> set[Key]:
        """What it writes: a name for each action that its transaction needs."""
        counters = {(name, name) for name in self.counters}
        further = {(self.order_id, str(number)) for number in range(len(self.further))}
        # What is owed is one item for all orders of a transaction.
        events = {_EVENTS} if self.announced else set()
        return {self.order.key, *self.purchases, *counters, *further, *events}


Together = list[MoveWrite]
"""The moves of one transaction."""


def prepared_move(
    change: Action,
    order: Order,
    *,
    source: Status,
    target: Status,
    further: Sequence[Action],
    announced: OrderChange | None,
) -> MoveWrite:
    """Build the write of a move; to or from DELIVERED the lines are read.

    ``change`` must mark a large order by `shop.orders.settling.mark_of_move`.
    """
    is_large = mark_of_move(order, source, target) is not None
    purchases: dict[Key, Action] = {}
    # “Also bought” counts delivered orders alone.
    if Status.DELIVERED in {source, target} and not is_large:
        purchases = _purchases(order, delivered=target is Status.DELIVERED)
    counts = count_changes(keys.username_in(order.pk), left=source, entered=target)
    return MoveWrite(order, change, counts, purchases, further, announced, is_large)


def _purchases(order: Order, *, delivered: bool) -> dict[Key, Action]:
    """Build the changes of an order's purchases, by their keys."""
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    updates = purchase_updates(
        [line["product_id"]["S"] for line in every_line(order)],
        username=keys.username_in(order.pk),
        order_id=order_id,
        moment=moment_in(order_id),
        delivered=delivered,
    )
    return {key_of(update["Update"]["Key"]): update for update in updates}


def write_move(move: MoveWrite) -> None:
    """Write the change of an order to another status, with its counts and purchases.

    Those of a large order are changed by further transactions. Raises ConditionFailed by the
    condition of its ``change``, number 0, and what `dynapages.writes.transactions` raises.
    """
    refused = write_together([move])
    if refused:
        raise ConditionFailed({0: refused[move.order_id]})
    if move.is_large:
        settle(move.username, move.order_id)


def write_together(moves: Sequence[MoveWrite]) -> dict[str, Item]:
    """Write moves in one transaction, without those that are refused.

    Returns the items of the refused orders as they are stored, by their ids; an empty one where
    there is no such order. Raises what `dynapages.writes.transactions` raises, but ConditionFailed.
    """
    refused: dict[str, Item] = {}
    order_ids: dict[Key, str] = {}
    remaining = list(moves)
    while remaining:
        purchases = _purchases_of(remaining, order_ids)
        changes = [move.change for move in remaining]
        counts = add_up([move.counts for move in remaining])
        owes = owed_by([move.announced for move in remaining if move.announced])
        actions = [*changes, *purchases.values()]
        # Those without a condition come last: a refusal names one of the others by its number.
        for move in remaining:
            actions += move.further
        actions += actions_of(owes)
        try:
            write_with_counts(actions, counts, may_spread=True, orders=len(changes))
        except ConditionFailed as failure:
            purchase_keys = list(purchases)
            for number, item in failure.failed.items():
                if number < len(changes):
                    refused[remaining[number].order_id] = item
                else:
                    # The product was ordered again, or its customer was erased.
                    key = purchase_keys[number - len(changes)]
                    order_ids[key] = _order_id_in(item)
            remaining = [move for move in remaining if move.order_id not in refused]
        else:
            do_at_once(owes)
            break
    return refused


def _purchases_of(moves: Iterable[MoveWrite], order_ids: Mapping[Key, str]) -> dict[Key, Action]:
    """Return the changes of the purchases of several orders, one for each purchase.

    A purchase has one order, the newest as a rule; ``order_ids`` are those that are known.
    """
    newest_first = sorted(moves, key=attrgetter("order_id"), reverse=True)
    chosen: dict[Key, Action] = {}
    for move in newest_first:
        for key, change in move.purchases.items():
            is_of_move = order_ids.get(key, move.order_id) == move.order_id
            if is_of_move and key not in chosen:
                chosen[key] = change
    return chosen


def _order_id_in(purchase: Item) -> str:
    """Return the id of a stored purchase's order; empty where there is no purchase."""
    stored = purchase.get(Purchase.order_id.attr_name)
    return stored["S"] if stored else ""


def transactions_of(moves: Iterable[MoveWrite]) -> Iterator[Together]:
    """Divide moves into those of one transaction each, those of a customer side by side."""
    some: Together = []
    items: set[Key] = set()
    for move in sorted(moves, key=attrgetter("username")):
        if some and len(items | move.items) > MOST_ACTIONS:
            yield some
            some = []
            items = set()
        some.append(move)
        items |= move.items
    if some:
        yield some


def without_common_counters(transactions: Iterable[Together]) -> list[list[Together]]:
    """Divide transactions into groups, in each of which no two change the same counter.

    Those of one group can be written at the same time without meeting each other.
    """
    groups: list[list[Together]] = []
    counters_of_groups: list[set[str]] = []
    for transaction in transactions:
        counters: set[str] = set()
        for move in transaction:
            counters |= move.counters
        for group, counters_of_group in zip(groups, counters_of_groups, strict=True):
            if counters_of_group.isdisjoint(counters):
                group.append(transaction)
                counters_of_group.update(counters)
                break
        else:
            groups.append([transaction])
            counters_of_groups.append(counters)
    return groups
