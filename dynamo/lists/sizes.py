"""The size of items as DynamoDB counts it, in bytes.

Follows "DynamoDB item sizes and formats" of the Developer Guide: names and strings by their
UTF-8 bytes, numbers about one byte per two digits and one more, one byte for null and boolean,
three for a list or map and one more for each of its elements.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from dynamo.items import Item

BLOCK = 4_096
"""Bytes that half a capacity unit reads, eventually consistent."""
UNITS_PER_BLOCK = 0.5
TYPICAL = 300.0
"""Bytes of a list entry, as long as none was read."""
_SAMPLE = 3
_LEAST_WEIGHT = 0.005
"""Of an item in the mean: prices near the border of a block need a mean that keeps still."""


class MeanSizes:
    """The mean item size of each index, over samples of what was read; older ones fade."""

    def __init__(self) -> None:
        self._means: dict[str, float] = {}
        self._seen: Counter[str] = Counter()

    def mean(self, index: str) -> float:
        """Return the mean in bytes."""
        return self._means.get(index, TYPICAL)

    def note(self, index: str, items: Sequence[Item]) -> None:
        """Update the mean by a few of the items that were read."""
        for item in items[:_SAMPLE]:
            self._seen[index] += 1
            weight = max(1 / self._seen[index], _LEAST_WEIGHT)
            before = self._means.get(index, 0.0)
            self._means[index] = before + weight * (item_bytes(item) - before)


def blocks_of(size: int) -> int:
    """Return how many blocks so many bytes fill or start."""
    return ceil(size / BLOCK)


def item_bytes(item: Item) -> int:
    """Return the size in bytes of an item in wire form."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    return _SIZES[kind](content)


def _number_bytes(number: str) -> int:
    digits = number.lstrip("-").replace(".", "").strip("0")
    return (len(digits) + 1) // 2 + 1 + number.startswith("-")


_SIZES: Mapping[str, Callable[[Any], int]] = {
    "S": lambda text: len(text.encode()),
    "N": _number_bytes,
    "B": len,
    "BOOL": lambda _: 1,
    "NULL": lambda _: 1,
    "SS": lambda texts: sum(len(text.encode()) for text in texts),
    "NS": lambda numbers: sum(map(_number_bytes, numbers)),
    "BS": lambda blobs: sum(map(len, blobs)),
    "L": lambda elements: 3 + sum(1 + _value_bytes(element) for element in elements),
    "M": lambda attributes: 3 + len(attributes) + item_bytes(attributes),
}
