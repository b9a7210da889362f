"""The check of pickup points: cells derived again from coordinates, the directory recounted.

A point's own item is what counts: its item in an area is put, replaced or deleted to agree with
it. A directory that changes during the check, by an import, is busy.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import blake2b

from dynamo.items import Item
from dynamo.upkeep.counters import spread_hints
from dynamo.upkeep.differences import difference, differing, mended
from dynamo.upkeep.integrity import Difference
from dynamo.writes.counters import cells_in
from shop import keys
from shop.integrity.comparing import put_or_delete, write
from shop.models import PickupPoint, ShopItem
from shop.pickup.directory import COUNTER_PREFIX, cell_in, read_directories, set_directory
from shop.pickup.points import area_key, counted_in, point_items, point_of
from shop.table import Key, counters_of, key_of, read_items, unless_changed


class PickupCheck:
    """Compares items in areas, as digests, with their points, and the directory with both."""

    def __init__(self) -> None:
        self._expected: dict[Key, bytes] = {}
        self._stored: dict[Key, bytes] = {}
        self._counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._directories: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._spread: list[Difference] = []

    def takers(self) -> Mapping[tuple[str, str], Callable[[Item], None]]:
        return {
            (keys.PICKUP_PREFIX, ""): self._take_point,
            (keys.AREA_PREFIX, ""): self._take_cell,
            (keys.COUNTER_PREFIX + COUNTER_PREFIX, ""): self._take_share,
        }

    def differences(self) -> Iterator[Difference]:
        for key in sorted(self._expected.keys() | self._stored.keys()):
            if self._expected.get(key) != self._stored.get(key):
                yield from _item_differs(key)
        for name in sorted(self._counted.keys() | self._directories.keys()):
            yield from _directory_differs(name, self._directories[name], self._counted[name])
        yield from self._spread

    def _take_point(self, item: Item) -> None:
        point = point_of(item)
        self._expected[area_key(point)] = _digest(item)
        for name, cell in counted_in(point).items():
            self._counted[name][cell] += 1

    def _take_cell(self, item: Item) -> None:
        self._stored[key_of(item)] = _digest(item)

    def _take_share(self, item: Item) -> None:
        counter = keys.counter_in(item["pk"]["S"])
        name = counter.removeprefix(COUNTER_PREFIX)
        self._directories[name].update({cell_in(c): n for c, n in cells_in(item).items()})
        self._spread += spread_hints(counters_of(counter), counter, item, f"directory {name}")


def _item_differs(key: Key) -> Iterator[Difference]:
    point_id = key[1].partition("#")[2]
    own_key = (keys.pickup_point(point_id),) * 2
    found = read_items([key, own_key])
    stored, own = found.get(key), found.get(own_key)
    derived: ShopItem | None = None
    if own is not None and area_key(point_of(own)) == key:
        derived = point_items(point_of(own))[1]
    expected = None if derived is None else derived.serialize()
    if stored == expected:
        return
    unmoved = unless_changed(own_key, own, PickupPoint.latitude, PickupPoint.longitude)
    yield Difference(
        kind="cells",
        subject=f"pickup point {point_id}",
        stored=_spelled(key, stored),
        expected=_spelled(key, expected),
        mend=partial(mended, partial(write, [put_or_delete(key, derived), unmoved])),
    )


def _directory_differs(
    name: str, stored: Mapping[str, int], counted: Mapping[str, int]
) -> Iterator[Difference]:
    wrong, right = differing(stored, counted, missing=0)
    if not wrong:
        return
    subject = f"directory {name}"
    now = read_directories([name], consistent=True)[name]
    if any(now.get(cell, 0) != number for cell, number in wrong.items()):
        yield Difference.busy("counts", subject)
        return
    repair = partial(set_directory, name, right)
    yield difference("counts", subject, wrong, right, repair=repair)


def _digest(item: Item) -> bytes:
    """Return a digest of an item without its keys."""
    content = sorted((name, str(value)) for name, value in item.items() if name not in {"pk", "sk"})
    return blake2b(repr(content).encode(), digest_size=12).digest()


def _spelled(key: Key, item: Item | None) -> str:
    if item is None:
        return f"nothing at {key[1]}"
    place = f"{item['latitude']['N']}, {item['longitude']['N']}"
    return f"{key[1]} at {place}, {item['name']['S']}"
