"""Items in the wire form of botocore: names to typed values; their keys, parsing and sizes.

Sizes follow "DynamoDB item sizes and formats" of the Developer Guide: names and strings by their
UTF-8 bytes, numbers about one byte per two digits and one more, one byte for null and boolean,
three for a list or map and one more for each of its elements.
"""

from collections.abc import Callable, Mapping
from decimal import Clamped, Context, Decimal, Inexact, Overflow, Rounded, Underflow
from math import ceil
from typing import Any, TypeAlias

__all__ = [
    "BLOCK",
    "UNITS_PER_BLOCK",
    "Item",
    "KeyValue",
    "Value",
    "blocks_of",
    "item_bytes",
    "python_item",
    "python_value",
    "table_key",
    "wire_key",
    "wire_value",
]

Value = Mapping[str, Any]
"""An attribute's value: ``{"S": "text"}``, ``{"N": "3"}`` and so on."""

Item = Mapping[str, Value]
"""An item, or its table key: attribute name to value."""


KeyValue: TypeAlias = str | int | Decimal | bytes
"""What a key attribute can hold. Of numbers DynamoDB keeps 38 digits, from 1E-130 to 9.9E+125."""


def wire_value(value: KeyValue) -> Value:
    """Return a key value in wire form. Raises ValueError for other types."""
    given: object = value
    if isinstance(given, str):
        return {"S": given}
    if isinstance(given, bytes):
        return {"B": given}
    if isinstance(given, int | Decimal) and not isinstance(given, bool):
        return {"N": str(given)}
    kind = type(value).__name__
    raise ValueError(f"A key is a str, an int, a Decimal or bytes; {value!r} is of type {kind}")


def key_value(value: Value) -> KeyValue:
    """Return the value of a key attribute in wire form: a str, a Decimal or bytes."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    key: KeyValue = content
    return key


def wire_key(values: Mapping[str, KeyValue]) -> Item:
    """Build a key, or any item of such values alone, in wire form."""
    return {name: wire_value(value) for name, value in values.items()}


def table_key(pk: str, sk: str) -> Item:
    """Build the key of an item in a table whose keys are the strings ``pk`` and ``sk``."""
    return wire_key({"pk": pk, "sk": sk})


NUMBERS = Context(
    prec=38, Emin=-128, Emax=126, traps=[Clamped, Overflow, Inexact, Rounded, Underflow]
)
"""DynamoDB's numbers: 38 digits, from 1E-130 to 9.9E+125. What does not fit raises an error."""


def python_item(item: Item) -> dict[str, Any]:
    """Return an item as Python values, as boto3's TypeDeserializer does but with plain bytes.

    Numbers are `decimal.Decimal`; sets, lists and dicts are of such values again.
    """
    return {name: python_value(value) for name, value in item.items()}


def python_value(value: Value) -> Any:  # noqa: ANN401 - any type that DynamoDB knows
    """Return an attribute's value as a Python value; see `python_item`."""
    ((kind, content),) = value.items()
    convert = _PYTHON.get(kind)
    return convert(content) if convert else content


_PYTHON: Mapping[str, Callable[[Any], Any]] = {
    "N": NUMBERS.create_decimal,
    "NULL": lambda _: None,
    "SS": set,
    "NS": lambda numbers: set(map(NUMBERS.create_decimal, numbers)),
    "BS": set,
    "L": lambda elements: [python_value(element) for element in elements],
    "M": python_item,
}


BLOCK = 4_096
"""Bytes that half a capacity unit reads, eventually consistent."""
UNITS_PER_BLOCK = 0.5


def blocks_of(size: float) -> int:
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
