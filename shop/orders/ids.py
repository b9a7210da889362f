"""Order ids: ULIDs, which sort by the millisecond the order was placed in.

26 characters of Crockford's base 32: ten for the time, sixteen that tell apart orders of the same
millisecond. So the sort keys ``ORDER#<id>`` are in the order of placing (A2), and a range of days
is a range of ids.
"""

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from secrets import token_bytes

from ulid import ULID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_TIME_BYTES, _RANDOM_BYTES = 6, 10
_TIME_CHARACTERS = 10


def new_order_id(placed_at: datetime) -> str:
    """Make the id of an order placed at an aware datetime."""
    return _spell(placed_at, token_bytes(_RANDOM_BYTES))


def imported_order_id(placed_at: datetime, foreign_id: str) -> str:
    """Derive the id of an order from elsewhere: importing it again makes the same id."""
    return _spell(placed_at, blake2b(foreign_id.encode(), digest_size=_RANDOM_BYTES).digest())


def moment_in(order_id: str) -> datetime:
    """Give the millisecond an order was placed in. Raises ValueError for what is no order's id."""
    return _EPOCH + int(ULID.from_str(order_id).milliseconds) * _MILLISECOND


def id_bound(moment: datetime) -> str:
    """Give a string that sorts before the ids of all orders placed at or after ``moment``.

    It sorts behind those of all orders placed in an earlier millisecond.
    """
    return _spell(moment, bytes(_RANDOM_BYTES))[:_TIME_CHARACTERS]


def _spell(moment: datetime, rest: bytes) -> str:
    milliseconds = max(0, (moment - _EPOCH) // _MILLISECOND)
    return str(ULID.from_bytes(milliseconds.to_bytes(_TIME_BYTES) + rest))
