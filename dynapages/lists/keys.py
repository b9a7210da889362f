"""Values of key attributes, and their order-preserving text.

DynamoDB orders strings by their UTF-8 bytes, which is the order of code points; numbers by value;
binaries by unsigned bytes. `text_of` writes a value of any of these as a text of the same order,
so that the place of an item is a text whatever its sort key is, and `value_at` reads it back.
"""

from collections.abc import Mapping
from decimal import Decimal

from dynapages.items import KeyValue, Value, key_value

_STRING, _NUMBER, _BINARY = "S", "N", "B"
_NEGATIVE, _ZERO, _POSITIVE = "0", "1", "2"
_MIDDLE = 500
"""Added to exponents, which then have three digits and no sign."""
_ABOVE_DIGITS = "~"
_MIRRORED = str.maketrans("0123456789", "9876543210")
_NUL, _ESCAPED = "\0", "\0\1"
END = "\0\0"
"""Behind a text of `text_of` this sorts in front of all that may follow in a longer text."""


def text_of(value: KeyValue) -> str:
    """Write a key value as text: texts of values of one type have the order of the values.

    That holds also where `END` and any text follow each. Of a number neither trailing zeros nor the
    form of its exponent are kept.
    """
    if isinstance(value, str):
        return _STRING + value.replace(_NUL, _ESCAPED)
    if isinstance(value, bytes):
        return _BINARY + value.hex()
    return _NUMBER + _number_text(Decimal(value))


def plain_text(value: KeyValue) -> str:
    """Write a key value as text of its order where nothing follows: almost any str as it is."""
    if isinstance(value, str) and not value.startswith(_NUL):
        return value
    return _NUL + text_of(value)


def value_in(text: str) -> KeyValue:
    """Return the value that `plain_text` wrote."""
    return value_at(text[1:]) if text.startswith(_NUL) else text


def value_at(text: str) -> KeyValue:
    """Return the value that `text_of` wrote. Raises ValueError for other text."""
    kind, content = text[:1], text[1:]
    if kind == _STRING:
        return content.replace(_ESCAPED, _NUL)
    if kind == _BINARY:
        return bytes.fromhex(content)
    if kind == _NUMBER:
        return _number_at(content)
    sentence = f"{text!r} is no text of a key value"
    raise ValueError(sentence)


def _number_text(number: Decimal) -> str:
    # Sign, exponent and digits, each as text of the same order; mirrored for negative numbers.
    if not number:
        return _ZERO
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    text = f"{number.adjusted() + _MIDDLE:03d}{digits}"
    if number > 0:
        return _POSITIVE + text
    return _NEGATIVE + text.translate(_MIRRORED) + _ABOVE_DIGITS


def _number_at(text: str) -> Decimal:
    if text == _ZERO:
        return Decimal(0)
    sign = "-" if text[0] == _NEGATIVE else ""
    rest = text[1:].rstrip(_ABOVE_DIGITS)
    rest = rest.translate(_MIRRORED) if sign else rest
    exponent = int(rest[:3]) - _MIDDLE - len(rest[3:]) + 1
    return Decimal(f"{sign}{rest[3:]}E{exponent}")


def key_text(attributes: Mapping[str, Value], names: tuple[str, ...]) -> str:
    """Write the values of several key attributes as one text, the same for equal values alone."""
    return END.join(text_of(key_value(attributes[name])) for name in names)
