"""Erasure: what a person left in the tables, kind by kind, found and taken away.

Each app declares the kinds it knows of; a command goes through all of them. Finding asks indexes,
which lag, so what was left a moment ago is found by asking again.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """One kind of things that people leave.

    ``find(username)`` names them; ``delete(username, name)`` deletes one, and is content when it
    is gone already.
    """

    kind: str
    find: Callable[[str], Iterable[str]]
    delete: Callable[[str, str], None]


def erase(traces: Iterable[Trace], username: str, *, dry_run: bool = False) -> dict[str, int]:
    """Delete what a person left, and say how many there were of each kind.

    With ``dry_run`` nothing is deleted. What was deleted before a failure stays deleted; the same
    again does the rest.
    """
    found = {}
    for trace in traces:
        names = list(trace.find(username))
        if not dry_run:
            for name in names:
                trace.delete(username, name)
        found[trace.kind] = len(names)
    return found
