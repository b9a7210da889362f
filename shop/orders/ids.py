"""The ids of orders: ULIDs, which sort by the moment of placing; and the numbers that pages show.

A new order gets a random id. An imported one gets an id that follows from its id elsewhere, so that
the same import again finds the same order.
"""

import re
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from secrets import token_bytes

from ulid import ULID

from dynapages.files.identifiers import identifier_of
from shop import keys

ID_LENGTH = 26
"""Characters of an order's id."""
LONGEST_ID = 200
"""Characters of an id that is looked for."""
LONGEST_NAME = 20
"""Characters of a number from another shop that pages call an order by."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_TIME_BYTES = 6
_RANDOM_BYTES = 10
_TIME_CHARACTERS = 10
_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_END_OF_ID = re.compile(rf"[0-9A-HJKMNP-TV-Z]{{{keys.SHORT_ID},{ID_LENGTH}}}")
_NOT_OF_ID = re.compile(r"^[…#.\s]+|[\s-]+")
_SIMILAR_LETTERS = str.maketrans("OIL", "011")
"""Letters that Crockford's base 32 does not have, and the digits that they are read as."""


def new_order_id(placed_at: datetime) -> str:
    """Return a new id for an order placed at an aware datetime."""
    return _build_id(placed_at, token_bytes(_RANDOM_BYTES))


def imported_order_id(placed_at: datetime, foreign_id: str) -> str:
    """Derive the id of an imported order: the same for each import of it."""
    # A digest, so that ids of any length and alphabet become equally long ones.
    identifier = ""
    if foreign_id:
        identifier = identifier_of(foreign_id)
    digest = blake2b(identifier.encode(), digest_size=_RANDOM_BYTES).digest()
    return _build_id(placed_at, digest)


def foreign_key(foreign_id: str) -> str:
    """Return both keys of the pointer to an order from its id elsewhere, which may be any text."""
    return keys.foreign(identifier_of(foreign_id))


def name_of(order_id: str, foreign_id: str | None = None) -> str:
    """Return what an order is called: its number elsewhere if that is short, else its id's end."""
    if foreign_id and len(foreign_id) <= LONGEST_NAME:
        return foreign_id
    return keys.short_id(order_id)


def is_order_id(text: str, placed_at: datetime) -> bool:
    """Return whether a text is an id of this shop for an order placed at that moment."""
    return _ID.fullmatch(text) is not None and text.startswith(id_bound(placed_at))


def parse_number(typed: str) -> str:
    """Return the order's id, or an end of one, that was typed as pages show it; else "".

    It is decoded as Crockford's base 32: in any case, O as 0, I and L as 1, without hyphens. Blanks
    do not count, nor “…” or # in front.
    """
    number = _NOT_OF_ID.sub("", typed).upper().translate(_SIMILAR_LETTERS)
    return number if _END_OF_ID.fullmatch(number) else ""


def moment_in(order_id: str) -> datetime:
    """Return the moment in an order's id, in milliseconds. Raises ValueError for other text."""
    return _EPOCH + int(ULID.from_str(order_id).milliseconds) * _MILLISECOND


def id_bound(moment: datetime) -> str:
    """Return a string between the ids of orders placed before ``moment`` and of all others."""
    return _build_id(moment, bytes(_RANDOM_BYTES))[:_TIME_CHARACTERS]


def _build_id(moment: datetime, random_bytes: bytes) -> str:
    # A moment before 1970 cannot be in an id: it counts as 1970.
    milliseconds = max(0, (moment - _EPOCH) // _MILLISECOND)
    return str(ULID.from_bytes(milliseconds.to_bytes(_TIME_BYTES) + random_bytes))
