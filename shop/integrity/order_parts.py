"""The check of what belongs to orders by their ids alone: pointers to them, and their lines.

All of it is written with its order. A backup may have one without the other, as it has each item
as it was at a moment of its own.
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from dynapages.items import Item, table_key
from dynapages.upkeep import Candidate, Difference, Handlers
from dynapages.writes import check, delete
from shop import keys
from shop.integrity.shards import difference_of_presence, read_item
from shop.models import Order, OrderPointer, ShopItem
from shop.orders.items import line_keys, pointers_of
from shop.table import Key, key_of, put_of, read_items

_ORDERS = keys.USER_PREFIX, keys.ORDER_PREFIX
_LINES = keys.ITEM_PREFIX, keys.ORDER_PREFIX
_FOREIGN_IDS = keys.FOREIGN_PREFIX, ""
_PLACINGS = keys.PLACING_PREFIX, ""


# Pointers


class OrderPointers:
    """Pointers to orders, from their ids elsewhere and from the forms that placed them.

    One without its order makes an import, or the same form, take the order for stored.
    """

    def __init__(self) -> None:
        self._orders: set[str] = set()
        self._stored: dict[Key, str] = {}
        self._expected: dict[Key, Key] = {}

    def handlers(self) -> Handlers:
        return {
            _ORDERS: self._add_order,
            _FOREIGN_IDS: self._add_pointer,
            _PLACINGS: self._add_pointer,
        }

    def candidates(self) -> Iterator[Candidate]:
        for key, order_id in sorted(self._stored.items()):
            if order_id not in self._orders:
                yield Candidate(partial(_reread_stray_pointer, key))
        for key, order_key in sorted(self._expected.items()):
            if key not in self._stored:
                yield Candidate(partial(_reread_missing_pointer, key, order_key))

    def _add_order(self, order: Item) -> None:
        self._orders.add(_order_id_of(order))
        for key in _pointers_to(order):
            self._expected[key] = key_of(order)

    def _add_pointer(self, pointer: Item) -> None:
        self._stored[key_of(pointer)] = pointer["order_id"]["S"]


def _pointers_to(order: Item) -> dict[Key, OrderPointer]:
    """Return the pointers that there should be to a stored order, by their keys."""
    stored = Order.from_raw_data(dict(order))
    pointers = pointers_of(
        username=keys.username_in(stored.pk),
        order_id=_order_id_of(order),
        foreign_id=stored.foreign_id,
        id_prefix=stored.id_prefix or "",
    )
    return {pointer.key: pointer for pointer in pointers}


def _reread_stray_pointer(key: Key) -> Iterator[Difference]:
    """Yield a difference for a pointer whose order does not exist."""
    pointer = OrderPointer.find(*key)
    if pointer is None:
        return
    order_key = keys.user(pointer.username), keys.order(pointer.order_id)
    if read_item(order_key):
        return
    actions = [
        delete(OrderPointer, table_key(*key), OrderPointer.order_id == pointer.order_id),
        check(Order, table_key(*order_key), Order.pk.does_not_exist()),
    ]
    subject = f"order {pointer.order_id}"
    yield difference_of_presence(
        "pointer", subject, is_there=True, is_expected=False, actions=actions
    )


def _reread_missing_pointer(key: Key, order_key: Key) -> Iterator[Difference]:
    """Yield a difference for a pointer that an order lacks."""
    items = read_items([key, order_key])
    order = items.get(order_key)
    if order is None or key in items:
        return
    actions = [
        put_of(_pointers_to(order)[key], ShopItem.pk.does_not_exist()),
        check(Order, table_key(*order_key), Order.pk.exists()),
    ]
    subject = f"order {_order_id_of(order)}"
    yield difference_of_presence(
        "pointer", subject, is_there=False, is_expected=True, actions=actions
    )


# Lines


class LostLines:
    """Orders that have fewer lines than they say. What was bought cannot be derived."""

    def __init__(self) -> None:
        self._lines = Counter[str]()
        self._orders: dict[str, tuple[Key, int]] = {}

    def handlers(self) -> Handlers:
        return {_LINES: self._add_line, _ORDERS: self._add_order}

    def candidates(self) -> Iterator[Candidate]:
        for order_id, (key, line_count) in self._orders.items():
            if self._lines[order_id] < line_count:
                yield Candidate(partial(_reread_lines, key))

    def _add_line(self, line: Item) -> None:
        self._lines[_order_id_of(line)] += 1

    def _add_order(self, order: Item) -> None:
        # Until an import has put all lines of an order, the order is another kind's.
        if Order.unsettled.attr_name not in order:
            line_count = int(order[Order.line_count.attr_name]["N"])
            self._orders[_order_id_of(order)] = key_of(order), line_count


def _reread_lines(key: Key) -> Iterator[Difference]:
    """Yield a difference for an order whose lines are not all there."""
    order = Order.find(*key)
    if order is None or order.unsettled is not None:
        return
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    line_count = int(order.line_count)
    stored = read_items(line_keys(order_id, range(1, line_count + 1)))
    if len(stored) < line_count:
        found = f"{len(stored)} of {line_count}"
        yield Difference("lines", f"order {order_id}", found, "all of them, which are lost")


def _order_id_of(item: Item) -> str:
    """Return the id of an order in the sort key of its own item or of a line."""
    return key_of(item)[1].removeprefix(keys.ORDER_PREFIX)
