"""Partitions of a feed: the values that a caller gives, checked, in sections."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, TypeAlias

from dynapages.items import wire_value
from dynapages.lists.key_texts import Key, text_of_key, values_of
from dynapages.lists.key_types import check_one_type, check_partition
from dynapages.lists.runs import Index

MOST_SECTIONS = 10_000
Partitions: TypeAlias = Iterable[Key] | Iterable[Iterable[Key]]
"""Values of a partition key; in nested lists those of sections, which come one behind another.

In an index of several partition attributes each is a tuple of values.
"""

_NO_SECTIONS = (str, bytes, bytearray, memoryview, Mapping)
"""What can be iterated, but is one value, or a value in wire form."""


def sections_of(partitions: Partitions, index: Index) -> list[list[Key]]:
    """Return the partitions of each section: one section where the values are not nested.

    Raises ValueError for values that are no keys of the index, of several types, or given twice.
    """
    if not _is_iterable(partitions):
        sentence = (
            f"Partitions are a list of values, such as ['red', 'blue'], and not {partitions!r}"
        )
        raise ValueError(sentence)
    given: list[Any] = list(partitions)
    has_tuples = isinstance(index.partition, tuple)
    are_sections = [_is_section(each, has_tuples=has_tuples) for each in given]
    if any(are_sections) and not all(are_sections):
        raise ValueError("Partitions are values, or lists of values, which are sections; not both")
    if not any(are_sections):
        sections = [_section(given, index, is_ordered=not isinstance(partitions, AbstractSet))]
    elif isinstance(partitions, AbstractSet):
        raise ValueError("Sections have an order: give them in a list or a tuple, not in a set")
    else:
        sections = []
        for each in given:
            sections.append(_section(each, index, is_ordered=not isinstance(each, AbstractSet)))
    if len(sections) > MOST_SECTIONS:
        raise ValueError(f"A feed has at most {MOST_SECTIONS:,} sections")
    _refuse_repeated(sections)
    for values in zip(*map(values_of, chain.from_iterable(sections)), strict=True):
        check_one_type(values, "Partitions")
    return sections


def _is_section(given: object, *, has_tuples: bool) -> bool:
    """Return whether a value is a section: it can be iterated, and is no partition."""
    if has_tuples and isinstance(given, tuple) and given:
        return any(isinstance(value, tuple) for value in given)
    return _is_iterable(given)


def _is_iterable(partitions: object) -> bool:
    return isinstance(partitions, Iterable) and not isinstance(partitions, _NO_SECTIONS)


def _section(partitions: Iterable[Key], index: Index, *, is_ordered: bool) -> list[Key]:
    """Return the partitions of a section. Raises ValueError for what is no key of the index."""
    section = list(partitions)
    for partition in section:
        check_partition(index.partition, partition, index.label)
        for value in values_of(partition):
            wire_value(value)
    if not is_ordered:
        # The order of a set differs between processes, and strings of pages may depend on it.
        section.sort(key=text_of_key)
    return section


def _refuse_repeated(sections: Iterable[Iterable[Key]]) -> None:
    """Raise ValueError for a partition that is given twice."""
    seen: set[str] = set()
    for section in sections:
        for partition in section:
            text = text_of_key(partition)
            if text in seen:
                raise ValueError(
                    f"Partition {partition!r} is given twice: its items would be listed twice"
                )
            seen.add(text)
