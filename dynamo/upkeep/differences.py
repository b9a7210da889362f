"""Differences between what is stored and what is expected, and how to repair them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from dynamo.upkeep.integrity import Difference
from dynamo.writes.transactions import ConditionFailed


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
