"""Dates and times in the formats of files."""

import re
from datetime import UTC, datetime, timedelta

_FORMAT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)"
    r" ?(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_DIGITS, _MILLISECONDS_DIGITS = 10, 13


def parse_moment(text: str) -> datetime:
    """Parse a moment as aware UTC; without an offset it is UTC, a date is its midnight.

    ``2023-01-05``, ``2023-01-05 12:30:00``, ``2023-01-05T12:30:00.5+02:00``, ``… UTC`` and
    ``…Z`` are accepted, as are seconds (ten digits) and milliseconds (thirteen) since 1970. Digits
    beyond microseconds are dropped. Raises ValueError.
    """
    if text.isascii() and text.isdigit():
        return _since_1970(text)
    match = _FORMAT.fullmatch(text)
    if match is None:
        raise ValueError(f"“{text[:40]}” is no date and time such as 2023-01-05T12:30:00Z")
    zone = (match["zone"] or "Z").upper().replace("UTC", "Z")
    iso = f"{match['date']}T{(match['time'] or '00:00').replace(',', '.')}{zone}"
    try:
        return datetime.fromisoformat(iso).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"“{text}” is no moment of the calendar") from error


def _since_1970(digits: str) -> datetime:
    if len(digits) == _SECONDS_DIGITS:
        return _EPOCH + timedelta(seconds=int(digits))
    if len(digits) == _MILLISECONDS_DIGITS:
        return _EPOCH + timedelta(milliseconds=int(digits))
    raise ValueError(
        f"“{digits[:40]}” is no time since 1970: seconds have 10 digits, milliseconds 13"
    )
