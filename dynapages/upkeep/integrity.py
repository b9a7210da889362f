"""Integrity: compare what is stored with what it should be, and repair it.

An app declares kinds of items, by the beginnings of their keys. A kind notes what a Scan of its
table passes to it, and then names candidates: parts that look wrong, each with a strong read of
that part alone, which decides. Most kinds are attributes that follow from an item (`Derived`), or
sharded counters (`Sums`). A check reads whole tables: for commands, never for a page.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from dynapages.items import Item
from dynapages.writes.counters import Counters, shards_in
from dynapages.writes.transactions import Action, ConditionFailed

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

PAUSES = (0.2, 0.4, 0.8, 1.6)
"""Seconds between reads; the first is for writes that were under way when the table was read."""
Key = tuple[str, str]
"""A partition key and a sort key, or for handlers how they begin."""
Show = Callable[[str, Any], str]
"""Formats a name and its value for a report."""
Advance = Callable[[int], object]
"""Is called with the number of items read since the last time."""
Write = Callable[[list[Action]], object]
"""Writes actions, all or nothing."""
Repair = Callable[[dict[str, Any]], object]
"""Writes the expected values of what differs; False, or ConditionFailed, if it changed since."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A stored value that differs from the expected one.

    ``subject`` names the item or counter. ``mend`` repairs it, and returns False when it changed
    meanwhile; it is None where nothing can be derived. A busy one kept changing, and may be as it
    should be. With ``is_hint`` nothing is wrong: the value only costs more than it need.
    """

    kind: str
    subject: str
    stored: str
    expected: str
    mend: Callable[[], bool] | None = field(default=None, compare=False)
    is_busy: bool = False
    is_hint: bool = False

    @classmethod
    def busy(cls, kind: str, subject: str) -> "Difference":
        """Build the difference of what kept changing."""
        return cls(kind, subject, "changing", "at rest", is_busy=True)

    def as_dict(self) -> dict[str, str]:
        """Return the fields of a report."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "stored": self.stored,
            "expected": self.expected,
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part that looks wrong; ``reread`` reads it alone, strongly, and returns its differences.

    ``found`` is what a Scan made of items that are not written together: then two reads in a row
    must agree. None where a single read decides.
    """

    reread: Callable[[], Iterable[Difference]]
    found: Sequence[Difference] | None = None


Handlers = Mapping[Key, Callable[[Item], object]]
"""What is called with the items whose keys begin so."""


class Kind(Protocol):
    """What the Scan of a table passes items to; it names its candidates afterwards."""

    def handlers(self) -> Handlers: ...

    def candidates(self) -> Iterator[Candidate]: ...


def find_differences(
    client: "DynamoDBClient",
    table: str,
    checks: Mapping[str, Sequence[Kind]],
    advance: Advance = lambda _number: None,
) -> Iterator[tuple[str, Difference]]:
    """Yield each difference with the name of its check, by one Scan of the table for all checks.

    The candidates of a kind are named after those before it may have been repaired.
    """
    kinds = [(name, kind) for name, some in checks.items() for kind in some]
    handlers = [handler for _, kind in kinds for handler in kind.handlers().items()]
    if handlers:
        for item in every_item(client, table, advance):
            partition, sort_key = key_of(item)
            for (partition_start, sort_start), add in handlers:
                if partition.startswith(partition_start) and sort_key.startswith(sort_start):
                    add(item)
    for name, kind in kinds:
        for difference in confirmed(kind.candidates()):
            yield name, difference


def every_item(
    client: "DynamoDBClient", table: str, advance: Advance = lambda _number: None
) -> Iterator[Item]:
    """Yield all items of a table by a strong Scan, at one capacity unit for each 4 KB."""
    for page in client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        yield from page["Items"]
        advance(len(page["Items"]))


def confirmed(candidates: Iterable[Candidate]) -> Iterator[Difference]:
    """Yield the differences of candidates that are still there when they are read again.

    Writes made while a table is read look like differences. A part that never stands still is
    yielded as busy.
    """
    has_paused = False
    for candidate in candidates:
        if candidate.found is None:
            yield from candidate.reread()
            continue
        if not has_paused:
            time.sleep(PAUSES[0])
            has_paused = True
        yield from _agreed(candidate.found, candidate.reread)


def _agreed(
    found: Sequence[Difference], reread: Callable[[], Iterable[Difference]]
) -> list[Difference]:
    before = list(found)
    for pause in (*PAUSES, None):
        now = list(reread())
        if not any(one.is_busy for one in now) and (not now or now == before):
            return now
        before = now
        if pause is not None:
            time.sleep(pause)
    return [Difference.busy(found[0].kind, found[0].subject)]


def compare(
    kind: str,
    subject: str,
    stored: Mapping[str, Any],
    expected: Mapping[str, Any],
    *,
    repair: Repair | None = None,
    show: Show = "{} {}".format,
    missing: object = "none",
) -> Iterator[Difference]:
    """Yield the difference of two sets of named values, if there is one.

    Only what differs is shown, and passed to ``repair``. An absent value is ``missing``.
    """
    names = sorted(
        name
        for name in stored.keys() | expected.keys()
        if stored.get(name, missing) != expected.get(name, missing)
    )
    if names:
        left, right = (
            ", ".join(show(name, side.get(name, missing)) for name in names)
            for side in (stored, expected)
        )
        wanted = {name: expected.get(name, missing) for name in names}
        mend = partial(repair_once, repair, wanted) if repair else None
        yield Difference(kind, subject, left, right, mend)


def repair_once(repair: Callable[..., object], *arguments: object) -> bool:
    """Call ``repair``; return False if it does, or if the item changed since it was read."""
    try:
        return repair(*arguments) is not False
    except ConditionFailed:
        return False


@dataclass(slots=True)
class Derived:
    """Items with texts that follow from the item, and from what ``derive`` reads beside it.

    ``actions`` builds what ``write`` writes, on condition that the item is unchanged; none where it
    cannot be repaired. ``names`` are the attributes compared, by default those derived. ``read``
    reads an item strongly.
    """

    kind: str
    starts: Key
    subject: Callable[[Item], str]
    derive: Callable[[Item], Mapping[str, str]]
    actions: Callable[[Item, Mapping[str, str]], list[Action]]
    read: Callable[[Key], Item | None]
    write: Write
    names: Sequence[str] = ()
    show: Show = "{} {}".format
    wrong: list[Key] = field(default_factory=list)

    def handlers(self) -> Handlers:
        return {self.starts: self.add}

    def add(self, item: Item) -> None:
        """Note an item that looks wrong."""
        if any(self.differences(item)):
            self.wrong.append(key_of(item))

    def candidates(self) -> Iterator[Candidate]:
        for key in self.wrong:
            yield Candidate(partial(self._reread, key))

    def differences(self, item: Item) -> Iterator[Difference]:
        """Compare an item with what it should be."""
        expected = self.derive(item)
        stored = texts_in(item, self.names or expected)

        def repair(_wrong: dict[str, Any]) -> object:
            actions = self.actions(item, expected)
            return self.write(actions) if actions else False

        subject = self.subject(item)
        yield from compare(self.kind, subject, stored, expected, repair=repair, show=self.show)

    def _reread(self, key: Key) -> Iterator[Difference]:
        if item := self.read(key):
            yield from self.differences(item)


@dataclass(slots=True)
class Sums:
    """Sharded counters, each the sums of the items that it counts.

    ``shards`` is how the keys of their shards begin, ``items`` those of counted items, of which
    ``cells`` returns names and cells of counters. ``count`` counts again, strongly; where it is
    None the Scan is right as long as the counter stays as it was. ``exists`` tells which to pass
    over; ``also`` builds actions that a correction needs, ``after`` is called behind it.
    """

    shards: Key
    name_in: Callable[[Item], str]
    items: Key
    cells: Callable[[Item], Iterable[tuple[str, str]]]
    counters: Callable[[str], Counters]
    subject: Callable[[str], str]
    spread_subject: Callable[[str], str]
    write: Write
    count: Callable[[str], Mapping[str, int]] | None = None
    kind: str = "counts"
    show: Show = "{} {}".format
    exists: Callable[[str], bool] = lambda _name: True
    also: Callable[[str], Sequence[Action]] = lambda _name: ()
    after: Callable[[str], object] = lambda _name: None
    stored: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    counted: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    spread: list[Difference] = field(default_factory=list)

    def handlers(self) -> Handlers:
        return {self.shards: self.add_shard, self.items: self.add_item}

    def add_shard(self, item: Item) -> None:
        """Add a shard of a counter; the first one tells whether it could be folded."""
        name = self.name_in(item)
        counters = self.counters(name)
        self.stored[name].update(counters.cells_in(item))
        number, least = shards_in(item), counters.least_shards
        if number > least:
            subject, fold = self.spread_subject(name), partial(counters.fold, name)
            hint = Difference("shards", subject, str(number), str(least), fold, is_hint=True)
            self.spread.append(hint)

    def add_item(self, item: Item) -> None:
        """Count an item."""
        for name, cell in self.cells(item):
            self.counted[name][cell] += 1

    def candidates(self) -> Iterator[Candidate]:
        """Yield the counters that are not as they were counted, and then those to be folded."""
        for name in sorted(self.stored.keys() | self.counted.keys()):
            found = list(self._compare(name, self.stored[name], self.counted[name]))
            if found and self.exists(name):
                yield Candidate(partial(self._reread, name), found if self.count else None)
        if self.spread:
            yield Candidate(lambda: self.spread)

    def _reread(self, name: str) -> Iterable[Difference]:
        before = self.counters(name).read(name, consistent=True)
        counted = self.count(name) if self.count else self.counted[name]
        after = self.counters(name).read(name, consistent=True) if self.count else self.stored[name]
        if any(compare("", "", before, after, missing=0)):
            return [Difference.busy(self.kind, self.subject(name))]
        return self._compare(name, before, counted)

    def _compare(
        self, name: str, stored: Mapping[str, int], counted: Mapping[str, int]
    ) -> Iterator[Difference]:
        repair, subject = partial(self._correct, name, stored), self.subject(name)
        return compare(
            self.kind, subject, stored, counted, repair=repair, show=self.show, missing=0
        )

    def _correct(self, name: str, seen: Mapping[str, int], cells: Mapping[str, int]) -> None:
        """Set a counter's cells unless it is not as ``seen`` any more. Raises ConditionFailed."""
        actions = self.counters(name).set_sums(name, cells)
        if self.counters(name).read(name, consistent=True) != seen:
            raise ConditionFailed({})
        if actions:
            self.write([*actions, *self.also(name)])
        self.after(name)


def texts_in(item: Item, names: Iterable[str]) -> dict[str, str]:
    """Return the texts among an item's attributes, of these names."""
    return {name: item[name]["S"] for name in names if name in item}


def key_of(item: Item) -> Key:
    """Return the table key of a stored item."""
    return item["pk"]["S"], item["sk"]["S"]


Kept = tuple[type[Any], str, Item]
"""An item by its model, its table and its key."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One kind of items of a person.

    ``find(user_id)`` returns their names, ``keys`` each of an item's keys that hold something of
    the person; ``delete`` raises nothing when an item does not exist any more.
    """

    kind: str
    find: Callable[[str], Iterable[str]]
    delete: Callable[[str, str], None]
    keys: Callable[[str, str], Iterable[Kept]]


def erase(traces: Iterable[Trace], user_id: str, *, dry_run: bool = False) -> dict[str, int]:
    """Delete a person's items; return how many were found of each kind.

    With ``dry_run`` nothing is deleted. After a failure, run it again for the rest.
    """
    found = {}
    for trace in traces:
        names = list(trace.find(user_id))
        if not dry_run:
            for name in names:
                trace.delete(user_id, name)
        found[trace.kind] = len(names)
    return found
