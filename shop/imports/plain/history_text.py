"""The history of an order as one field, such as ``PLACED@2017-12-30T10:00:00.000000Z``.

Its statuses are separated by blanks, oldest first. One that was called otherwise before an import
has that name behind another ``@``, percent-encoded.
"""

from collections.abc import Iterable
from urllib.parse import quote, unquote

from dynamo.lists.places import parse_timestamp, timestamp
from shop.order_status import Status
from shop.orders.items import StatusChange

_PARTS = 3


def write_history(history: Iterable[StatusChange]) -> str:
    """Return a history as text."""
    return " ".join(map(_written, history))


def parse_history(text: str) -> tuple[StatusChange, ...]:
    """Parse what `write_history` wrote. Raises ValueError for other text."""
    return tuple(map(_parsed, text.split()))


def _written(change: StatusChange) -> str:
    original = [] if change.original is None else [quote(change.original, safe="")]
    return "@".join([change.status.value, timestamp(change.moment), *original])


def _parsed(word: str) -> StatusChange:
    status, moment, *original = word.split("@", _PARTS - 1)
    return StatusChange(Status(status), parse_timestamp(moment), *map(unquote, original))
