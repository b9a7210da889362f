"""Keys as texts of the same order, which can be compared, joined and stored in tokens.

DynamoDB orders strings by their UTF-8 bytes, which is the order of code points; numbers by value;
binaries by unsigned bytes. `text_of` writes a value of any of these as a text of the same order,
and `text_of_key` a tuple of them, which is ordered by the first value, then by the second.
"""

from collections.abc import Mapping
from decimal import Decimal
from hashlib import blake2b
from typing import TypeAlias

from dynapages.items import Item, KeyValue, Value, key_value

Key: TypeAlias = KeyValue | tuple[KeyValue, ...]
"""A partition key or a sort key: a value, or a tuple of them in an index of several attributes."""
HIGHEST = "\U0010ffff"
"""Sorts behind every character that a place may hold."""
END = "\0\0"
"""Behind a text of `text_of` this sorts in front of all that may follow in a longer text."""
JOINT = "/"
"""Between several values of a key, for display."""
_TIE_BYTES = 12
SURROGATES = range(0xD800, 0xE000)
"""Code points that are no characters: no text has one."""
_HIGHEST_BYTE = 0xFF
# Of texts of key values: what a text begins with, by the type of the value.
_STRING, _NUMBER, _BINARY = "S", "N", "B"
# And what the text of a number begins with, by its sign.
_NEGATIVE, _ZERO, _POSITIVE = "0", "1", "2"
_EXPONENT_OFFSET = 500
"""Added to exponents, which then have three digits and no sign."""
_ABOVE_DIGITS = "~"
_MIRRORED = str.maketrans("0123456789", "9876543210")
_NUL, _ESCAPED_NUL = "\0", "\0\1"


def least_above(prefix: str | bytes) -> KeyValue | None:
    """Return the least sort key above all that begin with a prefix; None if there is none."""
    # The highest character cannot be raised: the last one in front of it is.
    if isinstance(prefix, bytes):
        raisable_bytes = prefix.rstrip(bytes([_HIGHEST_BYTE]))
        if not raisable_bytes:
            return None
        return raisable_bytes[:-1] + bytes([raisable_bytes[-1] + 1])
    raisable = prefix.rstrip(HIGHEST)
    if not raisable:
        return None
    code = ord(raisable[-1]) + 1
    if code in SURROGATES:
        code = SURROGATES.stop
    return raisable[:-1] + chr(code)


def joined(prefix: str | bytes, value: KeyValue) -> KeyValue:
    """Return a sort key of a prefix and what follows it. Raises ValueError for other types."""
    if not prefix:
        return value
    if isinstance(prefix, str) and isinstance(value, str):
        return prefix + value
    if isinstance(prefix, bytes) and isinstance(value, bytes):
        return prefix + value
    raise ValueError(
        f"Sort keys such as {value!r} do not begin with {prefix!r}, which is of another type"
    )


def without_prefix(prefix: str | bytes, value: KeyValue) -> KeyValue:
    """Return what follows a prefix in a sort key."""
    if isinstance(prefix, bytes) and isinstance(value, bytes):
        return value.removeprefix(prefix)
    if isinstance(prefix, str) and isinstance(value, str):
        return value.removeprefix(prefix)
    return value


def displayed(key: Key) -> str:
    """Format a key for display; bytes are hexadecimal, and ``/`` is between several values."""
    if isinstance(key, tuple):
        return JOINT.join(map(displayed, key))
    return key.hex() if isinstance(key, bytes) else str(key)


def text_of(value: KeyValue) -> str:
    """Write a key value as text: texts of values of one type have the order of the values.

    That holds also where `END` and any text follow each. Of a number neither trailing zeros nor the
    form of its exponent are kept.
    """
    if isinstance(value, str):
        return _STRING + value.replace(_NUL, _ESCAPED_NUL)
    if isinstance(value, bytes):
        return _BINARY + value.hex()
    return _NUMBER + _number_text(Decimal(value))


def values_of(key: Key) -> tuple[KeyValue, ...]:
    """Return the values of a key, also where it is one."""
    return key if isinstance(key, tuple) else (key,)


def text_of_key(key: Key) -> str:
    """Write a key as text: of tuples of one shape, it has the order of these, as `text_of` has."""
    if not isinstance(key, tuple):
        return text_of(key)
    return END.join(map(text_of, key))


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
        return content.replace(_ESCAPED_NUL, _NUL)
    if kind == _BINARY:
        return bytes.fromhex(content)
    if kind == _NUMBER:
        return _number_at(content)
    raise ValueError(f"{text!r} is no text of a key value")


def _number_text(number: Decimal) -> str:
    """Write a number as text: texts have the order of the numbers."""
    # Sign, exponent and digits, each as text of the same order; mirrored for negative numbers,
    # where the longer of two texts that begin alike is the lesser number.
    if not number:
        return _ZERO
    digits = "".join(str(digit) for digit in number.as_tuple().digits).strip("0")
    text = f"{number.adjusted() + _EXPONENT_OFFSET:03d}{digits}"
    if number > 0:
        return _POSITIVE + text
    return _NEGATIVE + text.translate(_MIRRORED) + _ABOVE_DIGITS


def _number_at(text: str) -> Decimal:
    """Return the number that `_number_text` wrote."""
    if text == _ZERO:
        return Decimal(0)
    content, sign = text[1:], ""
    if text[0] == _NEGATIVE:
        content, sign = content.rstrip(_ABOVE_DIGITS).translate(_MIRRORED), "-"
    adjusted, digits = int(content[:3]) - _EXPONENT_OFFSET, content[3:]
    # The digits are written as an integer here, not as one digit and a fraction.
    exponent = adjusted - (len(digits) - 1)
    return Decimal(f"{sign}{digits}E{exponent}")


def key_text(attributes: Mapping[str, Value], names: tuple[str, ...]) -> str:
    """Write the values of several key attributes as one text, the same for equal values alone."""
    return END.join(text_of(key_value(attributes[name])) for name in names)


def tie_of(item: Item, names: tuple[str, ...]) -> str:
    """Return a digest of an item's table key, which orders items of equal sort keys."""
    return blake2b(key_text(item, names).encode(), digest_size=_TIE_BYTES).hexdigest()
