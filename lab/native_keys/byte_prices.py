"""Capacity units and stored bytes, counted from the bytes of items.

For an engine whose own units are not Amazon's, such as moto. The rules are those of "Provisioned
throughput considerations for Global Secondary Indexes" and "Storage considerations for Global
Secondary Indexes" of the Developer Guide.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from dynapages.items import UNITS_PER_BLOCK, Item, blocks_of, item_bytes
from dynapages.process import client
from lab.figures import BILLED_OVERHEAD

TABLE_KEY = ("pk", "sk")
KILOBYTE = 1_024
"""Bytes that one unit writes."""


@dataclass(frozen=True, slots=True)
class IndexShape:
    """A global secondary index: its key attributes in their order, and what else it projects."""

    name: str
    partition: tuple[str, ...]
    sort: tuple[str, ...]
    projected: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """Its key attributes, those of the partition first."""
        return (*self.partition, *self.sort)

    def declaration(self) -> dict[str, Any]:
        """Return the index in the form of CreateTable's ``GlobalSecondaryIndexes``."""
        parts = []
        for name in self.partition:
            parts.append({"AttributeName": name, "KeyType": "HASH"})
        for name in self.sort:
            parts.append({"AttributeName": name, "KeyType": "RANGE"})
        projection: dict[str, Any] = {"ProjectionType": "KEYS_ONLY"}
        if self.projected:
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(self.projected)}
        return {"IndexName": self.name, "KeySchema": parts, "Projection": projection}

    def entry_of(self, item: Item) -> Item | None:
        """Return the entry of an item, None for one that lacks an attribute of the key."""
        if not item.keys() >= set(self.key):
            return None
        names = dict.fromkeys((*TABLE_KEY, *self.key, *self.projected))
        return {name: item[name] for name in names if name in item}


# Storage


@dataclass(frozen=True, slots=True)
class Stored:
    """What items store: their own bytes, entries of indexes, and the bytes of these.

    ``billed`` are all bytes, with those that Amazon adds to each item and entry.
    """

    items: int
    item_bytes: int
    entries: int
    entry_bytes: int

    @property
    def billed(self) -> int:
        overhead = (self.items + self.entries) * BILLED_OVERHEAD
        return self.item_bytes + self.entry_bytes + overhead


def stored(items: Sequence[Item], indexes: Sequence[IndexShape]) -> Stored:
    """Add up what items store in their table and in its indexes."""
    size = 0
    sizes_of_entries = []
    for item in items:
        size += item_bytes(item)
        for index in indexes:
            entry = index.entry_of(item)
            if entry is not None:
                sizes_of_entries.append(item_bytes(entry))
    return Stored(len(items), size, len(sizes_of_entries), sum(sizes_of_entries))


# Writes


@dataclass(frozen=True, slots=True)
class WritePrice:
    """What a write takes that is not in a transaction, where the item itself counts twice.

    ``attributes`` are those of the item that it sets, changes or removes. ``put``, ``changed`` and
    ``deleted`` are entries of indexes; one whose key changes is deleted and put.
    """

    attributes: int
    put: int
    changed: int
    deleted: int
    units: int


def price_of_write(
    before: Item | None, after: Item | None, indexes: Sequence[IndexShape]
) -> WritePrice:
    """Count what it takes that an item becomes another one; None is no item."""
    was, becomes = before or {}, after or {}
    units = max(_units_of(was), _units_of(becomes))
    put = changed = deleted = 0
    for index in indexes:
        old, new = index.entry_of(was), index.entry_of(becomes)
        if old == new:
            continue
        if old is not None and new is not None and _has_same_key(index, old, new):
            changed += 1
            units += max(_units_of(old), _units_of(new))
            continue
        if old is not None:
            deleted += 1
            units += _units_of(old)
        if new is not None:
            put += 1
            units += _units_of(new)
    return WritePrice(len(_differing(was, becomes)), put, changed, deleted, units)


def _has_same_key(index: IndexShape, old: Item, new: Item) -> bool:
    return all(old[name] == new[name] for name in index.key)


def _differing(before: Item, after: Item) -> set[str]:
    """Return the names of attributes that two items do not have alike."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def _units_of(item: Item) -> int:
    """Return the write units of an item or entry, none for an empty one."""
    return ceil(item_bytes(item) / KILOBYTE)


# Reads


@dataclass(slots=True)
class ReadPrice:
    """What Queries took: calls, items that they returned, and units, eventually consistent."""

    calls: int = 0
    items: int = 0
    units: float = 0.0

    def add(self, items: Sequence[Item]) -> None:
        """Add a Query by the items that it returned, with all attributes of their entries."""
        size = sum(item_bytes(item) for item in items)
        self.calls += 1
        self.items += len(items)
        # A Query that finds nothing takes what the smallest takes.
        self.units += UNITS_PER_BLOCK * max(1, blocks_of(size))


@dataclass(slots=True)
class _QueriesSeen:
    price: ReadPrice = field(default_factory=ReadPrice)

    def see(self, parsed: Mapping[str, Any], **_: object) -> None:
        if parsed["ScannedCount"] != parsed["Count"]:
            raise ValueError("A Query with a filter cannot be priced by what it returns.")
        self.price.add(parsed["Items"])


@contextmanager
def priced_queries() -> Iterator[ReadPrice]:
    """Price the Queries that this process's client makes within the block, without filters."""
    seen = _QueriesSeen()
    events = client().meta.events
    events.register("after-call.dynamodb.Query", seen.see)
    try:
        yield seen.price
    finally:
        events.unregister("after-call.dynamodb.Query", seen.see)
