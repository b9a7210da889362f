"""Sharded counters: exact counts with many concurrent writers.

`Counters` reads and changes the counters of one table; `write_with_counters` writes items and what
counts them in one transaction. Follows "Write Sharding (Table)" of "AWS DynamoDB (Design
Patterns)".

A counter has a name and any number of *cells*, each a number attribute. It is one item, and half a
capacity unit to read, until a writer loses to others twice; then it is spread over more items with
other partition keys. A write picks any of these shards at random, a read sums them all. Shard 0
holds their number.

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

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import randrange
from secrets import token_urlsafe

from dynapages.calls.batches import Batches
from dynapages.errors import DynamoError
from dynapages.items import Item, KeyValue, Value, key_value, wire_key, wire_value
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
    write_transaction,
)

Deltas = Mapping[str, Mapping[str, int]]
"""Changes of counters: the counter's name to its cells and what is added to each."""
Shard = tuple[str, int]
"""A counter's name and the number of one of its shards."""

SHARDS = "_shards"
"""The attribute with the number of shards; an item without it means one shard."""
MOST_SHARDS = 8
LOSSES_TO_SPREAD = 2
"""How often a write meets others, or is throttled, before what it writes to is spread further."""
ATTEMPTS = 5
"""Transactions that a change or a creation of shards is tried in, until it is `Contended`."""
_SPREAD = "_spread"
_CHANGE = "_change"
_TEXT_BYTES = 6
"""Of the random texts in the two: no two folds or changes make the same one."""


class NoSuchCounter(DynamoError):
    """A counter that only `Counters.begin` creates does not exist."""


def shards_in(item: Item) -> int:
    """Return the number of shards stored in an item."""
    if SHARDS not in item:
        return 1
    return int(item[SHARDS]["N"])


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

    batches: Batches = field(repr=False)
    table: str
    key_of: Callable[[str, int], Mapping[str, KeyValue]] = field(repr=False)
    least_shards: int = 1
    most_shards: int = MOST_SHARDS
    must_exist: bool = False
    _known: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    # Reading

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
        return [self._key(name, number) for name, number in _each_shard(known)]

    def sums(
        self, known: Mapping[str, int], items: Iterable[Item], *, consistent: bool = False
    ) -> dict[str, dict[str, int]]:
        """Return the sums of counters by name, from what was read by `keys`, other items or not.

        Shard 0 tells how many shards there are. Those that were not known are read now.
        """
        complete = self._complete(known, items, consistent=consistent)
        sums: dict[str, dict[str, int]] = {}
        for name, shards in complete.items():
            sums[name] = {}
            for cell, number in self._sum(shards).items():
                if number:
                    sums[name][cell] = number
        return sums

    def cells_in(self, item: Item) -> dict[str, int]:
        """Return the cells of one shard, every number of its item but those of its key."""
        others = {SHARDS, *self.key_of("", 0)}
        cells = {}
        for name, value in item.items():
            if "N" in value and name not in others:
                cells[name] = int(value["N"])
        return cells

    # Changing

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
        if shard:
            condition = _exists(_SPREAD)
        elif self.must_exist:
            condition = _exists(self._key_name)
        else:
            # The first change of a counter creates its first shard.
            condition = None
        return self._add(name, shard, deltas, condition)

    def begin(self, name: str, deltas: Mapping[str, int]) -> Action:
        """Build the change that creates a counter, or adds to its first shard.

        With ``must_exist``, for a transaction that checks what the counter belongs to.
        """
        return self._add(name, 0, deltas)

    def set_sums(self, name: str, cells: Mapping[str, int]) -> list[Action]:
        """Build the actions that set the sums of cells to recounted numbers; none if all are right.

        Their transaction raises ConditionFailed when a shard of these cells was changed meanwhile:
        then recount.
        """
        shards = self._load(name)
        sums = self._sum(shards)
        deltas = {}
        for cell in sorted(cells):
            if cells[cell] != sums[cell]:
                deltas[cell] = cells[cell] - sums[cell]
        if not deltas:
            return []
        conditions = [unchanged(item, SHARDS, _SPREAD, *deltas) for item in shards]
        actions = [self._add(name, 0, deltas, conditions[0])]
        for number in range(1, len(shards)):
            actions.append(check(self.table, self._key(name, number), conditions[number]))
        return actions

    def deletions(self, name: str) -> list[Action]:
        """Build the actions that delete a counter, its first shard last; none where there is none.

        Their transaction raises ConditionFailed when the counter was changed since this call.
        """
        shards = self._load(name)
        if not shards[0]:
            return []
        actions = []
        for number in reversed(range(len(shards))):
            condition = _unchanged_since(shards[number])
            actions.append(delete(self.table, self._key(name, number), condition))
        return actions

    # Spreading and folding

    def spread(self, name: str) -> int:
        """Double the shards of a counter, up to ``most_shards``; return how many there are.

        It is left as it is where another process has spread it since this one read the number.
        """
        known = self._known.get(name, 1)
        if known >= self.most_shards:
            return known
        stored = len(self._load(name))
        if stored > known:
            return stored
        return self.ensure(name, min(stored * 2, self.most_shards))

    def ensure(self, name: str, least: int = 1) -> int:
        """Make sure that a counter has ``least`` shards, and that all it has exist.

        Returns how many it has, read strongly. Raises NoSuchCounter, and Contended.
        """
        for _ in range(ATTEMPTS):
            shards = self._load(name)
            if self.must_exist and not shards[0]:
                raise NoSuchCounter(name)
            number = max(least, len(shards))
            if number == len(shards) and _are_of_one_fold(shards):
                return number
            try:
                write_transaction(self.batches.client, self._creations(name, shards, number))
            except ConditionFailed:
                continue
            self._known[name] = number
            return number
        raise Contended

    def fold(self, name: str) -> bool:
        """Fold a counter back into its least shards; return False if it was changed meanwhile.

        Nothing measures how quiet a counter is: one that is changed between the read and the
        transaction stays as it is, and a busy one is soon spread again.
        """
        shards = self._load(name)
        least = self.least_shards
        if len(shards) <= least:
            return True
        text = token_urlsafe(_TEXT_BYTES)
        first: dict[str, Value] = {**self._key(name, 0)}
        first[SHARDS] = {"N": str(least)}
        first[_SPREAD] = first[_CHANGE] = {"S": text}
        # The first shard gets what is in those that go, and the others that stay keep theirs.
        for cell, number in self._sum([shards[0], *shards[least:]]).items():
            if number:
                first[cell] = {"N": str(number)}
        actions = [put(self.table, first, _unchanged_since(shards[0]))]
        for number in range(1, least):
            actions.append(update(self.table, self._key(name, number), _changes({_SPREAD: text})))
        for number in range(least, len(shards)):
            condition = _unchanged_since(shards[number])
            actions.append(delete(self.table, self._key(name, number), condition))
        try:
            write_transaction(self.batches.client, actions)
        except ConditionFailed:
            return False
        self._known[name] = least
        return True

    def _creations(self, name: str, shards: Sequence[Item], number: int) -> list[Action]:
        """Build the actions that store ``number`` and create the shards that do not exist."""
        text = token_urlsafe(_TEXT_BYTES)
        spread: str = shards[0].get(_SPREAD, {"S": text})["S"]
        texts = {_SPREAD: spread, _CHANGE: text}
        same = [SHARDS, _SPREAD]
        if self.must_exist:
            same.append(self._key_name)
        first = _changes({SHARDS: number, **texts})
        actions = [update(self.table, self._key(name, 0), first, unchanged(shards[0], *same))]
        for n in range(1, number):
            # One that is missing, or was left by another fold, becomes one of this fold.
            if n >= len(shards) or shards[n].get(_SPREAD) != {"S": spread}:
                actions.append(update(self.table, self._key(name, n), _changes(texts)))
        return actions

    # The items of shards

    @property
    def _key_name(self) -> str:
        return next(iter(self.key_of("", 0)))

    def _key(self, name: str, shard: int) -> Item:
        return wire_key(self.key_of(name, shard))

    def _add(
        self, name: str, shard: int, deltas: Mapping[str, int], condition: Expression | None = None
    ) -> Action:
        """Build the action that adds to cells of a shard. Raises ValueError if it adds nothing."""
        if not any(deltas.values()):
            raise ValueError(f"A change of the counter {name} that changes nothing")
        changes = _changes({_CHANGE: token_urlsafe(_TEXT_BYTES)}, deltas)
        return update(self.table, self._key(name, shard), changes, condition)

    def _sum(self, shards: Iterable[Item]) -> Counter[str]:
        """Return the sums of the cells of shards."""
        sums = Counter[str]()
        for item in shards:
            sums.update(self.cells_in(item))
        return sums

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

        Shards that were folded meanwhile are read again, strongly, unless this finds the same as
        ``before``: then a deletion was interrupted.
        """
        shards = self._by_shard(_each_shard(known), items)
        stored = {name: shards_in(shards.get((name, 0), {})) for name in known}
        unread = [(name, number) for name, number in _each_shard(stored) if number >= known[name]]
        if unread:
            keys = [self._key(name, number) for name, number in unread]
            further = self.batches.get(self.table, keys, consistent=consistent)
            shards |= self._by_shard(unread, further)
        complete = {}
        for name in known:
            complete[name] = [shards.get((name, number), {}) for number in range(stored[name])]
        self._known.update(stored)
        doubtful = {}
        for name, read in complete.items():
            was_the_same = before is not None and read == before.get(name)
            if not _are_of_one_fold(read) and not was_the_same:
                doubtful[name] = stored[name]
        if doubtful:
            items = self.batches.get(self.table, self.keys(doubtful), consistent=True)
            complete |= self._complete(doubtful, items, consistent=True, before=complete)
        return complete

    def _by_shard(self, shards: Iterable[Shard], items: Iterable[Item]) -> dict[Shard, Item]:
        """Return which of the items are those of the shards."""
        key_names = tuple(self.key_of("", 0))
        shard_at = {_values(self._key(*shard), key_names): shard for shard in shards}
        by_shard = {}
        for item in items:
            shard = shard_at.get(_values(item, key_names))
            if shard is not None:
                by_shard[shard] = item
        return by_shard


# Writing what is counted together with its counters


def write_with_counters(
    actions: Iterable[Action],
    deltas: Deltas,
    *,
    transactions: Transactions,
    counters: Callable[[str], Counters],
    on_throttled: Callable[[frozenset[int]], None] | None = None,
) -> None:
    """Write ``actions`` and changes of counters in one transaction, all or nothing.

    ``counters`` returns, for the name of a counter, the `Counters` it belongs to; a counter that
    meets other writers `LOSSES_TO_SPREAD` times is spread over more shards before the next attempt.
    ``on_throttled`` is that of `Transactions.write`, such as `Shards.spreading` returns. The
    numbers in ConditionFailed are those of ``actions``: a change whose shard does not exist is made
    in another. Raises NoSuchCounter, and what `Transactions.write` does.
    """
    own_actions = list(actions)
    names = [name for name, cells in deltas.items() if any(cells.values())]
    losses = Counter[str]()

    def build() -> list[Action]:
        changes = [counters(name).change(name, deltas[name]) for name in names]
        return [*own_actions, *changes]

    def spread(conflicts: frozenset[int]) -> None:
        for number, name in enumerate(names, len(own_actions)):
            if number in conflicts:
                losses[name] += 1
            if losses[name] == LOSSES_TO_SPREAD:
                losses[name] = 0
                # Where it cannot be spread, the next attempt is made in the shards there are.
                with suppress(Contended):
                    counters(name).spread(name)

    for _ in range(ATTEMPTS):
        try:
            transactions.write(build, on_conflict=spread, on_throttled=on_throttled)
        except ConditionFailed as error:
            _raise_refusals(error, len(own_actions))
            for number in error.failed:
                name = names[number - len(own_actions)]
                counters(name).ensure(name)
        else:
            return
    raise Contended


def _raise_refusals(error: ConditionFailed, count: int) -> None:
    """Raise ConditionFailed if it is one of the first ``count`` actions that was refused."""
    refused = {number: item for number, item in error.failed.items() if number < count}
    if refused:
        raise ConditionFailed(refused) from error


# Expressions, and items by shard


def _are_of_one_fold(shards: Sequence[Item]) -> bool:
    """Return whether shards were read between the same two folds."""
    text = shards[0].get(_SPREAD)
    return all(item.get(_SPREAD) == text for item in shards)


def _each_shard(numbers: Mapping[str, int]) -> list[Shard]:
    """Return each shard of counters, of which the numbers of shards are given by name."""
    shards = []
    for name, number in numbers.items():
        for shard in range(number):
            shards.append((name, shard))
    return shards


def _values(item: Item, names: Iterable[str]) -> tuple[KeyValue, ...]:
    return tuple(key_value(item[name]) for name in names)


def _exists(attribute: str) -> Expression:
    return Expression("attribute_exists(#there)", {"#there": attribute})


def _unchanged_since(item: Item) -> Expression:
    """Require that a shard was neither changed nor folded since it was read as ``item``."""
    return unchanged(item, SHARDS, _SPREAD, _CHANGE)


def _changes(values: Mapping[str, KeyValue], deltas: Mapping[str, int] | None = None) -> Expression:
    """Build what sets attributes to values, and adds to cells what is not zero."""
    names: dict[str, str] = {}
    wire_values: dict[str, Value] = {}
    sets, adds = [], []
    for name, value in values.items():
        number = len(names)
        names[f"#{number}"] = name
        wire_values[f":{number}"] = wire_value(value)
        sets.append(f"#{number} = :{number}")
    for cell, delta in sorted((deltas or {}).items()):
        if delta:
            number = len(names)
            names[f"#{number}"] = cell
            wire_values[f":{number}"] = wire_value(delta)
            adds.append(f"#{number} :{number}")
    text = f"SET {', '.join(sets)}"
    if adds:
        text += f" ADD {', '.join(adds)}"
    return Expression(text, names, wire_values)
