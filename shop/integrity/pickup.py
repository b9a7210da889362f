"""The check of pickup points: their items in areas, and the directory that counts them.

A point's own item is what counts: its item in an area is made to agree with it.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import blake2b

from dynapages.items import Item
from dynapages.process import write_actions
from dynapages.upkeep import Candidate, Difference, Handlers, Kind, Sums, repair_once
from shop import keys
from shop.integrity.orders import counter_name_in
from shop.integrity.shards import put_or_delete
from shop.models import PickupPoint
from shop.pickup.directory import COUNTER_PREFIX, cell_of_attribute, counter_cells
from shop.pickup.items import area_key, point_items, point_of
from shop.table import Key, counters_of, key_of, read_items, unless_changed

POINTS = keys.PICKUP_PREFIX, ""
"""How the keys of points' own items begin."""
POINTS_IN_AREAS = keys.AREA_PREFIX, ""


def pickup_kinds() -> Sequence[Kind]:
    """Return pickup points' items in areas, and the directory that counts them."""
    directory = Sums(
        shards=(keys.COUNTER_PREFIX + COUNTER_PREFIX, ""),
        name_in=counter_name_in,
        items=POINTS,
        cells=_cells,
        counters=counters_of,
        subject=_directory_subject,
        spread_subject=_directory_subject,
        write=write_actions,
        show=_show_cell,
    )
    return AreaItems(), directory


# The directory


def _cells(item: Item) -> Iterator[tuple[str, str]]:
    return counter_cells(point_of(item))


def _directory_subject(counter: str) -> str:
    return f"directory {counter.removeprefix(COUNTER_PREFIX)}"


def _show_cell(attribute: str, number: object) -> str:
    return f"{cell_of_attribute(attribute)} {number}"


# Items in areas


class AreaItems:
    """Items of pickup points in areas, compared with the points' own as digests."""

    def __init__(self) -> None:
        self._expected: dict[Key, bytes] = {}
        self._stored: dict[Key, bytes] = {}

    def handlers(self) -> Handlers:
        return {POINTS: self._add_point, POINTS_IN_AREAS: self._add}

    def candidates(self) -> Iterator[Candidate]:
        """Yield the items in areas that differ from the points' own, or are missing."""
        for key in sorted(self._expected.keys() | self._stored.keys()):
            if self._expected.get(key) != self._stored.get(key):
                yield Candidate(partial(_reread_area_item, key))

    def _add_point(self, item: Item) -> None:
        """Note what the item in an area should be, by a point's own item."""
        # Digests, as there may be a million points.
        self._expected[area_key(point_of(item))] = _digest(item)

    def _add(self, item: Item) -> None:
        """Note what an item in an area is."""
        self._stored[key_of(item)] = _digest(item)


def _reread_area_item(key: Key) -> Iterator[Difference]:
    """Compare an item in an area with what its point's own item says now."""
    point_id = key[1].partition("#")[2]
    own_key = keys.pickup_point(point_id), keys.pickup_point(point_id)
    items = read_items([key, own_key])
    stored = items.get(key)
    own = items.get(own_key)
    derived = point_items(point_of(own))[1] if own else None
    if derived and (derived.pk, derived.sk) != key:  # the point is in another area
        derived = None
    expected = None if derived is None else derived.serialize()
    if stored == expected:
        return
    unmoved = unless_changed(own_key, own, PickupPoint.latitude, PickupPoint.longitude)
    actions = [put_or_delete(key, derived), unmoved]
    yield Difference(
        kind="cells",
        subject=f"pickup point {point_id}",
        stored=_show_point(key, stored),
        expected=_show_point(key, expected),
        repair=partial(repair_once, write_actions, actions),
    )


def _digest(item: Item) -> bytes:
    """Return a digest of an item without its keys."""
    content = sorted((name, str(value)) for name, value in item.items() if name not in {"pk", "sk"})
    return blake2b(repr(content).encode(), digest_size=12).digest()


def _show_point(key: Key, item: Item | None) -> str:
    """Format an item in an area, or its absence, for a report."""
    if item is None:
        return f"nothing at {key[1]}"
    place = f"{item['latitude']['N']}, {item['longitude']['N']}"
    return f"{key[1]} at {place}, {item['name']['S']}"
