"""Parameters in the OpenAPI document of an API, as programs that make clients understand them."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

LIMIT = "limit"
"""What every operation that lists takes."""
NULL = {"type": "null"}


def simplify_parameters(operation: dict[str, Any], components: Mapping[str, Any]) -> None:
    """Write the parameters of an operation without null, and with references to ``components``.

    Ninja writes out what a component is, so that a client would have a type for each place of it.
    """
    for parameter in operation["parameters"]:
        schema = _without_null(parameter["schema"])
        # The parameter itself says it.
        schema.pop("description", None)
        parameter["schema"] = _with_references(schema, components)
        if parameter["name"] == LIMIT:
            # A default in its schema would be sent by clients each time.
            parameter["description"] += f" Without it, {settings.PAGE_SIZE}."


def _without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without the choice of null, which no address can say."""
    plain = dict(schema)
    choices = [each for each in plain.get("anyOf", ()) if each != NULL]
    if len(choices) == 1:
        del plain["anyOf"]
        plain |= choices[0]
    return plain


def _with_references(part: Any, components: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    """Return a part of a schema that refers to each component that is written out in it."""
    if isinstance(part, list):
        return [_with_references(each, components) for each in part]
    if not isinstance(part, dict):
        return part
    name = part.get("title", "")
    if part == components.get(name):
        return {"$ref": f"#/components/schemas/{name}"}
    return {key: _with_references(each, components) for key, each in part.items()}
