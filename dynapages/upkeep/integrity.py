"""Integrity: compare what is stored with what it should be, and repair it.

An app declares kinds of items, by the beginnings of their keys. A kind notes what a Scan of its
table passes to it, and then names candidates: parts that look wrong, each with a strong read of
that part alone, which decides. Most kinds are attributes that follow from an item
(`dynapages.upkeep.derived`), or sharded counters (`dynapages.upkeep.sums`). A check reads whole
tables: for commands, never for a page.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from dynapages.items import Item
from dynapages.writes.transactions import Action, ConditionFailed

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

PAUSES = (0.2, 0.4, 0.8, 1.6)
"""Seconds between reads; the first is for writes that were under way when the table was read."""
Key = tuple[str, str]
"""A partition key and a sort key, or for handlers how they begin."""
Handlers = Mapping[Key, Callable[[Item], object]]
"""What is called with the items whose keys begin so."""
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

    ``subject`` names the item or counter. ``repair`` writes what is expected, and returns False
    when it changed meanwhile; it is None where nothing can be derived. A busy one kept changing,
    and may be as it should be. With ``is_hint`` nothing is wrong: the value only costs more than it
    need.
    """

    kind: str
    subject: str
    stored: str
    expected: str
    repair: Callable[[], bool] | None = field(default=None, compare=False)
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

    ``scanned`` are those that a Scan made of items that are not written together: then two reads in
    a row must agree. None where a single read decides.
    """

    reread: Callable[[], Iterable[Difference]]
    scanned: Sequence[Difference] | None = None


class Kind(Protocol):
    """What the Scan of a table passes items to; it names its candidates afterwards."""

    def handlers(self) -> Handlers: ...

    def candidates(self) -> Iterator[Candidate]: ...


def find_differences(
    client: "DynamoDBClient", table: str, checks: Mapping[str, Iterable[Kind]]
) -> Iterator[tuple[str, Difference]]:
    """Yield each difference with the name of its check, by one Scan of the table for all checks.

    The candidates of a kind are named after those before it may have been repaired.
    """
    kinds_of = {name: list(kinds) for name, kinds in checks.items()}
    _scan_for(chain.from_iterable(kinds_of.values()), client, table)
    for name, kinds in kinds_of.items():
        for kind in kinds:
            # Lazily: the caller repairs each before the next one is read.
            for difference in confirmed(kind.candidates()):
                yield name, difference


def _scan_for(kinds: Iterable[Kind], client: "DynamoDBClient", table: str) -> None:
    """Pass each item of a table to the handlers of its key; read nothing if there are none."""
    handlers = [handler for kind in kinds for handler in kind.handlers().items()]
    # A kind may find all its candidates by queries: then the table is not read.
    if not handlers:
        return
    for item in every_item(client, table):
        partition_key, sort_key = key_of(item)
        for (partition_start, sort_start), add in handlers:
            if partition_key.startswith(partition_start) and sort_key.startswith(sort_start):
                add(item)


def every_item(
    client: "DynamoDBClient", table: str, advance: Advance | None = None
) -> Iterator[Item]:
    """Yield all items of a table by a strong Scan, at one capacity unit for each 4 KB."""
    for page in client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        yield from page["Items"]
        if advance is not None:
            advance(len(page["Items"]))


def confirmed(candidates: Iterable[Candidate]) -> Iterator[Difference]:
    """Yield the differences of candidates that are still there when they are read again.

    Writes made while a table is read look like differences. A part that never stands still is
    yielded as busy.
    """
    has_paused = False
    for candidate in candidates:
        if candidate.scanned is None:
            yield from candidate.reread()
            continue
        # Once for all candidates: writes that were under way then are over.
        if not has_paused:
            time.sleep(PAUSES[0])
            has_paused = True
        yield from _read_until_agreed(candidate.scanned, candidate.reread)


def _read_until_agreed(
    scanned: Sequence[Difference], reread: Callable[[], Iterable[Difference]]
) -> list[Difference]:
    """Read until there is no difference, or two reads in a row agree; else return a busy one."""
    before = list(scanned)
    for pause in (*PAUSES, None):
        now = list(reread())
        is_at_rest = not any(difference.is_busy for difference in now)
        if is_at_rest and (not now or now == before):
            return now
        before = now
        if pause is not None:
            time.sleep(pause)
    return [Difference.busy(scanned[0].kind, scanned[0].subject)]


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
    stored_values: dict[str, Any] = {}
    expected_values: dict[str, Any] = {}
    for name in sorted(stored.keys() | expected.keys()):
        stored_value, expected_value = stored.get(name, missing), expected.get(name, missing)
        if stored_value != expected_value:
            stored_values[name] = stored_value
            expected_values[name] = expected_value
    if expected_values:
        yield Difference(
            kind,
            subject,
            _shown(stored_values, show),
            _shown(expected_values, show),
            partial(repair_once, repair, expected_values) if repair else None,
        )


def _shown(values: Mapping[str, Any], show: Show) -> str:
    return ", ".join(show(name, value) for name, value in values.items())


def repair_once(repair: Callable[..., object], *arguments: object) -> bool:
    """Call ``repair``; return False if it does, or if the item changed since it was read."""
    try:
        return repair(*arguments) is not False
    except ConditionFailed:
        return False


def key_of(item: Item) -> Key:
    """Return the table key of a stored item."""
    return item["pk"]["S"], item["sk"]["S"]
