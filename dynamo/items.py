"""Items in the wire form of botocore: attribute names to typed values."""

from collections.abc import Mapping
from typing import Any

Value = Mapping[str, Any]
"""An attribute's value: ``{"S": "text"}``, ``{"N": "3"}`` and so on."""

Item = Mapping[str, Value]
"""An item, or its table key: attribute name to value."""


def wire_key(strings: Mapping[str, str]) -> Item:
    """Build a key, or any item of strings alone, in wire form."""
    return {name: {"S": value} for name, value in strings.items()}


def table_key(pk: str, sk: str) -> Item:
    """Build the key of an item in a table whose keys are the strings ``pk`` and ``sk``."""
    return wire_key({"pk": pk, "sk": sk})
