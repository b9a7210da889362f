"""Partitions of a feed: the values that a caller gives, checked, in sections."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, TypeAlias

from dynapages.items import KeyValue, wire_value
from dynapages.lists.key_types import check_one_type
from dynapages.lists.runs import text_of

MOST_SECTIONS = 10_000
Partitions: TypeAlias = Iterable[KeyValue] | Iterable[Iterable[KeyValue]]
"""Values of a partition key; in nested lists those of sections, which come one behind another."""

_NO_SECTIONS = (str, bytes, bytearray, memoryview, Mapping)
"""What can be iterated, but is one value, or a value in wire form."""


def sections_of(partitions: Partitions) -> list[list[KeyValue]]:
    """Return the partitions of each section: one section where the values are not nested.

    Raises ValueError for values that are no keys, of several types, or given twice.
    """
    if not _is_iterable(partitions):
        sentence = (
            f"Partitions are a list of values, such as ['red', 'blue'], and not {partitions!r}"
        )
        raise ValueError(sentence)
    given: list[Any] = list(partitions)
    are_sections = [_is_iterable(each) for each in given]
    if any(are_sections) and not all(are_sections):
        raise ValueError("Partitions are values, or lists of values, which are sections; not both")
    if not any(are_sections):
        sections = [_section(given, is_ordered=not isinstance(partitions, AbstractSet))]
    elif isinstance(partitions, AbstractSet):
        raise ValueError("Sections have an order: give them in a list or a tuple, not in a set")
    else:
        sections = [_section(each, is_ordered=not isinstance(each, AbstractSet)) for each in given]
    if len(sections) > MOST_SECTIONS:
        raise ValueError(f"A feed has at most {MOST_SECTIONS:,} sections")
    _refuse_repeated(sections)
    check_one_type(chain.from_iterable(sections), "Partitions")
    return sections


def _is_iterable(partitions: object) -> bool:
    return isinstance(partitions, Iterable) and not isinstance(partitions, _NO_SECTIONS)


def _section(partitions: Iterable[KeyValue], *, is_ordered: bool) -> list[KeyValue]:
    """Return the partitions of a section. Raises ValueError for what is no key value."""
    section = list(partitions)
    for partition in section:
        wire_value(partition)
    if not is_ordered:
        # The order of a set differs between processes, and strings of pages may depend on it.
        section.sort(key=text_of)
    return section


def _refuse_repeated(sections: Iterable[Iterable[KeyValue]]) -> None:
    """Raise ValueError for a partition that is given twice."""
    seen: set[str] = set()
    for section in sections:
        for partition in section:
            text = text_of(partition)
            if text in seen:
                raise ValueError(
                    f"Partition {partition!r} is given twice: its items would be listed twice"
                )
            seen.add(text)
