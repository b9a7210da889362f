"""Items in the wire form of botocore: attribute names to typed values; their keys and parsing."""

import json
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from botocore.model import MapShape, Shape
from botocore.parsers import JSONParser, ResponseParser, ResponseParserFactory

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


class _NoObject(ValueError):
    """A body is no JSON object."""


class ItemParser(JSONParser):
    """botocore's parser of the protocol ``json``, with a short cut for maps of attribute values.

    What it makes of a body that is no JSON object has an ``Error`` whose code is the HTTP status,
    also where that is 200.
    """

    def parse(self, response: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
        """Parse a response, as botocore's parser."""
        try:
            parsed: dict[str, Any] = super().parse(response, shape)
        except _NoObject:
            status: int = response["status_code"]
            text = response["body"].decode(errors="replace")
            return {
                "Error": {"Code": str(status), "Message": text},
                "ResponseMetadata": {"HTTPStatusCode": status},
            }
        return parsed

    def _parse_body_as_json(self, body_contents: bytes) -> dict[str, Any]:
        try:
            parsed = json.loads(body_contents.decode())
        except ValueError as error:  # no UTF-8, or no JSON
            raise _NoObject from error
        if not isinstance(parsed, dict):
            raise _NoObject
        return parsed

    def _handle_map(self, shape: MapShape, value: Mapping[str, Any]) -> dict[str, Any]:
        if shape.value.name == "AttributeValue":
            return _item(value)
        parsed: dict[str, Any] = super()._handle_map(shape, value)  # type: ignore[misc] # untyped
        return parsed


class ItemParserFactory(ResponseParserFactory):
    """Makes `ItemParser` for ``json``, the protocol of DynamoDB; register it with a session."""

    def create_parser(self, protocol_name: str) -> ResponseParser:
        return ItemParser() if protocol_name == "json" else super().create_parser(protocol_name)


def _item(raw: Mapping[str, Value]) -> dict[str, Value]:
    return {name: _value(value) for name, value in raw.items()}


def _value(raw: Value) -> Value:
    ((kind, content),) = raw.items()
    convert = _CONVERTED.get(kind)
    return {kind: convert(content)} if convert else raw


_CONVERTED: Mapping[str, Callable[[Any], Any]] = {
    "B": b64decode,
    "BS": lambda values: [b64decode(value) for value in values],
    "L": lambda values: [_value(value) for value in values],
    "M": _item,
}
