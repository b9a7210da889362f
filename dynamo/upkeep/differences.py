"""Differences between what is stored and what is expected, and how to repair them."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dynamo.upkeep.integrity import Difference
from dynamo.writes.transactions import ConditionFailed

PAUSES = (0.2, 0.4, 0.8, 1.6)
"""Seconds between looks; the first is for writes that were under way when the table was read."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """Differences of one part, as they were found by reading a whole table.

    ``look`` reads this part alone, strongly, and returns its differences.
    """

    found: Sequence[Difference]
    look: Callable[[], Iterable[Difference]]


def suspected(
    found: Iterable[Difference], look: Callable[[], Iterable[Difference]]
) -> Iterator[Suspect]:
    """Yield the suspect of the differences found of one part, if there are any."""
    if differences := list(found):
        yield Suspect(differences, look)


def confirmed(suspects: Iterable[Suspect]) -> Iterator[Difference]:
    """Yield the differences that two looks in a row find alike.

    Writes made while a table is read look like differences. A part that never stands still is
    yielded as busy.
    """
    all_of_them = list(suspects)
    if all_of_them:
        time.sleep(PAUSES[0])
    for suspect in all_of_them:
        yield from _confirmed(suspect)


def _confirmed(suspect: Suspect) -> list[Difference]:
    before = list(suspect.found)
    for pause in (*PAUSES, None):
        now = list(suspect.look())
        if not any(one.is_busy for one in now) and (not now or now == before):
            return now
        before = now
        if pause is not None:
            time.sleep(pause)
    return [Difference.busy(suspect.found[0].kind, suspect.found[0].subject)]


def difference(
    kind: str,
    subject: str,
    stored: Mapping[str, Any],
    expected: Mapping[str, Any],
    *,
    repair: Callable[[], None],
) -> Difference:
    """Build a Difference; ``repair`` raises ConditionFailed if the item changed since."""
    return Difference(
        kind=kind,
        subject=subject,
        stored=_spelled(stored),
        expected=_spelled(expected),
        mend=partial(mended, repair),
    )


def differing(
    stored: Mapping[str, Any], expected: Mapping[str, Any], *, missing: str | int = "none"
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both sides without the entries that are equal."""
    names = sorted(
        name
        for name in stored.keys() | expected.keys()
        if stored.get(name, missing) != expected.get(name, missing)
    )
    return (
        {name: stored.get(name, missing) for name in names},
        {name: expected.get(name, missing) for name in names},
    )


def mended(repair: Callable[[], None]) -> bool:
    """Call ``repair``; return False if the item changed since it was read."""
    try:
        repair()
    except ConditionFailed:
        return False
    return True


def _spelled(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
