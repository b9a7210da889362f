"""Writes of many pickup points and postcodes at once, as imports do; repeatable.

A point's two items and its counts change in one transaction, dozens of points in each.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from pynamodb.expressions.condition import Condition

from dynapages.calls import Batches, in_chunks
from dynapages.items import table_key
from dynapages.process import client, pool
from dynapages.pynamodb import unchanged
from dynapages.writes import Action, ConditionFailed, Contended, delete
from shop import keys
from shop.models import PickupPoint as StoredPoint
from shop.models import ShopItem
from shop.pickup.directory import count_changes
from shop.pickup.items import (
    PickupPoint,
    ZipLocation,
    area_key,
    point_items,
    point_of,
    zip_item,
    zip_location_of,
)
from shop.table import TABLE, put_of, read_items, write_with_counts

POINTS_IN_A_TRANSACTION = 30
"""Of the 100 actions of a transaction each takes two or three, and there are a few counters."""
ATTEMPTS = 5


class PointOutcome(Enum):
    """The outcome of putting a point."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class _Change:
    """A point, and the point that is stored now under its id, if any."""

    point: PickupPoint
    stored: PickupPoint | None

    @property
    def outcome(self) -> PointOutcome:
        """What writing the change will have done."""
        if self.stored is None:
            return PointOutcome.NEW
        if self.stored == self.point:
            return PointOutcome.UNCHANGED
        return PointOutcome.REPLACED

    @property
    def areas(self) -> list[str]:
        """The areas that it writes to; a moved point has two."""
        return [area_key(point)[0] for point in (self.point, self.stored) if point]


# Pickup points


def put_points(points: Iterable[PickupPoint]) -> Counter[PointOutcome]:
    """Write points, replacing those with the same ids; ids must not repeat within one call.

    Raises Contended when another process keeps writing the same points, and what
    `dynapages.writes.transactions` and `dynapages.calls.batches` raise.
    """
    # Each attempt reads again what the one before could not write.
    unwritten = {point.id: point for point in points}
    outcomes: Counter[PointOutcome] = Counter()
    for _attempt in range(ATTEMPTS):
        stored = _read_points(unwritten)
        changed = []
        for point_id, point in list(unwritten.items()):
            change = _Change(point, stored.get(point_id))
            if change.outcome is PointOutcome.UNCHANGED:
                outcomes[PointOutcome.UNCHANGED] += 1
                del unwritten[point_id]
            else:
                changed.append(change)
        for batch in _batches(changed):
            if _write_batch(batch):
                for change in batch:
                    outcomes[change.outcome] += 1
                    del unwritten[change.point.id]
        if not unwritten:
            return outcomes
    raise Contended("Another process keeps writing the same pickup points.")


def remove_point(point_id: str) -> bool:
    """Delete a point, and return whether there was one; orders that chose it stay as they are.

    Raises Contended when another process keeps writing it.
    """
    for _attempt in range(ATTEMPTS):
        stored = _read_points([point_id]).get(point_id)
        if stored is None:
            return False
        # Both items and the counts go in one transaction, so that the directory stays exact.
        own, in_area = point_items(stored)
        deletes = [
            delete(ShopItem, table_key(own.pk, own.sk), _is_unmoved(stored)),
            delete(ShopItem, table_key(in_area.pk, in_area.sk)),
        ]
        try:
            write_with_counts(deletes, count_changes(added=[], removed=[stored]))
        except ConditionFailed:
            continue
        return True
    raise Contended(f"Another process keeps writing the pickup point {point_id}.")


def _read_points(point_ids: Iterable[str]) -> dict[str, PickupPoint]:
    """Read points strongly, by id; missing ones are left out."""
    own_keys = [keys.pickup_point(point_id) for point_id in point_ids]
    items = read_items((key, key) for key in own_keys)
    points = [point_of(item) for item in items.values()]
    return {point.id: point for point in points}


def _batches(changes: Iterable[_Change]) -> Iterator[list[_Change]]:
    """Yield changes in groups that are each one transaction."""
    # By area, so that a transaction changes few counters.
    by_area = sorted(changes, key=_areas_of)
    for _areas, group in groupby(by_area, key=_areas_of):
        yield from in_chunks(group, POINTS_IN_A_TRANSACTION)


def _areas_of(change: _Change) -> list[str]:
    return change.areas


def _write_batch(batch: Sequence[_Change]) -> bool:
    """Write changes with their counts, all or nothing; return False if a point was changed."""
    actions: list[Action] = []
    for change in batch:
        actions += _actions(change)
    deltas = count_changes(
        added=[change.point for change in batch],
        removed=[change.stored for change in batch if change.stored is not None],
    )
    try:
        write_with_counts(actions, deltas)
    except ConditionFailed:
        return False
    return True


def _actions(change: _Change) -> Iterator[Action]:
    """Yield the actions that put a point, and delete where it was before."""
    own, in_area = point_items(change.point)
    yield put_of(own, _is_unmoved(change.stored))
    yield put_of(in_area)
    if change.stored is not None and area_key(change.stored) != area_key(change.point):
        yield delete(ShopItem, table_key(*area_key(change.stored)))


def _is_unmoved(stored: PickupPoint | None) -> Condition:
    """Build the condition that a point is still where it was read, or still missing."""
    if stored is None:
        return ShopItem.pk.does_not_exist()
    own, _in_area = point_items(stored)
    return unchanged(own.serialize(), StoredPoint.latitude, StoredPoint.longitude)


# Postcodes


def put_zips(locations: Iterable[ZipLocation]) -> int:
    """Write the places of zip prefixes; return how many were new or changed."""
    by_key = {keys.zip_prefix(location.prefix): location for location in locations}
    items = read_items((key, key) for key in by_key)
    changed = []
    for key, location in by_key.items():
        item = items.get((key, key))
        if item is None or zip_location_of(item) != location:
            changed.append(zip_item(location).serialize())
    Batches(client(), pool()).put(TABLE, changed)
    return len(changed)
