"""Expressions of a Query as a person reads them: names and values in the place of placeholders.

`readable_expression` is for expressions, `readable_conditions` for the older parameters
KeyConditions and QueryFilter, `readable_value` for a value.
"""

import re
from collections.abc import Mapping
from typing import Any

from dynapages.items import Value

_PLACEHOLDER = re.compile(r"[#:]\w+")


def readable_expression(
    expression: str, names: Mapping[str, str], values: Mapping[str, Value]
) -> str:
    """Return an expression as one line, such as ``rated = 'lamp/4' AND at > 20``."""

    def without_placeholder(found: re.Match[str]) -> str:
        placeholder = found[0]
        if placeholder in names:
            return names[placeholder]
        if placeholder in values:
            return readable_value(values[placeholder])
        return placeholder

    in_one_line = " ".join(expression.split())
    return _PLACEHOLDER.sub(without_placeholder, in_one_line)


def readable_conditions(conditions: Mapping[str, Any], operator: str = "AND") -> str:
    """Return legacy conditions as one line, such as ``rated EQ 'lamp/4' AND at GT 20``."""
    parts = []
    for name, condition in conditions.items():
        words = [name, condition["ComparisonOperator"]]
        values = [readable_value(value) for value in condition.get("AttributeValueList", ())]
        if values:
            words.append(", ".join(values))
        parts.append(" ".join(words))
    return f" {operator} ".join(parts)


def readable_value(value: Value) -> str:  # noqa: PLR0911 - one for each type
    """Return a value in wire form as text: ``'lamp'``, ``5``, ``0x00ff``, ``true``, ``{1, 2}``."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return repr(content)
        case "B":
            return f"0x{content.hex()}"
        case "BOOL":
            return str(content).lower()
        case "NULL":
            return "null"
        case "SS" | "NS" | "BS":
            elements = ", ".join(readable_value({kind[0]: element}) for element in content)
            return f"{{{elements}}}"
        case "L":
            elements = ", ".join(readable_value(element) for element in content)
            return f"[{elements}]"
        case "M":
            pairs = ", ".join(f"{key}: {readable_value(each)}" for key, each in content.items())
            return f"{{{pairs}}}"
    return str(content)
