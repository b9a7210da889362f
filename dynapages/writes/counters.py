"""Sharded counters: exact counts with many concurrent writers.

Follows "Write Sharding (Table)" of "AWS DynamoDB (Design Patterns)". A counter has a name and any
number of *cells*, each a number attribute. It is one item, and half a capacity unit to read, until
a writer loses to others twice; then it is spread over more items with other partition keys. A
write picks any of these shards at random, a read sums them all. Shard 0 holds their number.

A change is an action of the transaction that writes what is counted, so the sum is exact after
each. A cell of one shard may be negative; the sum never is.

A quiet counter is folded back. Processes remember numbers of shards, which may therefore be too
low or too high:

- Shards are created together with their number, and a change of a shard but the first requires
  that the shard exists. A writer that knows too many is refused, reads the number, and tries again.
- All shards carry the same text, `_SPREAD`, which each fold replaces. A reader whose shards differ
  in it, because they were folded between two of its reads, reads them again.
- Each change replaces the text `_CHANGE` of its shard. A fold is one transaction, on condition
  that no shard was changed since it was read.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import randrange
from secrets import token_urlsafe
from typing import TYPE_CHECKING, TypeVar

from dynapages.calls.batches import Batches
from dynapages.calls.faults import FAILURES, Throttled, fault_in
from dynapages.calls.meter import labelled_calls
from dynapages.calls.pool import Pool
from dynapages.errors import DynamoError
from dynapages.items import Item, KeyValue, key_value, wire_key, wire_value
from dynapages.writes.transactions import (
    Action,
    ConditionFailed,
    Contended,
    Expression,
    Transactions,
    check,
    delete,
    put,
    unchanged,
    update,
    write_item,
    write_transaction,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


T = TypeVar("T")

SHARDS = "_shards"
"""The attribute with the number; an item without it means one shard."""


@dataclass(slots=True)
class Shards:
    """Numbers of shards, each in the item of ``table`` whose key is ``key_of(name)``.

    A number is raised, never lowered, before the first writer uses a new shard. A process remembers
    it: maybe too low, never too high. Writers rely on that; readers must read all shards, so they
    read those they know of together with the number, and the others afterwards.
    """

    client: "DynamoDBClient"
    table: str
    key_of: Callable[[str], Mapping[str, KeyValue]]
    _known: dict[str, int] = field(default_factory=dict)

    def known(self, name: str) -> int:
        """Return how many shards there are at least, as far as this process knows."""
        return self._known.get(name, 1)

    def note(self, name: str, number: int) -> None:
        """Remember a number that was read."""
        if number > self.known(name):
            self._known[name] = number

    def raise_to(self, name: str, number: int) -> None:
        """Raise the number to ``number`` unless it is as high already."""
        stored, values = {"#n": SHARDS}, {":n": {"N": str(number)}}
        raised = update(
            self.table,
            wire_key(self.key_of(name)),
            Expression("SET #n = :n", stored, values),
            Expression("attribute_not_exists(#n) OR #n < :n", stored, values),
        )
        try:
            write_item(self.client, raised)
        except ConditionFailed:
            self.count(name)
        else:
            self.note(name, number)

    def count(self, name: str) -> int:
        """Return the stored number, read strongly."""
        key = wire_key(self.key_of(name))
        with labelled_calls("shards"):
            response = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)
        stored = shards_in(response.get("Item", {}))
        self.note(name, stored)
        return stored


@dataclass(frozen=True, slots=True)
class NamedShards:
    """The shards of one name, such as those of a queue, whose number is one of `Shards`.

    There are at least ``least``. This and ``shards`` are called anew each time: the client may be
    another by then, and a setting another number.
    """

    name: str
    shards: Callable[[], Shards]
    least: Callable[[], int]

    def pick(self) -> int:
        """Return a random shard to write to."""
        return randrange(self.writable())  # noqa: S311 - spreads load

    def writable(self) -> int:
        """Return how many shards a writer may use, stored if that is new."""
        shards, least = self.shards(), self.least()
        if least > shards.known(self.name):
            shards.raise_to(self.name, least)
        return shards.known(self.name)

    def count(self) -> int:
        """Return the stored number, read strongly."""
        return self.shards().count(self.name)

    def raise_to(self, number: int) -> None:
        """Raise the stored number to at least ``number``."""
        self.shards().raise_to(self.name, number)

    def spreading(self, *, most: int) -> Callable[[frozenset[int]], None]:
        """Return the ``on_throttled`` of a write whose first action is an item in a shard.

        When it was throttled `LOSSES` times, the shards known now are doubled, up to ``most``, for
        the writes to come. Writers that are throttled at once double them once.
        """
        known = self.shards().known(self.name)
        number, losses = min(2 * known, most), itertools.count(1)

        def spread(throttled: frozenset[int]) -> None:
            if 0 in throttled and next(losses) == LOSSES and number > known:
                try:
                    self.raise_to(number)
                except FAILURES as failure:
                    if not isinstance(fault_in(failure), Throttled):  # then the next one does it
                        raise

        return spread

    def read_all(
        self, read: Callable[[int], T], *, pool: Pool, count: Callable[[], int] | None = None
    ) -> T:
        """Return what ``read`` returns for the stored number of shards, in one round as a rule.

        It is called with the number that this process knows, while the stored one is read, and
        again if that is greater. Shards may be used as soon as their number is stored, so nothing
        is missed that was written before this read began. ``count`` may read the number together
        with other items.
        """
        shards = self.shards()
        with pool.together() as together:
            counted = together.start(count or partial(shards.count, self.name))
            known = shards.known(self.name)
            found = read(known)
            stored = counted.result()
        shards.note(self.name, stored)
        return found if stored <= known else read(stored)


def shards_in(item: Item) -> int:
    """Return the number of shards stored in an item."""
    return int(item[SHARDS]["N"]) if SHARDS in item else 1


MOST_SHARDS = 8
LOSSES = 2
"""How often a write meets others on a counter before the counter is spread."""
ATTEMPTS = 5

Deltas = Mapping[str, Mapping[str, int]]
"""Changes of counters: the counter's name to its cells and what is added to each."""
Shard = tuple[str, int]
"""A counter's name and the number of one of its shards."""

_SPREAD, _CHANGE = "_spread", "_change"


class NoSuchCounter(DynamoError):
    """A counter that only `Counters.begin` creates does not exist."""


@dataclass(frozen=True, slots=True)
class Counters:
    """The counters of one table, of which each has a name and cells.

    Visits of pages, counted exactly in a table whose key is the string ``id``, together with what
    is counted::

        counters = Counters(
            Batches(client, Pool(4)), "visits", lambda name, shard: {"id": f"{name}#{shard}"}
        )
        visit = put("visits", {"id": {"S": "visit-1"}, "page": {"S": "home"}})
        write_with_counters(
            [visit],
            {"home": {"views": 1, "from abroad": 1}},
            transactions=Transactions(client),
            counters=lambda _name: counters,
        )
        sums = counters.read("home")  # {"views": 1, "from abroad": 1}

    ``key_of(name, shard)`` returns the table key of a shard, attribute name to string.
    ``least_shards`` are used from the start: more than one where many writers are expected. A
    counter is spread over ``most_shards``, unless it begins with more. With ``must_exist`` only
    `begin` creates a counter.
    """

    batches: Batches
    table: str
    key_of: Callable[[str, int], Mapping[str, KeyValue]]
    least_shards: int = 1
    most_shards: int = MOST_SHARDS
    must_exist: bool = False
    _known: dict[str, int] = field(default_factory=dict, compare=False)

    def change(self, name: str, deltas: Mapping[str, int]) -> Action:
        """Build the action that adds ``deltas`` (cell to number) to a counter, in one shard.

        A transaction may contain one change of a counter only. Its condition fails when this
        process knows a shard that does not exist: see `write_with_counters`. Raises ValueError when
        every delta is zero.
        """
        number = self._known.get(name, 1)
        if number < self.least_shards:
            number = self.ensure(name, self.least_shards)
        shard = randrange(number)  # noqa: S311 - spreads load
        there = _SPREAD if shard else self._key_name
        exists = Expression("attribute_exists(#there)", {"#there": there})
        return self._add(name, shard, deltas, exists if shard or self.must_exist else None)

    def begin(self, name: str, deltas: Mapping[str, int]) -> Action:
        """Build the change that creates a counter, or adds to its first shard.

        With ``must_exist``, for a transaction that checks what the counter belongs to.
        """
        return self._add(name, 0, deltas)

    def deletions(self, name: str) -> list[Action]:
        """Build the actions that delete a counter, its first shard last; none where there is none.

        Their transaction raises ConditionFailed when the counter was changed since this call.
        """
        shards = self._load(name)
        if not shards[0]:
            return []
        every = reversed(list(enumerate(shards)))
        return [delete(self.table, self._key(name, n), _as_read(item)) for n, item in every]

    def spread(self, name: str) -> int:
        """Double the shards of a counter, up to ``most_shards``; return how many there are.

        It is left as it is where another process has spread it since this one read the number.
        """
        known = self._known.get(name, 1)
        if known >= self.most_shards:
            return known
        stored = len(self._load(name))
        return stored if stored > known else self.ensure(name, min(stored * 2, self.most_shards))

    def fold(self, name: str) -> bool:
        """Fold a counter back into its least shards; return False if it was changed meanwhile.

        Nothing measures how quiet a counter is: one that is changed between the read and the
        transaction stays as it is, and a busy one is soon spread again.
        """
        shards, kept = self._load(name), self.least_shards
        if len(shards) <= kept:
            return True
        sums = self._summed([shards[0], *shards[kept:]])
        spread = token_urlsafe(6)
        texts = {_SPREAD: {"S": spread}, _CHANGE: {"S": spread}}
        cells = {cell: {"N": str(number)} for cell, number in sums.items() if number}
        whole = {**self._key(name, 0), SHARDS: {"N": str(kept)}, **texts, **cells}
        actions = [put(self.table, whole, _as_read(shards[0]))]
        for number, item in enumerate(shards[1:], 1):
            key = self._key(name, number)
            if number < kept:
                actions.append(update(self.table, key, _changes({_SPREAD: spread})))
            else:
                actions.append(delete(self.table, key, _as_read(item)))
        try:
            write_transaction(self.batches.client, actions)
        except ConditionFailed:
            return False
        self._known[name] = kept
        return True

    def ensure(self, name: str, least: int = 1) -> int:
        """Make sure that a counter has ``least`` shards, and that all it has exist.

        Returns how many it has, read strongly. Raises NoSuchCounter, and Contended.
        """
        for _ in range(ATTEMPTS):
            shards = self._load(name)
            if self.must_exist and not shards[0]:
                raise NoSuchCounter(name)
            number = max(least, len(shards))
            if number == len(shards) and _is_whole(shards):
                return number
            try:
                write_transaction(self.batches.client, self._creations(name, shards, number))
            except ConditionFailed:
                continue
            self._known[name] = number
            return number
        raise Contended

    def read(self, name: str, *, consistent: bool = False) -> dict[str, int]:
        """Return the sums of a counter's cells, without those that are zero."""
        return self.read_many([name], consistent=consistent)[name]

    def read_many(
        self, names: Iterable[str], *, consistent: bool = False
    ) -> dict[str, dict[str, int]]:
        """Return the sums of several counters by name, as a rule in one round."""
        known = self.known(names)
        items = self.batches.get(self.table, self.keys(known), consistent=consistent)
        return self.sums(known, items, consistent=consistent)

    def known(self, names: Iterable[str]) -> dict[str, int]:
        """Return how many shards this process knows of, for counters by name."""
        return {name: self._known.get(name, 1) for name in names}

    def keys(self, known: Mapping[str, int]) -> list[Item]:
        """Build the table keys of the known shards, to be read together with other items."""
        return [self._key(name, shard) for name, shard in _each(known)]

    def sums(
        self, known: Mapping[str, int], items: Iterable[Item], *, consistent: bool = False
    ) -> dict[str, dict[str, int]]:
        """Return the sums of counters by name, from what was read by `keys`, other items or not.

        Shard 0 tells how many shards there are. Those that were not known are read now.
        """
        stored = self._complete(known, items, consistent=consistent)
        return {name: {c: n for c, n in self._summed(s).items() if n} for name, s in stored.items()}

    def set_sums(self, name: str, cells: Mapping[str, int]) -> list[Action]:
        """Build the actions that set the sums of cells to recounted numbers; none if all are right.

        Their transaction raises ConditionFailed when a shard of these cells was changed meanwhile:
        then recount.
        """
        shards = self._load(name)
        sums = self._summed(shards)
        wrong = {cell: number - sums[cell] for cell, number in cells.items()}
        deltas = {cell: delta for cell, delta in sorted(wrong.items()) if delta}
        if not deltas:
            return []
        same = [unchanged(item, SHARDS, _SPREAD, *deltas) for item in shards]
        return [
            self._add(name, 0, deltas, same[0]),
            *(check(self.table, self._key(name, n), same[n]) for n in range(1, len(shards))),
        ]

    def _add(
        self, name: str, shard: int, deltas: Mapping[str, int], condition: Expression | None = None
    ) -> Action:
        if not any(deltas.values()):
            raise ValueError(f"A change of the counter {name} that changes nothing")
        changes = _changes({_CHANGE: token_urlsafe(6)}, deltas)
        return update(self.table, self._key(name, shard), changes, condition)

    def cells_in(self, item: Item) -> dict[str, int]:
        """Return the cells of one shard, every number of its item but those of its key."""
        others = {SHARDS, *self.key_of("", 0)}
        return {
            name: int(value["N"])
            for name, value in item.items()
            if "N" in value and name not in others
        }

    def _summed(self, shards: Iterable[Item]) -> Counter[str]:
        sums = Counter[str]()
        for item in shards:
            sums.update(self.cells_in(item))
        return sums

    @property
    def _key_name(self) -> str:
        return next(iter(self.key_of("", 0)))

    def _creations(self, name: str, shards: Sequence[Item], number: int) -> list[Action]:
        """Build the actions that store ``number`` and create the shards that do not exist."""
        text = token_urlsafe(6)
        spread: str = shards[0].get(_SPREAD, {"S": text})["S"]
        texts = {_SPREAD: spread, _CHANGE: text}
        same = unchanged(shards[0], SHARDS, _SPREAD, *([self._key_name] if self.must_exist else []))
        created = [
            update(self.table, self._key(name, n), _changes(texts))
            for n in range(1, number)
            if n >= len(shards) or shards[n].get(_SPREAD) != {"S": spread}
        ]
        return [
            update(self.table, self._key(name, 0), _changes({SHARDS: number, **texts}), same),
            *created,
        ]

    def _load(self, name: str) -> list[Item]:
        """Read the stored shards of a counter strongly; an empty item where one is missing."""
        known = self.known([name])
        items = self.batches.get(self.table, self.keys(known), consistent=True)
        return self._complete(known, items, consistent=True)[name]

    def _complete(
        self,
        known: Mapping[str, int],
        items: Iterable[Item],
        *,
        consistent: bool,
        before: Mapping[str, list[Item]] | None = None,
    ) -> dict[str, list[Item]]:
        """Return the items of all stored shards by counter, given those of the known ones.

        Shards that were folded meanwhile are read again, strongly, unless this finds the same:
        then a deletion was interrupted.
        """
        shards = self._by_shard(_each(known), items)
        stored = {name: shards_in(shards.get((name, 0), {})) for name in known}
        new = [(name, shard) for name, shard in _each(stored) if shard >= known[name]]
        shards |= self._read(new, consistent=consistent)
        found = {name: [shards.get((name, n), {}) for n in range(stored[name])] for name in known}
        self._known.update(stored)
        doubtful = {
            name: stored[name]
            for name, read in found.items()
            if not _is_whole(read) and read != (before or {}).get(name)
        }
        if doubtful:
            items = self.batches.get(self.table, self.keys(doubtful), consistent=True)
            found |= self._complete(doubtful, items, consistent=True, before=found)
        return found

    def _read(self, shards: list[Shard], *, consistent: bool) -> dict[Shard, Item]:
        keys = [self._key(name, shard) for name, shard in shards]
        items = self.batches.get(self.table, keys, consistent=consistent)
        return self._by_shard(shards, items)

    def _by_shard(self, shards: list[Shard], items: Iterable[Item]) -> dict[Shard, Item]:
        parts = tuple(self.key_of("", 0))
        by_key = {_values(self._key(*shard), parts): shard for shard in shards}
        found = ((by_key.get(_values(item, parts)), item) for item in items)
        return {shard: item for shard, item in found if shard}

    def _key(self, name: str, shard: int) -> Item:
        return wire_key(self.key_of(name, shard))


def write_with_counters(
    actions: Sequence[Action],
    deltas: Deltas,
    *,
    transactions: Transactions,
    counters: Callable[[str], Counters],
    on_throttled: Callable[[frozenset[int]], None] = lambda _numbers: None,
) -> None:
    """Write ``actions`` and changes of counters in one transaction, all or nothing.

    ``counters`` returns, for the name of a counter, the `Counters` it belongs to; a counter that
    meets other writers `LOSSES` times is spread over more shards before the next attempt.
    ``on_throttled`` is that of `Transactions.write`, such as `NamedShards.spreading` returns. The
    numbers in ConditionFailed are those of ``actions``: a change whose shard does not exist is made
    in another. Raises NoSuchCounter, and what `Transactions.write` does.
    """
    names = [name for name, cells in deltas.items() if any(cells.values())]
    losses = Counter[str]()

    def build() -> list[Action]:
        return [*actions, *(counters(name).change(name, deltas[name]) for name in names)]

    def spread(conflicts: frozenset[int]) -> None:
        for number, name in enumerate(names, len(actions)):
            losses[name] += number in conflicts
            if losses[name] == LOSSES:
                losses[name] = 0
                with suppress(Contended):  # then the next attempt is made in the shards there are
                    counters(name).spread(name)

    for _ in range(ATTEMPTS):
        try:
            transactions.write(build, on_conflict=spread, on_throttled=on_throttled)
        except ConditionFailed as error:
            if refused := {n: item for n, item in error.failed.items() if n < len(actions)}:
                raise ConditionFailed(refused) from error
            for name in (names[number - len(actions)] for number in error.failed):
                counters(name).ensure(name)
        else:
            return
    raise Contended


def _is_whole(shards: Sequence[Item]) -> bool:
    """Return whether shards were read between the same two folds."""
    first, *others = [item.get(_SPREAD) for item in shards]
    return all(text == first for text in others)


def _as_read(item: Item) -> Expression:
    return unchanged(item, SHARDS, _SPREAD, _CHANGE)


def _each(shards: Mapping[str, int]) -> list[Shard]:
    return [(name, shard) for name, number in shards.items() for shard in range(number)]


def _changes(values: Mapping[str, KeyValue], deltas: Mapping[str, int] | None = None) -> Expression:
    """Build what sets attributes to values, and adds to cells what is not zero."""
    added = {cell: delta for cell, delta in sorted((deltas or {}).items()) if delta}
    changed = [*values.items(), *added.items()]
    sets = ", ".join(f"#{n} = :{n}" for n in range(len(values)))
    adds = ", ".join(f"#{n} :{n}" for n in range(len(values), len(changed)))
    return Expression(
        f"SET {sets} ADD {adds}" if adds else f"SET {sets}",
        {f"#{n}": name for n, (name, _) in enumerate(changed)},
        {f":{n}": wire_value(value) for n, (_, value) in enumerate(changed)},
    )


def _values(item: Item, names: Iterable[str]) -> tuple[KeyValue, ...]:
    return tuple(key_value(item[name]) for name in names)
