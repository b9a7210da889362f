"""Values against JSON Schema, of which it knows what the schemas of this project use."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Schema = Mapping[str, Any]
TYPES: dict[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
OTHERS = frozenset(
    {
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "description",
        "items",
        "properties",
        "unevaluatedProperties",
    }
)
"""Keywords beside those of `CHECKS`."""


@dataclass(frozen=True)
class Schemas:
    """A document with schemas, which refer to each other by their places in it."""

    document: Mapping[str, Any]

    def resolved(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a part of the document refers to, or the part itself."""
        if "$ref" not in part:
            return part
        found: Any = self.document
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        assert isinstance(found, Mapping)
        return found

    def faults(self, value: object, schema: Schema, at: str = "") -> Iterator[str]:
        """Yield what is wrong with a value, each with its place. A keyword must be known."""
        for keyword, wanted in schema.items():
            if keyword not in OTHERS and not CHECKS[keyword](value, wanted):
                yield f"{at}: {keyword} is {wanted}, the value {value!r}"
        for part, of, where in self._parts(value, schema):
            yield from self.faults(part, of, f"{at}{where}")
        choices = schema.get("anyOf", ())
        if choices and all([*self.faults(value, one)] for one in choices):
            yield f"{at}: fits none of {choices}"
        if isinstance(value, dict) and schema.get("unevaluatedProperties") is False:
            for name in value.keys() - self._declared(schema):
                yield f"{at}.{name}: not in the schema"

    def _parts(self, value: object, schema: Schema) -> Iterator[tuple[object, Schema, str]]:
        """Yield what else must fit: the value again, or something in it, a schema and its place."""
        if "$ref" in schema:
            yield value, self.resolved(schema), ""
        for part in schema.get("allOf", ()):
            yield value, part, ""
        if isinstance(value, list) and "items" in schema:
            for number, item in enumerate(value):
                yield item, schema["items"], f"[{number}]"
        if isinstance(value, dict):
            for name, part in schema.get("properties", {}).items():
                if name in value:
                    yield value[name], part, f".{name}"
            if others := schema.get("additionalProperties"):
                for name in value.keys() - schema.get("properties", {}).keys():
                    yield value[name], others, f".{name}"

    def _declared(self, schema: Schema) -> set[str]:
        parts = [*schema.get("allOf", ()), *([self.resolved(schema)] if "$ref" in schema else ())]
        return {*schema.get("properties", {})}.union(*map(self._declared, parts))


def _fits_type(value: object, wanted: str | list[str]) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted
    return any(
        isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
        for name in names
    )


def _fits_format(value: object, wanted: str) -> bool:
    if not isinstance(value, str):
        return True
    if wanted == "date-time":
        return datetime.fromisoformat(value).tzinfo is not None
    assert wanted == "uri-reference", wanted
    return value.startswith("/") and " " not in value


CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "type": _fits_type,
    "format": _fits_format,
    "enum": lambda value, wanted: value in wanted,
    "const": lambda value, wanted: value == wanted,
    "required": lambda value, wanted: not isinstance(value, dict) or {*wanted} <= value.keys(),
    "pattern": lambda value, wanted: not isinstance(value, str) or bool(re.search(wanted, value)),
    "minimum": lambda value, wanted: value is None or value >= wanted,
    "maximum": lambda value, wanted: value is None or value <= wanted,
}
