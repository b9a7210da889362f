"""Items as botocore spells them: attribute names to typed values."""

from collections.abc import Mapping
from typing import Any

Value = Mapping[str, Any]
"""An attribute's value: ``{"S": "text"}``, ``{"N": "3"}`` and so on."""

Item = Mapping[str, Value]
"""An item, or its table key: attribute name to value."""


def table_key(pk: str, sk: str) -> Item:
    """Build the key of an item in a table whose keys are the strings ``pk`` and ``sk``."""
    return {"pk": {"S": pk}, "sk": {"S": sk}}
