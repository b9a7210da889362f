"""Erasure: find and delete the items of a person, kind by kind.

Each app declares its kinds; a command goes through all of them. Items are found by indexes, which
lag behind the table: run it again for what was written a moment ago.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """One kind of items of a person.

    ``find(username)`` returns their names; ``delete(username, name)`` deletes one, without an error
    when it does not exist any more.
    """

    kind: str
    find: Callable[[str], Iterable[str]]
    delete: Callable[[str, str], None]


def erase(traces: Iterable[Trace], username: str, *, dry_run: bool = False) -> dict[str, int]:
    """Delete a person's items; return how many were found of each kind.

    With ``dry_run`` nothing is deleted. After a failure, run it again for the rest.
    """
    found = {}
    for trace in traces:
        names = list(trace.find(username))
        if not dry_run:
            for name in names:
                trace.delete(username, name)
        found[trace.kind] = len(names)
    return found
