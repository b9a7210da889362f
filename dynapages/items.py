"""Items in the wire form of botocore: names to typed values; their keys, parsing and sizes.

`wire_value`, `wire_key` and `table_key` write keys. `sort_key_of` writes the sort key of a moment
and an id, which `moment_at` and `id_at` read. `python_item` reads items, `item_bytes` returns the
size that DynamoDB charges for. Sizes follow "DynamoDB item sizes and formats" of the Developer
Guide: names and strings by their UTF-8 bytes, numbers about one byte per two digits and one more,
one byte for null and boolean, three for a list or map and one more for each of its elements.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
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

NUMBERS = Context(
    prec=38, Emin=-128, Emax=126, traps=[Clamped, Overflow, Inexact, Rounded, Underflow]
)
"""DynamoDB's numbers: 38 digits, from 1E-130 to 9.9E+125. What does not fit raises an error."""
BLOCK = 4_096
"""Bytes that half a capacity unit reads, eventually consistent."""
UNITS_PER_BLOCK = 0.5
SEPARATOR = "#"
"""Between the parts of a sort key."""
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}\.[0-9]{6}Z"
)
_BYTES_OF_A_COLLECTION = 3
_BYTES_OF_AN_ELEMENT = 1


# Keys


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
    """Return the value of a key attribute in wire form: a str, a Decimal or bytes.

    Raises ValueError for a value that no key attribute can have.
    """
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    if kind not in {"S", "B"}:
        raise ValueError(f"A key attribute is of the type S, N or B, and not {kind}: {value!r}")
    key: KeyValue = content
    return key


def wire_key(values: Mapping[str, KeyValue]) -> Item:
    """Build a key, or any item of such values alone, in wire form."""
    return {name: wire_value(value) for name, value in values.items()}


def table_key(pk: str, sk: str) -> Item:
    """Build the key of an item in a table whose keys are the strings ``pk`` and ``sk``."""
    return wire_key({"pk": pk, "sk": sk})


# Sort keys of moments and ids


def timestamp(moment: datetime) -> str:
    """Format an aware datetime as UTC at fixed width, such as ``2026-11-20T09:30:00.123456Z``.

    Raises ValueError for a naive datetime.
    """
    if moment.tzinfo is not UTC:
        if moment.utcoffset() is None:
            raise ValueError(
                f"{moment.isoformat()} has no time zone; a sort key needs an aware datetime"
            )
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def parse_timestamp(text: str) -> datetime:
    """Parse what `timestamp` wrote, as an aware UTC datetime. Raises ValueError for other text."""
    # Other forms that `fromisoformat` takes would sort wrongly.
    if not _TIMESTAMP.fullmatch(text):
        raise ValueError(f"{text!r} is not of the fixed width of a sort key's timestamp")
    return datetime.fromisoformat(text)


def sort_key_of(moment: datetime, unique_id: str) -> str:
    """Build the sort key of an item created at ``moment``."""
    return timestamp(moment) + SEPARATOR + unique_id


def moment_at(sort_key: str) -> datetime:
    """Return the moment a sort key begins with, as an aware UTC datetime."""
    return parse_timestamp(sort_key.partition(SEPARATOR)[0])


def id_at(sort_key: str) -> str:
    """Return the id a sort key ends with, which may contain a ``#``."""
    return sort_key.partition(SEPARATOR)[2]


# Items as Python values


def python_item(item: Item) -> dict[str, Any]:
    """Return an item as Python values, as boto3's TypeDeserializer does but with plain bytes.

    Numbers are `decimal.Decimal`; sets, lists and dicts are of such values again.
    """
    return {name: python_value(value) for name, value in item.items()}


def python_value(value: Value) -> Any:  # noqa: ANN401, PLR0911 - each type that DynamoDB knows
    """Return an attribute's value as a Python value; see `python_item`."""
    ((kind, content),) = value.items()
    match kind:
        case "S" | "B" | "BOOL":
            return content
        case "N":
            return NUMBERS.create_decimal(content)
        case "NULL":
            return None
        case "SS" | "BS":
            return set(content)
        case "NS":
            return {NUMBERS.create_decimal(number) for number in content}
        case "L":
            return [python_value(element) for element in content]
        case "M":
            return python_item(content)
    raise ValueError(f"DynamoDB has no type {kind!r}")


# Sizes


def blocks_of(size: float) -> int:
    """Return how many blocks so many bytes fill or start."""
    return ceil(size / BLOCK)


def item_bytes(item: Item) -> int:
    """Return the size in bytes of an item in wire form."""
    size = 0
    for name, value in item.items():
        size += len(name.encode()) + _value_bytes(value)
    return size


def _value_bytes(value: Value) -> int:  # noqa: PLR0911 - one for each type
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return _number_bytes(content)
        case "B":
            return len(content)
        case "BOOL" | "NULL":
            return 1
        case "SS":
            return sum(len(text.encode()) for text in content)
        case "NS":
            return sum(_number_bytes(number) for number in content)
        case "BS":
            return sum(len(blob) for blob in content)
        case "L":
            size = sum(_value_bytes(element) for element in content)
            return _BYTES_OF_A_COLLECTION + len(content) * _BYTES_OF_AN_ELEMENT + size
        case "M":
            size = item_bytes(content)
            return _BYTES_OF_A_COLLECTION + len(content) * _BYTES_OF_AN_ELEMENT + size
    raise ValueError(f"DynamoDB has no type {kind!r}")


def _number_bytes(number: str) -> int:
    """Return the size of a number: a byte for two digits, one more, and one for a minus sign."""
    digits = number.lstrip("-").replace(".", "").strip("0")
    size = (len(digits) + 1) // 2 + 1
    if number.startswith("-"):
        size += 1
    return size
