"""Key values next to a value: what a start key is made of where none is known.

`just_above` and `just_below` return a value of the same type that is above or below another one,
as near as it can be written. What a list has in between is read once more than needed, and
dropped: so a neighbour need not be the nearest, but it must be on its side.
"""

from decimal import ROUND_DOWN, Context, Decimal

from dynapages.items import KeyValue
from dynapages.lists.key_texts import HIGHEST, SURROGATES, least_above

MOST_BYTES = 1_024
"""What the sort attributes of a key have at the most, all together."""
_LEAST = Decimal("1E-130")
_GREATEST = Decimal("9.9999999999999999999999999999999999999E+125")
_DIGITS = Context(prec=38, Emin=-999, Emax=999, rounding=ROUND_DOWN, traps=[])
_HIGHEST_BYTES = b"\xff" * 8


def just_above(value: KeyValue, *, room: int) -> KeyValue | None:
    """Return a value above another one, None if there is none.

    ``room`` is how many bytes longer it may be.
    """
    if not isinstance(value, str | bytes):
        return _number(Decimal(value), _DIGITS.next_plus(Decimal(value)))
    if room <= 0:
        # To raise a character may add a byte: the last character is left out for it.
        return least_above(value[:-1])
    if isinstance(value, str):
        return value + "\0"
    return value + b"\0"


def just_below(value: KeyValue, *, room: int) -> KeyValue | None:
    """Return a value below another one that is not empty, None if there is none.

    ``room`` is how many bytes longer it may be.
    """
    if isinstance(value, str):
        return text_below(value, room=room) or None
    if isinstance(value, bytes):
        return _bytes_below(value, room=room) or None
    return _number(Decimal(value), _DIGITS.next_minus(Decimal(value)))


def text_below(value: str, *, room: int = MOST_BYTES) -> str:
    """Return a text below another one; nothing that is ever written lies between the two."""
    front, code = value[:-1], ord(value[-1]) - 1
    if code < 0:
        return front
    if code in SURROGATES:
        code = SURROGATES.start - 1
    end = HIGHEST if room >= len(HIGHEST.encode()) else ""
    return front + chr(code) + end


def _bytes_below(value: bytes, *, room: int) -> bytes:
    front, last = value[:-1], value[-1]
    if not last:
        return front
    return front + bytes([last - 1]) + _HIGHEST_BYTES[: max(room, 0)]


def _number(value: Decimal, neighbour: Decimal) -> Decimal | None:
    """Return a neighbour as DynamoDB has numbers, None beyond the greatest of them."""
    # Not by `abs`, which rounds to 28 digits.
    size = neighbour.copy_abs()
    if size > _GREATEST:
        return None
    if not neighbour or size >= _LEAST:
        return neighbour
    # Between nothing and the least number there is none: the other one of the two is next.
    if value:
        return Decimal(0)
    return _LEAST.copy_sign(neighbour)
