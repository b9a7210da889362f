"""The data of a person: found by kinds of items, and deleted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dynapages.items import Item

StoredItem = tuple[type[Any], str, Item]
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
    keys: Callable[[str, str], Iterable[StoredItem]]


def erase(traces: Iterable[Trace], user_id: str, *, dry_run: bool = False) -> dict[str, int]:
    """Delete a person's items; return how many there were of each kind.

    With ``dry_run`` nothing is deleted. After a failure, run it again for the rest.
    """
    numbers: dict[str, int] = {}
    for trace in traces:
        # All at first: deleting may change what the finding reads.
        names = list(trace.find(user_id))
        if not dry_run:
            for name in names:
                trace.delete(user_id, name)
        numbers[trace.kind] = len(names)
    return numbers
