"""Orders of more products than one transaction holds, which only imports bring.

The lines but the first are put before their order, and lead to nothing yet. One transaction puts
the order and its first line, so that a stored first line says that the order is there. Whatever
puts or deletes further lines before that requires that the first one is missing. From then on the
order is *unsettled* (`shop.orders.settling`) until all of its lines are as they should be, and
its purchases are put.

The same import goes on where another one was interrupted. The lines of an import that was given up
are found and deleted by the check `shop.integrity.large_orders`.
"""

from collections.abc import Sequence
from contextlib import suppress

from dynapages.calls import in_chunks
from dynapages.items import Item, table_key
from dynapages.process import write_actions
from dynapages.writes import Action, ConditionFailed, Deltas, check, delete
from shop.models import Order, OrderItem, OrderPointer, ShopItem
from shop.orders.items import NewOrder, OrderItems, order_items, order_puts
from shop.orders.settling import MOST_IN_PART, is_of_new_order, new_mark, settle
from shop.table import OPEN_ORDERS, Key, put_of, read_items, unless_changed, write_with_counts


def put_large_order(order: NewOrder, changes: Deltas, further: Sequence[Action]) -> None:
    """Write an order of any size with its counts; where it was interrupted, what is left of it.

    ``further`` actions belong in the transaction from which on it is visible.

    Raises ConditionFailed with the number 0 and the order that is stored by its id, or with the
    number 1 if its id or foreign id is another order's, and what `dynapages.writes.transactions`
    raises.
    """
    items = order_items(order, shard=OPEN_ORDERS.pick())
    _require_absent(items.order, items.pointers)
    _put_further_lines(items)
    # From this transaction on the order is visible, marked as not complete.
    items.order.unsettled = new_mark(is_new_order=True)
    first_line = put_of(items.lines[0], ShopItem.pk.does_not_exist())
    puts = order_puts([items.order, *items.pointers])
    write_with_counts([*puts.values(), first_line, *further], changes)
    _complete_lines(items)
    settle(order.username, order.id)


def complete_large_order(order: NewOrder, stored: Order) -> None:
    """Settle an order, whose lines are put again if an import of the same ones was interrupted."""
    if is_of_new_order(stored.unsettled):
        items = order_items(order, shard=int(stored.shard))
        # The file may have been changed since: then the stored lines stay.
        if _has_lines_of(stored, items):
            _complete_lines(items)
    settle(order.username, order.id)


def _has_lines_of(stored: Order, items: OrderItems) -> bool:
    """Return whether a stored order was put with these lines, as far as it shows that itself."""
    for attribute in ("line_count", "item_count", "total_cents"):
        if getattr(stored, attribute) != getattr(items.order, attribute):
            return False
    if not items.lines:
        return True
    first_line = items.lines[0]
    return read_items([first_line.key]).get(first_line.key) == first_line.serialize()


def delete_lines(line_keys: Sequence[Key], first_line: Key, seen: Item | None) -> None:
    """Delete lines that no order has, as long as the first line is as it was ``seen``.

    Raises ConditionFailed if their order became visible meanwhile.
    """
    is_unchanged = unless_changed(first_line, seen)
    for some in in_chunks(line_keys, MOST_IN_PART):
        write_actions([is_unchanged, *[delete(OrderItem, table_key(*key)) for key in some]])


def _require_absent(order: Order, pointers: Sequence[OrderPointer]) -> None:
    """Raise ConditionFailed if the order is stored, or another one with its foreign id."""
    item_keys = [order.key]
    if pointers:
        # The first one has the whole foreign id; another one may be shared with other shops.
        item_keys.append(pointers[0].key)
    stored = read_items(item_keys)
    if order.key in stored:
        raise ConditionFailed({0: stored[order.key]})
    if stored:
        raise ConditionFailed({1: {}})


def _put_further_lines(items: OrderItems) -> None:
    """Put all lines but the first. Raises ConditionFailed as `put_large_order` does."""
    first_line, *further_lines = items.lines
    first_key = table_key(*first_line.key)
    is_absent = check(OrderItem, first_key, OrderItem.pk.does_not_exist())
    for some in in_chunks(further_lines, MOST_IN_PART):
        try:
            write_actions([is_absent, *[put_of(line) for line in some]])
        except ConditionFailed as failure:  # an order of this id became visible meanwhile
            _require_absent(items.order, items.pointers)
            raise ConditionFailed({1: {}}) from failure


def _complete_lines(items: OrderItems) -> None:
    """Put the lines of a visible order that are missing or other ones.

    A repair may have deleted some while they led to no order, or another import of the same order
    may have put its own.
    """
    stored = read_items(line.key for line in items.lines)
    wrong: list[OrderItem] = []
    for line in items.lines:
        if stored.get(line.key) != line.serialize():
            wrong.append(line)
    is_unsettled = check(Order, table_key(*items.order.key), Order.unsettled.exists())
    with suppress(ConditionFailed):  # somebody else completed the order
        for some in in_chunks(wrong, MOST_IN_PART):
            write_actions([is_unsettled, *[put_of(line) for line in some]])
