"""The size of items as DynamoDB counts it, in bytes.

Follows "DynamoDB item sizes and formats" of the Developer Guide: names and strings by their
UTF-8 bytes, numbers about one byte per two digits and one more, one byte for null and boolean,
three for a list or map and one more for each of its elements.
"""

from collections.abc import Mapping
from typing import Any

from dynamo.runs import Item


def item_bytes(item: Item) -> int:
    """Give the size of an item on the wire's own terms (``{"S": …}`` and so on)."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    sizes = {
        "S": lambda: len(content.encode()),
        "N": lambda: _number_bytes(content),
        "B": lambda: len(content),
        "BOOL": lambda: 1,
        "NULL": lambda: 1,
        "SS": lambda: sum(len(text.encode()) for text in content),
        "NS": lambda: sum(_number_bytes(number) for number in content),
        "BS": lambda: sum(len(blob) for blob in content),
        "L": lambda: 3 + sum(1 + _value_bytes(element) for element in content),
        "M": lambda: 3 + len(content) + item_bytes(content),
    }
    return sizes[kind]()


def _number_bytes(number: str) -> int:
    digits = number.lstrip("-").replace(".", "").strip("0")
    return (len(digits) + 1) // 2 + 1 + number.startswith("-")
