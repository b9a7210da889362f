"""A proxy before an engine, which throttles each partition key by a clock of its own.

No emulator throttles. The proxy finds the partitions of a call in its request, and what it took in
the answer's ConsumedCapacity, which has the units of the table and of each index. Where a write
changes an index, the keys there are those of the item before and after it, which the proxy reads.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from re import findall
from threading import Lock
from typing import Any, NamedTuple, Self

from dynapages.engine.proxy import Answer, Call, Proxy, refusal
from dynapages.items import Item, item_bytes
from lab.scale.limits import Buckets, Limits, Partition

READS = frozenset({"GetItem", "BatchGetItem", "Query"})
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"})
WRITE_BLOCK = 1024


class Use(NamedTuple):
    """The units that a call takes of a partition."""

    partition: Partition
    units: float


@dataclass(frozen=True, slots=True)
class ProxiedCall:
    """A call that was let through; ``actions`` are those of a transaction, else 1."""

    operation: str
    uses: tuple[Use, ...]
    actions: int
    response_bytes: int

    @property
    def units(self) -> float:
        return sum(use.units for use in self.uses)


class Key(NamedTuple):
    """A key that a request names, in a table or index, and its part of the units."""

    partition: Partition
    weight: float = 1.0


@dataclass(slots=True)
class ThrottlingProxy(Proxy):
    """A proxy that throttles some calls.

    Tables in ``exempt`` are not throttled, none where ``limits`` are None. While it is ``paused``
    calls are neither throttled nor counted. ``seen`` counts calls, ``throttled`` those refused, and
    ``refused`` them by partition; a call that the same page repeats counts once. ``log`` has the
    calls since `begin_page`.
    """

    limits: Limits | None = None
    exempt: Sequence[str] = ()
    paused: bool = False
    seen: int = 0
    throttled: int = 0
    refused: Counter[Partition] = field(default_factory=Counter)
    log: list[ProxiedCall] = field(default_factory=list)
    _buckets: Buckets = field(init=False)
    _repeated: set[bytes] = field(default_factory=set)
    _guard: Lock = field(default_factory=Lock)
    shapes: dict[str, list["Shape"]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.restart(self.limits)

    def restart(self, limits: Limits | None) -> None:
        """Begin anew with full buckets, at second 0."""
        self.limits, self.seen, self.throttled = limits, 0, 0
        self._buckets = Buckets(limits or Limits())
        self.refused.clear()

    def advance(self, second: int) -> None:
        """Set the proxy's clock."""
        self._buckets.second = second

    def begin_page(self) -> None:
        """Begin with the calls of a page."""
        self.log.clear()
        self._repeated.clear()

    def is_refused(self, body: bytes, keys: Sequence[Key]) -> bool:
        """Count a call; return whether a partition of it has nothing left."""
        asked = {each.partition for each in keys if each.partition.table not in self.exempt}
        with self._guard:
            if body in self._repeated:
                return True
            self.seen += 1
            empty = [one for one in asked if self.limits and self._buckets.left(one) <= 0]
            if empty:
                self._repeated.add(body)
                self.throttled += 1
                self.refused.update(empty)
            return bool(empty)

    def charge(self, call: ProxiedCall) -> None:
        """Charge a call that was let through."""
        with self._guard:
            self.log.append(call)
            for use in call.uses:
                self._buckets.charge(use.partition, use.units)

    def answer(self, call: Call) -> Answer | None:
        """Return the engine's answer, or a refusal where a partition has nothing left."""
        if self.paused or call.operation not in READS | WRITES:
            return call.send()
        before = self._images(call)
        keys = [*self._keys_of(call), *self._index_keys(call, before)]
        if self.is_refused(call.body, keys):
            return _throttled(call)
        answer = call.ask(call.operation, {**call.request, "ReturnConsumedCapacity": "INDEXES"})
        if consumed := answer.decoded().get("ConsumedCapacity"):
            index_keys = list(self._index_keys(call, before, written=True))
            told = consumed if isinstance(consumed, list) else [consumed]
            uses = _uses_of(told, keys, index_keys)
            actions = len(call.actions())
            self.charge(ProxiedCall(call.operation, tuple(uses), actions, len(answer.body)))
        return answer

    def _keys_of(self, call: Call) -> Iterator[Key]:
        """Yield the keys that a request names: those of items, or that of a Query."""
        request = call.request
        if call.operation == "Query":
            table, wanted = request["TableName"], request.get("IndexName", "")
            shapes = self._shapes(call, table)
            # A local index is in the partitions of its table.
            shape = next((one for one in shapes if one.index == wanted), shapes[0])
            yield Key(Partition(table, shape.index, _queried(request, shape.keys[0])))
        elif call.operation in READS:
            single = {request["TableName"]: {"Keys": [request["Key"]]}} if "Key" in request else {}
            for table, asked in request.get("RequestItems", single).items():
                name = self._shapes(call, table)[0].keys[0]
                yield from (Key(Partition(table, "", _text(key[name]))) for key in asked["Keys"])
        else:
            for action in call.actions():
                table, item = action["TableName"], action.get("Item") or action["Key"]
                key = _text(item[self._shapes(call, table)[0].keys[0]])
                weight = ceil(item_bytes(item) / WRITE_BLOCK)
                yield Key(Partition(table, "", key, is_write=True), weight)

    def _images(self, call: Call) -> list[Item]:
        """Read the items that a call writes in tables with global indexes, as they are."""
        if call.operation not in WRITES:
            return []
        return [self._image(call, action) for action in call.actions()]

    def _image(self, call: Call, action: Mapping[str, Any]) -> Item:
        table = action["TableName"]
        shape, *indexes = self._shapes(call, table)
        if not indexes:
            return {}
        key = action.get("Key") or {name: action["Item"][name] for name in shape.keys}
        request = {"TableName": table, "Key": key, "ConsistentRead": True}
        found: Item = call.ask("GetItem", request).decoded().get("Item", {})
        return found

    def _index_keys(
        self, call: Call, before: Sequence[Item], *, written: bool = False
    ) -> Iterator[Key]:
        """Yield the keys in indexes of the items before a write, and of those that it puts.

        When it is ``written``, of all entries that it has changed.
        """
        for action, old in zip(call.actions() if before else (), before, strict=True):
            new = self._image(call, action) if written else action.get("Item", {})
            table, (_, *indexes) = action["TableName"], self._shapes(call, action["TableName"])
            for shape in indexes:
                entries = [shape.entry(old), shape.entry(new)]
                if not (written and entries[0] == entries[1]):
                    texts = {_text(entry[shape.keys[0]]) for entry in entries if entry}
                    for key in sorted(texts):
                        yield Key(Partition(table, shape.index, key, is_write=True))

    def _shapes(self, call: Call, table: str) -> list["Shape"]:
        if table not in self.shapes:
            described = call.ask("DescribeTable", {"TableName": table}).decoded()["Table"]
            self.shapes[table] = _shapes_of(described)
        return self.shapes[table]


@dataclass(frozen=True, slots=True)
class Shape:
    """A table (``index`` is empty) or a global index: its key, and the attributes of its entries.

    ``keys`` begin with the partition key; ``projected`` is None where all attributes are.
    """

    index: str
    keys: tuple[str, ...]
    projected: frozenset[str] | None = None

    @classmethod
    def of(cls, described: Mapping[str, Any], table_keys: tuple[str, ...] = ()) -> Self:
        keys = tuple(key["AttributeName"] for key in described["KeySchema"])
        projection = described.get("Projection", {"ProjectionType": "ALL"})
        some = {*keys, *table_keys, *projection.get("NonKeyAttributes", ())}
        is_whole = projection["ProjectionType"] == "ALL"
        return cls(described.get("IndexName", ""), keys, None if is_whole else frozenset(some))

    def entry(self, item: Item) -> Item:
        """Return what is stored of an item; it is empty where the item has no key of it."""
        if any(key not in item for key in self.keys):
            return {}
        return {k: v for k, v in item.items() if self.projected is None or k in self.projected}


def _shapes_of(table: Mapping[str, Any]) -> list[Shape]:
    own = Shape.of(table)
    return [own, *(Shape.of(one, own.keys) for one in table.get("GlobalSecondaryIndexes", ()))]


def _throttled(call: Call) -> Answer:
    if "TransactItems" not in call.request:
        return refusal(400, "ProvisionedThroughputExceededException")
    reasons = [{"Code": "ThrottlingError"} for _ in call.actions()]
    return refusal(400, "TransactionCanceledException", CancellationReasons=reasons)


def _queried(request: Mapping[str, Any], name: str) -> str:
    """Return the value that a Query's key condition compares the partition key with."""
    names = request.get("ExpressionAttributeNames", {})
    compared = dict(findall(r"([\w#]+)\s*=\s*(:\w+)", request["KeyConditionExpression"]))
    (value,) = (compared[one] for one in compared if names.get(one, one) == name)
    return _text(request["ExpressionAttributeValues"][value])


def _text(value: Mapping[str, Any]) -> str:
    return str(next(iter(value.values())))


def _uses_of(
    consumed: Sequence[Mapping[str, Any]], keys: Sequence[Key], index_keys: Sequence[Key]
) -> Iterator[Use]:
    """Yield what a call took of each partition: of several keys each takes its part."""
    for told in consumed:
        table = told["TableName"]
        indexes = told.get("GlobalSecondaryIndexes", {})
        of_table = told["CapacityUnits"] - sum(one["CapacityUnits"] for one in indexes.values())
        yield from _divided(of_table, (k for k in keys if k.partition[:2] == (table, "")))
        for index, units in indexes.items():
            among = index_keys or keys
            chosen = partial(_is_of, table, index)
            yield from _divided(units["CapacityUnits"], filter(chosen, among))


def _is_of(table: str, index: str, key: Key) -> bool:
    return key.partition[:2] == (table, index)


def _divided(units: float, among: Iterable[Key]) -> Iterator[Use]:
    keys = list(among)
    whole = sum(key.weight for key in keys)
    for key in keys if units else ():
        yield Use(key.partition, units * key.weight / whole)
