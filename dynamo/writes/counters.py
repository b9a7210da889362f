"""Sharded counters: exact counts that many may change at once ("Write Sharding (Table)").

A counter has a name and any number of *cells*, each an attribute with a count. It is one item
as long as its writers do not meet, so that reading a quiet one costs half a unit. When they do
meet, it is spread over more items, under more partition keys: a write picks any of them, a read
sums them all. Item 0 says how many there are (see `dynamo.writes.shards`).

A change is an action for the very transaction that changes what is counted: the sum is exact
after each. A cell of one shard may well be negative; the sum never is.
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


@dataclass(frozen=True, slots=True)
class Counters:
    """The counters of one table. The key of a counter's shard is ``key_of(name, shard)``.

    ``least_shards`` are used from the start: one, unless it is known to be written by many.
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
        """Make the counters of a table."""
        shards = Shards(batches.client, table, lambda name: key_of(name, 0))
        return cls(batches, shards, key_of, least_shards)

    def change(self, name: str, deltas: Mapping[str, int]) -> Action:
        """Give the action that adds ``deltas`` to a counter's cells, in one of its shards.

        A transaction may hold one change of a counter: put all its deltas into it. Raises
        ValueError when every delta is zero, for which there is no action.
        """
        if not any(deltas.values()):
            raise ValueError(f"A change of the counter {name} that changes nothing")
        shard = self.shards.pick(name, least=self.least_shards)
        added = [_cell(cell).add(delta) for cell, delta in sorted(deltas.items()) if delta]
        return update(self.shards.table, self._key(name, shard), added)

    def spread(self, name: str) -> int:
        """Double the shards of a counter whose writers met; return how many there are now."""
        stored = self.shards.count(name)
        return self.shards.raise_to(name, min(stored * 2, MOST_SHARDS))

    def read(self, name: str, *, consistent: bool = False) -> dict[str, int]:
        """Sum a counter's cells over its shards; cells that come to nothing are left out."""
        return self.read_many([name], consistent=consistent)[name]

    def read_many(
        self, names: Iterable[str], *, consistent: bool = False
    ) -> dict[str, dict[str, int]]:
        """Sum the cells of several counters: one round for item 0, one for any further shards."""
        wanted = list(dict.fromkeys(names))
        firsts = self._items([(name, 0) for name in wanted], consistent=consistent)
        more = [
            (name, shard)
            for name in wanted
            for shard in range(1, shards_in(firsts.get((name, 0), {})))
        ]
        items = firsts | self._items(more, consistent=consistent)
        sums: dict[str, Counter[str]] = {name: Counter() for name in wanted}
        for (name, _), item in items.items():
            sums[name].update(cells_in(item))
        return {name: {c: n for c, n in cells.items() if n} for name, cells in sums.items()}

    def set_sums(self, name: str, cells: Mapping[str, int]) -> list[Action]:
        """Build the actions that make cells of a counter come to these sums, as recounted.

        They hold only while no shard of these cells changes meanwhile: else the transaction
        fails with ConditionFailed, and the recount is to be made again. Cells that are right
        already need no action.
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
        items = self._items([(name, shard) for shard in range(number)], consistent=True)
        return [items.get((name, shard), {}) for shard in range(number)]

    def _correction(self, name: str, shard: int, item: Item, deltas: Mapping[str, int]) -> Action:
        added = [_cell(cell).add(delta) for cell, delta in deltas.items()]
        condition = unchanged(item, *map(_cell, deltas))
        return update(self.shards.table, self._key(name, shard), added, condition)

    def _items(
        self, shards: list[tuple[str, int]], *, consistent: bool
    ) -> dict[tuple[str, int], Item]:
        keys = [self._key(name, shard) for name, shard in shards]
        found = self.batches.get(self.shards.table, keys, consistent=consistent)
        parts = self.key_of("", 0).keys()
        by_values = {_strings(key, parts): shard for key, shard in zip(keys, shards, strict=True)}
        return {by_values[_strings(item, parts)]: item for item in found}

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
    """Give the cells of one shard's item."""
    return {
        name: int(value["N"]) for name, value in item.items() if "N" in value and name != SHARDS
    }


def _cell(name: str) -> NumberAttribute:
    return NumberAttribute(attr_name=name)


def _strings(item: Item, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(item[name]["S"] for name in names)
