"""The checks of what interrupted imports of large orders leave (`shop.orders.large_orders`)."""

from collections.abc import Iterator
from functools import partial

from dynapages.items import Item
from dynapages.upkeep import Candidate, Difference, Handlers, repair_once
from shop import keys
from shop.models import Order
from shop.orders.items import line_keys
from shop.orders.large_orders import delete_lines
from shop.orders.queries import NoSuchOrder, owner_of, stored_order
from shop.orders.settling import settle
from shop.table import Key, key_of, read_items

_ORDERS = keys.USER_PREFIX, keys.ORDER_PREFIX
_LINES = keys.ITEM_PREFIX, keys.ORDER_PREFIX


class UnsettledOrders:
    """Orders whose lines or purchases are not all written yet."""

    def __init__(self) -> None:
        self._keys: list[Key] = []

    def handlers(self) -> Handlers:
        return {_ORDERS: self._add}

    def candidates(self) -> Iterator[Candidate]:
        for key in self._keys:
            yield Candidate(partial(_unsettled, key))

    def _add(self, order: Item) -> None:
        if Order.unsettled.attr_name in order:
            self._keys.append(key_of(order))


def _unsettled(key: Key) -> Iterator[Difference]:
    order = Order.find(*key)
    if order is None or order.unsettled is None:
        return
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    yield Difference(
        kind="purchases",
        subject=f"order {order_id}",
        stored="not all settled",
        expected="settled",
        repair=partial(repair_once, settle, keys.username_in(order.pk), order_id),
    )


class StrayLines:
    """Lines that are no order's: without their order, or behind its last line.

    An import that is under way has some for a moment. A repair may delete them meanwhile: the
    import puts them again.
    """

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}
        self._line_counts: dict[str, int] = {}

    def handlers(self) -> Handlers:
        return {_LINES: self._add_line, _ORDERS: self._add_order}

    def candidates(self) -> Iterator[Candidate]:
        for order_id, highest in self._highest.items():
            if highest > self._line_counts.get(order_id, 0):
                yield Candidate(partial(_stray_lines, order_id, highest))

    def _add_line(self, line: Item) -> None:
        partition, sort_key = key_of(line)
        order_id = sort_key.removeprefix(keys.ORDER_PREFIX)
        number = keys.line_number(partition)
        self._highest[order_id] = max(number, self._highest.get(order_id, 0))

    def _add_order(self, order: Item) -> None:
        order_id = key_of(order)[1].removeprefix(keys.ORDER_PREFIX)
        self._line_counts[order_id] = int(order[Order.line_count.attr_name]["N"])


def _stray_lines(order_id: str, highest: int) -> Iterator[Difference]:
    possible = line_keys(order_id, range(1, highest + 1))
    stored = read_items(possible)
    first_line = possible[0]
    count = 0
    if first_line in stored:  # so the order is there
        try:
            count = int(stored_order(owner_of(order_id), order_id).line_count)
        except NoSuchOrder:  # the index does not have it yet
            return
    stray = [key for key in possible[count:] if key in stored]
    if stray:
        repair = partial(delete_lines, stray, first_line, stored.get(first_line))
        yield Difference(
            kind="lines",
            subject=f"order {order_id}",
            stored=f"{len(stray)} of an interrupted import",
            expected="none; the same import completes the order",
            repair=partial(repair_once, repair),
        )
