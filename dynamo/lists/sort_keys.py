"""Sort keys that are unique and sort by time: ``2026-11-20T09:30:00.123456Z#<id>``.

UTC at a fixed width makes the order of the strings the order of time; the id breaks ties, so that a
page can resume exactly behind any. DynamoDB and Python compare strings in the same order.
"""

from datetime import UTC, datetime

SEPARATOR = "#"


def timestamp(moment: datetime) -> str:
    """Format an aware datetime as UTC at fixed width, such as ``2026-11-20T09:30:00.123456Z``.

    Raises ValueError for a naive datetime.
    """
    if moment.utcoffset() is None:
        sentence = f"{moment.isoformat()} has no time zone; a sort key needs an aware datetime"
        raise ValueError(sentence)
    utc = moment.astimezone(UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="microseconds") + "Z"


def parse_timestamp(text: str) -> datetime:
    """Parse what `timestamp` wrote, as an aware UTC datetime. Raises ValueError for other text."""
    moment = datetime.fromisoformat(text)
    if timestamp(moment) != text:  # it takes other forms as well, which would sort wrongly
        sentence = f"{text!r} is not of the fixed width of a sort key's timestamp"
        raise ValueError(sentence)
    return moment


def sort_key_of(moment: datetime, unique_id: str) -> str:
    """Build the sort key of an item created at ``moment``."""
    return timestamp(moment) + SEPARATOR + unique_id


def moment_at(sort_key: str) -> datetime:
    """Return the moment a sort key begins with, as an aware UTC datetime."""
    return parse_timestamp(sort_key.partition(SEPARATOR)[0])


def id_at(sort_key: str) -> str:
    """Return the id a sort key ends with, which may contain a ``#``."""
    return sort_key.partition(SEPARATOR)[2]
