"""Erasure: find and delete the items of a person, kind by kind, or print what they hold.

Items are found by indexes, which lag: run it again for what was written a moment ago.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pynamodb.models import Model

from dynamo.calls.batches import Keyed
from dynamo.items import Item

Kept = tuple[type[Model], str, Item]
"""An item by its model, its table and its key."""
ReadMany = Callable[[Sequence[Keyed]], Iterable[Keyed]]
NAMES_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Trace:
    """One kind of items of a person.

    ``find(username)`` returns their names, ``keys`` each of an item's keys that hold something of
    the person; ``delete`` raises nothing when an item does not exist any more.
    """

    kind: str
    find: Callable[[str], Iterable[str]]
    delete: Callable[[str, str], None]
    keys: Callable[[str, str], Iterable[Kept]]


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


def held(trace: Trace, username: str, read: ReadMany) -> Iterator[list[dict[str, Any]]]:
    """Yield what is stored of a person of one kind, `NAMES_AT_ONCE` names at a time.

    Each item is its attributes by their names in the model. ``read`` returns the items that there
    are.
    """
    names = iter(trace.find(username))
    while some := list(dict.fromkeys(islice(names, NAMES_AT_ONCE))):
        wanted = [kept for name in some for kept in trace.keys(username, name)]
        found = {
            _identity(table, item): item
            for table, item in read([(table, key) for _, table, key in wanted])
        }
        items = [(model, found.get(_identity(table, key))) for model, table, key in wanted]
        yield [_attributes(model, item) for model, item in items if item]


def _identity(table: str, item: Item) -> tuple[str, str, str]:
    return table, item["pk"]["S"], item["sk"]["S"]


def _attributes(model: type[Model], item: Item) -> dict[str, Any]:
    """Return the values by their names in the model; what it does not know as it is stored."""
    known = {attribute.attr_name for attribute in model.get_attributes().values()}
    others = {name: next(iter(item[name].values())) for name in item.keys() - known}
    return {**model.from_raw_data(dict(item)).attribute_values, **others}
