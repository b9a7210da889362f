"""Order ids: ULIDs, which sort by the millisecond the order was placed in.

26 characters of Crockford's base 32: ten for the time, sixteen to distinguish orders of one
millisecond. So the sort keys ``ORDER#<id>`` are in the order of placing (A2), and a range of days
is a range of ids.
"""

import re
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from secrets import token_bytes

from ulid import ULID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_TIME_BYTES, _RANDOM_BYTES = 6, 10
_TIME_CHARACTERS = 10
_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def new_order_id(placed_at: datetime) -> str:
    """Return a new id for an order placed at an aware datetime."""
    return _spell(placed_at, token_bytes(_RANDOM_BYTES))


def imported_order_id(placed_at: datetime, foreign_id: str) -> str:
    """Derive the id of an imported order: the same for each import of it."""
    return _spell(placed_at, blake2b(foreign_id.encode(), digest_size=_RANDOM_BYTES).digest())


def is_id_of(text: str, placed_at: datetime) -> bool:
    """Return whether a text is an id of this shop for an order placed at that moment."""
    return _ID.fullmatch(text) is not None and text.startswith(id_bound(placed_at))


def moment_in(order_id: str) -> datetime:
    """Return the moment in an order's id, in milliseconds. Raises ValueError for other text."""
    return _EPOCH + int(ULID.from_str(order_id).milliseconds) * _MILLISECOND


def id_bound(moment: datetime) -> str:
    """Return a string between the ids of orders placed before ``moment`` and of all others."""
    return _spell(moment, bytes(_RANDOM_BYTES))[:_TIME_CHARACTERS]


def _spell(moment: datetime, rest: bytes) -> str:
    milliseconds = max(0, (moment - _EPOCH) // _MILLISECOND)
    return str(ULID.from_bytes(milliseconds.to_bytes(_TIME_BYTES) + rest))
