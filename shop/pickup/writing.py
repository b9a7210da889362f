"""Writes of many pickup points at once, with exact counts; repeatable.

A point's two items and its counts change in one transaction, dozens of points in each.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from django.utils.translation import gettext as _
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action as Change

from dynapages.calls import in_chunks
from dynapages.items import table_key
from dynapages.process import write
from dynapages.pynamodb import unchanged, update
from dynapages.writes import Action, ConditionFailed, Contended, check, delete
from shop import keys
from shop.models import Order, PickupChoice, ShopItem
from shop.models import PickupPoint as StoredPoint
from shop.order_status import OPEN, Status
from shop.orders.queries import NoSuchOrder, stored_order
from shop.pickup.queries import (
    NoSuchPoint,
    PickupPoint,
    area_key,
    deltas_of,
    find_point,
    point_items,
    point_of,
)
from shop.table import put_of, read_items, write_with_counts

TOGETHER = 30
"""Points in a transaction of 100 actions: two or three each, and a few counters."""
ATTEMPTS = 5


class PointOutcome(Enum):
    """The outcome of putting a point."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class _Change:
    """A point, and the point stored now."""

    point: PickupPoint
    stored: PickupPoint | None

    @property
    def outcome(self) -> PointOutcome:
        if self.stored is None:
            return PointOutcome.NEW
        return PointOutcome.UNCHANGED if self.stored == self.point else PointOutcome.REPLACED

    @property
    def areas(self) -> list[str]:
        """The areas that it writes to; a moved point has two."""
        return [area_key(point)[0] for point in (self.point, self.stored) if point]


def put_points(points: Iterable[PickupPoint]) -> Counter[PointOutcome]:
    """Write points, replacing those with the same ids; ids must not repeat within one call.

    Raises Contended when another process keeps writing the same points, and what
    `dynapages.writes.transactions` and `dynapages.calls.batches` raise.
    """
    left = {point.id: point for point in points}
    outcomes: Counter[PointOutcome] = Counter()
    for _attempt in range(ATTEMPTS):
        stored = _stored(left)
        changes = [_Change(point, stored.get(point_id)) for point_id, point in left.items()]
        changed = [change for change in changes if change.outcome is not PointOutcome.UNCHANGED]
        outcomes[PointOutcome.UNCHANGED] += len(changes) - len(changed)
        left = {change.point.id: change.point for change in changed}
        for batch in _batches(changed):
            if _is_written(batch):
                outcomes.update(change.outcome for change in batch)
                for change in batch:
                    del left[change.point.id]
        if not left:
            return outcomes
    raise Contended("Another process keeps writing the same pickup points.")


def remove_point(point_id: str) -> bool:
    """Delete a point, and return whether there was one; orders with it stay."""
    for _attempt in range(ATTEMPTS):
        stored = _stored([point_id]).get(point_id)
        if stored is None:
            return False
        own, in_area = (table_key(item.pk, item.sk) for item in point_items(stored))
        deletes = [delete(ShopItem, own, _is_still(stored)), delete(ShopItem, in_area)]
        try:
            write_with_counts(deletes, deltas_of(added=[], removed=[stored]))
        except ConditionFailed:
            continue
        return True
    raise Contended(f"Another process keeps writing the pickup point {point_id}.")


def _stored(point_ids: Iterable[str]) -> dict[str, PickupPoint]:
    own_keys = map(keys.pickup_point, point_ids)
    found = read_items((key, key) for key in own_keys).values()
    return {point.id: point for point in map(point_of, found)}


def _batches(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    # By area, so that a transaction changes few counters.
    for _areas, group in groupby(sorted(changes, key=lambda c: c.areas), key=lambda c: c.areas):
        yield from in_chunks(group, TOGETHER)


def _is_written(batch: Sequence[_Change]) -> bool:
    actions = [action for change in batch for action in _actions(change)]
    deltas = deltas_of(
        added=[change.point for change in batch],
        removed=[change.stored for change in batch if change.stored is not None],
    )
    try:
        write_with_counts(actions, deltas)
    except ConditionFailed:
        return False
    return True


def _actions(change: _Change) -> Iterator[Action]:
    own, in_area = point_items(change.point)
    yield put_of(own, _is_still(change.stored))
    yield put_of(in_area)
    if change.stored is not None and area_key(change.stored) != area_key(change.point):
        yield delete(ShopItem, table_key(*area_key(change.stored)))


def _is_still(stored: PickupPoint | None) -> Condition:
    """Require that a point is still where it was read, or still missing."""
    if stored is None:
        return ShopItem.pk.does_not_exist()
    item, _ = point_items(stored)
    return unchanged(item.serialize(), StoredPoint.latitude, StoredPoint.longitude)


class OrderClosed(ValueError):
    """The order is not open any more; the text says its status."""

    def __init__(self, status: Status) -> None:
        sentence = _("This order is %(status)s: its delivery can no longer be changed.")
        super().__init__(sentence % {"status": status.in_words})


def find_open_order(*, username: str, order_id: str) -> Order:
    """Read a customer's open order as of the last write. Raises NoSuchOrder and OrderClosed."""
    order = stored_order(username, order_id)
    if not Status(order.status).is_open:
        raise OrderClosed(Status(order.status))
    return order


def choose_point(*, username: str, order_id: str, point_id: str) -> PickupPoint:
    """Set an open order's pickup point. Raises NoSuchPoint, NoSuchOrder and OrderClosed."""
    point = find_point(point_id)
    key = keys.pickup_point(point_id)
    choice = PickupChoice(  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
        id=point.id, name=point.name, address=point.address, hours=point.hours
    )
    chosen = _update(username, order_id, Order.pickup.set(choice))
    _write(order_id, [chosen, check(ShopItem, table_key(key, key), ShopItem.pk.exists())])
    return point


def forget_point(*, username: str, order_id: str) -> None:
    """Remove the pickup point of a customer's open order. Raises NoSuchOrder, OrderClosed."""
    _write(order_id, [_update(username, order_id, Order.pickup.remove())])


def _update(username: str, order_id: str, change: Change) -> Action:
    key = table_key(keys.user(username), keys.order(order_id))
    is_open = Order.status.is_in(*(status.value for status in OPEN))
    return update(Order, key, [change], is_open, return_item=True)


def _write(order_id: str, actions: list[Action]) -> None:
    try:
        write(actions)
    except ConditionFailed as failure:
        if 0 not in failure.failed:
            raise NoSuchPoint("It was removed a moment ago.") from failure
        if order := failure.failed[0]:
            raise OrderClosed(Status(order["status"]["S"])) from failure
        raise NoSuchOrder(order_id) from failure
