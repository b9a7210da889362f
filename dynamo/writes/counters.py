"""Sharded counters: exact counts with many concurrent writers.

Follows "Write Sharding (Table)" of "AWS DynamoDB (Design Patterns)". A counter has a name and any
number of *cells*, each a number attribute. It is one item, and half a capacity unit to read, until
two of its writers meet; then it is spread over more items with other partition keys. A write picks
any of these shards at random, a read sums them all. Shard 0 holds their number (see
`dynamo.writes.shards`).

A change is an action of the transaction that writes what is counted, so the sum is exact after
each. A cell of one shard may be negative; the sum never is.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pynamodb.attributes import NumberAttribute

from dynamo.calls.batches import Batches
from dynamo.items import Item, wire_key
from dynamo.writes.actions import Action, unchanged, update
from dynamo.writes.shards import SHARDS, Shards, shards_in
from dynamo.writes.transactions import Transactions

MOST_SHARDS = 64

Deltas = Mapping[str, Mapping[str, int]]
"""Changes of counters: the counter's name to its cells and what is added to each."""
Shard = tuple[str, int]
"""A counter's name and the number of one of its shards."""


@dataclass(frozen=True, slots=True)
class Counters:
    """The counters of one table.

    ``key_of(name, shard)`` returns the table key of a shard, attribute name to string.
    ``least_shards`` are used from the start: more than one where many writers are expected.
    """

    batches: Batches
    shards: Shards
    key_of: Callable[[str, int], Mapping[str, str]]
    least_shards: int = 1

    @classmethod
    def of_table(
        cls,
        batches: Batches,
        *,
        table: str,
        key_of: Callable[[str, int], Mapping[str, str]],
        least_shards: int = 1,
    ) -> "Counters":
        """Build the counters of a table."""
        shards = Shards(batches.client, table, lambda name: key_of(name, 0))
        return cls(batches, shards, key_of, least_shards)

    def change(self, name: str, deltas: Mapping[str, int]) -> Action:
        """Build the action that adds ``deltas`` (cell to number) to a counter, in one shard.

        A transaction may contain one change of a counter only. Raises ValueError when every delta
        is zero.
        """
        if not any(deltas.values()):
            raise ValueError(f"A change of the counter {name} that changes nothing")
        shard = self.shards.pick(name, least=self.least_shards)
        added = [_cell(cell).add(delta) for cell, delta in sorted(deltas.items()) if delta]
        return update(self.shards.table, self._key(name, shard), added)

    def spread(self, name: str) -> int:
        """Double the shards of a counter, up to `MOST_SHARDS`; return how many there are now."""
        stored = self.shards.count(name)
        return self.shards.raise_to(name, min(stored * 2, MOST_SHARDS))

    def read(self, name: str, *, consistent: bool = False) -> dict[str, int]:
        """Return the sums of a counter's cells, without those that are zero."""
        return self.read_many([name], consistent=consistent)[name]

    def read_many(
        self, names: Iterable[str], *, consistent: bool = False
    ) -> dict[str, dict[str, int]]:
        """Return the sums of several counters by name, as a rule in one round."""
        known = self.known(names)
        items = self.batches.get(self.shards.table, self.keys(known), consistent=consistent)
        return self.sums(known, items, consistent=consistent)

    def known(self, names: Iterable[str]) -> dict[str, int]:
        """Return how many shards this process knows of, for counters by name."""
        return {name: self.shards.known(name) for name in names}

    def keys(self, known: Mapping[str, int]) -> list[Item]:
        """Build the table keys of the known shards, to be read together with other items."""
        return [self._key(name, shard) for name, shard in _each(known)]

    def sums(
        self, known: Mapping[str, int], items: Iterable[Item], *, consistent: bool = False
    ) -> dict[str, dict[str, int]]:
        """Return the sums of counters by name, from what was read by `keys`, other items or not.

        Shard 0 tells how many shards there are. Those that were not known are read now.
        """
        shards = self._by_shard(_each(known), items)
        stored = {name: shards_in(shards.get((name, 0), {})) for name in known}
        new = [(name, shard) for name, shard in _each(stored) if shard >= known[name]]
        shards |= self._read(new, consistent=consistent)
        sums: dict[str, Counter[str]] = {name: Counter() for name in known}
        for (name, _), item in shards.items():
            sums[name].update(cells_in(item))
        for name, number in stored.items():
            self.shards.note(name, number)
        return {name: {c: n for c, n in cells.items() if n} for name, cells in sums.items()}

    def set_sums(self, name: str, cells: Mapping[str, int]) -> list[Action]:
        """Build the actions that set the sums of cells to recounted numbers; none if all are right.

        Their transaction raises ConditionFailed when a shard of these cells was changed meanwhile:
        then recount.
        """
        shards = self._shards_of(name)
        sums = Counter[str]()
        for item in shards:
            sums.update(cells_in(item))
        wrong = {cell: number - sums[cell] for cell, number in cells.items()}
        deltas = {cell: delta for cell, delta in sorted(wrong.items()) if delta}
        if not deltas:
            return []
        return [
            self._correction(name, shard, item, deltas if shard == 0 else dict.fromkeys(deltas, 0))
            for shard, item in enumerate(shards)
        ]

    def _shards_of(self, name: str) -> list[Item]:
        number = self.shards.count(name)
        items = self._read([(name, shard) for shard in range(number)], consistent=True)
        return [items.get((name, shard), {}) for shard in range(number)]

    def _correction(self, name: str, shard: int, item: Item, deltas: Mapping[str, int]) -> Action:
        added = [_cell(cell).add(delta) for cell, delta in deltas.items()]
        condition = unchanged(item, *map(_cell, deltas))
        return update(self.shards.table, self._key(name, shard), added, condition)

    def _read(self, shards: list[Shard], *, consistent: bool) -> dict[Shard, Item]:
        keys = [self._key(name, shard) for name, shard in shards]
        items = self.batches.get(self.shards.table, keys, consistent=consistent)
        return self._by_shard(shards, items)

    def _by_shard(self, shards: list[Shard], items: Iterable[Item]) -> dict[Shard, Item]:
        parts = tuple(self.key_of("", 0))
        by_key = {_strings(self._key(*shard), parts): shard for shard in shards}
        found = ((by_key.get(_strings(item, parts)), item) for item in items)
        return {shard: item for shard, item in found if shard}

    def _key(self, name: str, shard: int) -> Item:
        return wire_key(self.key_of(name, shard))


def write_counted(
    actions: Sequence[Action],
    deltas: Deltas,
    *,
    transactions: Transactions,
    counters: Callable[[str], Counters],
) -> None:
    """Write ``actions`` and changes of counters in one transaction, all or nothing.

    ``counters`` returns, for the name of a counter, the `Counters` it belongs to; a counter that
    meets another writer is spread over more shards before the next attempt. The changes come after
    ``actions``, whose numbers are therefore those in ConditionFailed. Raises like
    `Transactions.write`.
    """
    names = [name for name, cells in deltas.items() if any(cells.values())]

    def build() -> list[Action]:
        return [*actions, *(counters(name).change(name, deltas[name]) for name in names)]

    def spread(conflicts: frozenset[int]) -> None:
        for number, name in enumerate(names, len(actions)):
            if number in conflicts:
                counters(name).spread(name)

    transactions.write(build, on_conflict=spread)


def cells_in(item: Item) -> dict[str, int]:
    """Return the cells of one shard, as stored in its item."""
    return {
        name: int(value["N"]) for name, value in item.items() if "N" in value and name != SHARDS
    }


def _each(shards: Mapping[str, int]) -> list[Shard]:
    return [(name, shard) for name, number in shards.items() for shard in range(number)]


def _cell(name: str) -> NumberAttribute:
    return NumberAttribute(attr_name=name)


def _strings(item: Item, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(item[name]["S"] for name in names)
