"""The check of pickup points: cells derived again from coordinates, the directory recounted.

Reads the whole table once, so it is for a command and never for a page. A point's own item is
what counts: its item in an area is put, replaced or deleted to agree with it. What looks wrong is
read again, strongly, before it is called a difference; of a directory that moves during the
check, that is said instead.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.upkeep.differences import difference, mended
from dynamo.upkeep.integrity import Difference, every_item
from dynamo.writes.actions import Action
from dynamo.writes.counters import cells_in
from dynamo.writes.transactions import write_together
from shop import keys
from shop.models import ShopItem
from shop.pickup.directory import cell_in, directory_in, read_directories, settle
from shop.pickup.points import area_key, counted_in, point_items, point_of

TABLE = ShopItem.Meta.table_name
Key = tuple[str, str]


@dataclass(slots=True)
class _Seen:
    """What one reading of the table has seen: digests, not points, so that many fit."""

    expected: dict[Key, bytes] = field(default_factory=dict)
    stored: dict[Key, bytes] = field(default_factory=dict)
    counted: dict[str, Counter[str]] = field(default_factory=dict)
    directories: dict[str, Counter[str]] = field(default_factory=dict)

    def take(self, item: Item) -> None:
        partition: str = item["pk"]["S"]
        if partition.startswith(keys.PICKUP_PREFIX):
            point = point_of(item)
            self.expected[area_key(point)] = _digest(item)
            for name, cell in counted_in(point).items():
                self.counted.setdefault(name, Counter())[cell] += 1
        elif partition.startswith(keys.AREA_PREFIX):
            self.stored[partition, item["sk"]["S"]] = _digest(item)
        elif (directory := directory_in(partition)) is not None:
            cells = {cell_in(attribute): n for attribute, n in cells_in(item).items()}
            self.directories.setdefault(directory, Counter()).update(cells)


def pickup_differences() -> Iterator[Difference]:
    """Compare the items in areas with the points they repeat, and the directory with both."""
    seen = _Seen()
    for item in every_item(client(), TABLE):
        seen.take(item)
    suspects = {
        key
        for key in seen.expected.keys() | seen.stored.keys()
        if seen.expected.get(key) != seen.stored.get(key)
    }
    for key in sorted(suspects):
        yield from _check_item(key)
    for name in sorted(seen.counted.keys() | seen.directories.keys()):
        yield from _check_directory(
            name, seen.counted.get(name, Counter()), seen.directories.get(name, Counter())
        )


def _check_item(key: Key) -> Iterator[Difference]:
    point_id = key[1].partition("#")[2]
    own_key = keys.pickup_point(point_id)
    stored, own = _get(key), _get((own_key, own_key))
    derived: ShopItem | None = None
    if own is not None and area_key(point_of(own)) == key:
        derived = point_items(point_of(own))[1]
    expected = None if derived is None else dict(derived.serialize())
    if stored == expected:
        return
    yield Difference(
        kind="cells",
        subject=f"pickup point {point_id}",
        stored=_spelled(key, stored),
        expected=_spelled(key, expected),
        mend=partial(mended, partial(_rewrite, key, expected, own)),
    )


def _check_directory(
    name: str, counted: Mapping[str, int], seen: Mapping[str, int]
) -> Iterator[Difference]:
    cells = sorted(counted.keys() | seen.keys())
    wrong = {cell for cell in cells if counted.get(cell, 0) != seen.get(cell, 0)}
    if not wrong:
        return
    now = read_directories([name], consistent=True)[name]
    if any(now.get(cell, 0) != seen.get(cell, 0) for cell in wrong):
        yield Difference(
            "counts", f"directory {name}", "moving", "to be checked while nothing is imported"
        )
        return
    right = {cell: counted.get(cell, 0) for cell in sorted(wrong)}
    yield difference(
        "counts",
        f"directory {name}",
        {cell: seen.get(cell, 0) for cell in sorted(wrong)},
        right,
        repair=partial(settle, name, right),
    )


def _rewrite(key: Key, expected: Item | None, own: Item | None) -> None:
    """Put or delete an item of an area, if the point is still as it was read."""
    wire_key = {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
    point_key = keys.pickup_point(key[1].partition("#")[2])
    unchanged: Action = {
        "ConditionCheck": {
            "TableName": TABLE,
            "Key": {"pk": {"S": point_key}, "sk": {"S": point_key}},
            **_still(own),
        }
    }
    change: Action
    if expected is None:
        change = {"Delete": {"TableName": TABLE, "Key": wire_key}}
    else:
        change = {"Put": {"TableName": TABLE, "Item": expected}}
    write_together(client(), [change, unchanged])


def _still(own: Item | None) -> dict[str, object]:
    if own is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    return {
        "ConditionExpression": "latitude = :latitude AND longitude = :longitude",
        "ExpressionAttributeValues": {
            ":latitude": own["latitude"],
            ":longitude": own["longitude"],
        },
    }


def _get(key: Key) -> Item | None:
    answer = client().get_item(
        TableName=TABLE, Key={"pk": {"S": key[0]}, "sk": {"S": key[1]}}, ConsistentRead=True
    )
    return answer.get("Item")


def _digest(item: Item) -> bytes:
    """Tell apart what two items say besides their keys."""
    said = sorted((name, str(value)) for name, value in item.items() if name not in {"pk", "sk"})
    return blake2b(repr(said).encode(), digest_size=12).digest()


def _spelled(key: Key, item: Item | None) -> str:
    if item is None:
        return f"nothing at {key[1]}"
    place = f"{item['latitude']['N']}, {item['longitude']['N']}"
    return f"{key[1]} at {place}, {item['name']['S']}"
