"""A response parser for botocore that takes items as they come.

botocore walks each attribute of each item through the description of its shape, which takes half
the processor time of a Query for a page. But the wire form of an item is what it returns: only
binary values are converted, from Base64.
"""

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from botocore.model import MapShape
from botocore.parsers import JSONParser, ResponseParser, ResponseParserFactory

from dynamo.items import Value


class ItemParser(JSONParser):
    """botocore's parser of the protocol ``json``, with a short cut for maps of attribute values."""

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
