"""Dates and times in files: ISO 8601, seconds since 1970, or the formats that an option names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from dynapages.files.date_names import NO_NAMES, DateNames, FormatUnknown
from dynapages.files.records import RowRefused

_ISO_FORMAT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)"
    r" ?(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_END_OF_DAY = re.compile(r"24:00(?::00(?:\.0+)?)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SINCE_1970 = re.compile(r"(-?)(\d+)(?:\.(\d{1,9}))?", re.ASCII)
_DECIMALS_BY_DIGITS = {
    **dict.fromkeys((9, 10), 0),
    **dict.fromkeys((11, 12, 13), 3),
    **dict.fromkeys((15, 16), 6),
    **dict.fromkeys((18, 19), 9),
}
"""Of a number since 1970, by how many digits it has: seconds, or thousandths of them and so on.

Others may be dates without marks, such as 20230105, or have several meanings.
"""
_DATE_IN_DIGITS = re.compile(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d", re.ASCII
)
"""A year, month, day, hour and minute, such as 202301051230: as milliseconds it is of 1976."""
_NUMBER = re.compile(r"m?\d+")
_DATE_ORDERS = ("%d m%m %Y", "m%m %d %Y", "%Y m%m %d", "%Y %d m%m")
_TIMES = ("%H %M", "%H %M %S")
_ZONE = re.compile(r"(?:(?<=[:.]\d\d)|UTC|GMT)\s*(?P<offset>[+-]\d\d(?::?\d\d)?)\s*$", re.ASCII)
"""An offset behind a time, or behind UTC: in “2024-Mar-05” is none."""
_UNKNOWN_ZONE = re.compile(r"\b(?!UTC|GMT)[A-Z]{3,5}\b")
_HALF_DAY = 12
_LONGEST = 200
"""Characters of a date in words; a longer text is none, and is not searched for names."""
_LONGEST_SHOWN = 40
"""Characters of a date in a message."""
_SAMPLE = datetime(2001, 2, 3, tzinfo=UTC)
"""The day with which formats are tried."""
_MONTH_OF_SAMPLE = _SAMPLE.replace(day=1)
_SAMPLE_IN_OTHER_YEAR = _SAMPLE.replace(year=2007)  # on the same day of the week


@dataclass(frozen=True, slots=True)
class DateFormats:
    """The formats of a file's dates, tried in order before those of `parse_moment`.

    They are those of ``strptime``; ``%B`` and ``%b`` are months in English, or by ``names``, those
    of a language. With such names and no format a month's name, a year and maybe a day and a time
    are found in any usual order: “2 de marzo de 2024”. A month without a day is its first. Raises
    FormatUnknown.
    """

    formats: tuple[str, ...] = ()
    names: DateNames = NO_NAMES

    def __post_init__(self) -> None:
        for pattern in self.formats:
            if not _is_format_of_a_date(pattern):
                raise FormatUnknown(
                    f"“{pattern}” is no format of a year, a month and maybe a day, such as "
                    f"%d/%m/%Y."
                )

    def parse(self, text: str) -> datetime:
        """Parse a moment as aware UTC, as `parse_moment` does. Raises ValueError."""
        moment, _ = self._first_fit(text)
        if moment is not None:
            return moment
        try:
            return parse_moment(text)
        except ValueError as error:
            if not self.formats:
                raise
            raise ValueError(
                f"“{text[:_LONGEST_SHOWN]}” is no date in the format {self.formats[0]}"
            ) from error

    def is_without_day(self, text: str) -> bool:
        """Return whether a date is a month without a day, which `parse` takes for its first."""
        moment, pattern = self._first_fit(text)
        if moment is None or "%d" in pattern:
            return False
        # Other directives, such as %x, name the day too.
        return _parse_by(pattern, _SAMPLE.strftime(pattern)) == _MONTH_OF_SAMPLE

    def _first_fit(self, text: str) -> tuple[datetime | None, str]:
        """Return the moment by the first pattern that fits, and that pattern."""
        for readable, pattern in self._readings(text):
            moment = _parse_by(pattern, readable)
            if moment is not None:
                return moment, pattern
        if self.names.has_months and not self.formats and len(text) <= _LONGEST:
            return self._named(text)
        return None, ""

    def _readings(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield a text with numbers for names of months, with each format to parse it by."""
        if not self.names.has_months or len(text) > _LONGEST:
            for pattern in self.formats:
                yield text, pattern
            return
        numbered = self.names.with_numbers(text)
        for pattern in self.formats:
            yield numbered, pattern.replace("%B", "m%m").replace("%b", "m%m")

    def _named(self, text: str) -> tuple[datetime | None, str]:
        """Return the moment of a text with a month's name, and its pattern; None if it has none.

        Raises ValueError for a time zone that is not known.
        """
        # Numbers of months stand apart, as in “2024年 m03 5日”.
        numbered = self.names.with_numbers(text, apart=True)
        if numbered == text:
            return None, ""
        # After the months: “mar” is both in some languages.
        numbered = self.names.without_weekdays(numbered)
        half = self.names.half_of_day(numbered)
        numbered = self.names.without_halves(numbered)
        zone = _ZONE.search(numbered)
        if zone is not None:
            numbered = numbered[: zone.start()]
        elif unknown := _UNKNOWN_ZONE.search(numbered):
            raise ValueError(
                f"“{text[:_LONGEST_SHOWN]}” names the time zone {unknown[0]}: dates are in UTC, or "
                f"have an offset such as +02:00"
            )
        numbers = " ".join(self.names.in_common_era(_NUMBER.findall(numbered)))
        for pattern in _named_formats():
            moment = _parse_by(pattern, numbers)
            if moment is None:
                continue
            moment = _in_half_of_day(moment, half)
            if zone is not None:
                moment = _at_offset(moment, zone)
            return moment, pattern
        return None, ""


def _named_formats() -> Iterator[str]:
    """Yield the orders in which a named month (as ``m03``), a year and maybe a day are found."""
    for date in _DATE_ORDERS:
        yield date
        for time in _TIMES:
            yield f"{date} {time}"
            yield f"{time} {date}"
    yield "m%m %Y"
    yield "%Y m%m"


def _in_half_of_day(moment: datetime, half: str) -> datetime:
    """Return a moment whose hour is one of twelve, in the half of the day with this name."""
    if half == "pm" and moment.hour < _HALF_DAY:
        return moment.replace(hour=moment.hour + _HALF_DAY)
    if half == "am" and moment.hour == _HALF_DAY:
        return moment.replace(hour=0)
    return moment


def _at_offset(moment: datetime, zone: re.Match[str]) -> datetime:
    """Return the moment in UTC of one in a time zone such as ``+02:00``. Raises ValueError."""
    digits = zone["offset"].replace(":", "")[1:].ljust(len("0200"), "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    try:
        if zone["offset"].startswith("-"):
            return moment + offset
        return moment - offset
    except OverflowError as error:
        raise ValueError(f"“{moment:%Y-%m-%d %H:%M}” is no moment of the calendar") from error


def moment_of(name: str, text: str, formats: DateFormats) -> datetime:
    """Parse the moment of a field as aware UTC. Raises RowRefused."""
    try:
        return formats.parse(text)
    except ValueError as error:
        raise RowRefused(f"{name}: {error}") from error


def parse_moment(text: str) -> datetime:
    """Parse a moment as aware UTC; without an offset it is UTC, a date is its midnight.

    ISO 8601 with a blank or T, ``UTC`` or ``Z``; seconds (9 or 10 digits), milliseconds (11 to 13),
    microseconds or nanoseconds since 1970, before it with a minus sign. Digits beyond microseconds
    are dropped. 24:00 is the midnight at a day's end. A leap second, 23:59:60 in UTC, is the first
    one of the next day, as clocks of computers have it.
    Raises ValueError.
    """
    number = _SINCE_1970.fullmatch(text)
    if number is not None:
        return _since_1970(number)
    match = _ISO_FORMAT.fullmatch(text)
    if match is None:
        raise ValueError(
            f"“{text[:_LONGEST_SHOWN]}” is no date and time such as 2023-01-05T12:30:00Z (see "
            f"--date-format and --date-locale)"
        )
    zone = (match["zone"] or "Z").upper().replace("UTC", "Z")
    time = (match["time"] or "00:00").replace(",", ".")
    not_in_calendar = f"“{text}” is no moment of the calendar"
    # datetime knows neither 24:00 nor 23:59:60: what is before them is parsed, and the rest added.
    added = timedelta()
    is_leap_second = time[6:8] == "60"
    if _END_OF_DAY.fullmatch(time):
        time = "00:00"
        added = timedelta(days=1)
    elif is_leap_second:
        time = f"{time[:6]}59{time[8:]}"
        added = timedelta(seconds=1)
    try:
        moment = datetime.fromisoformat(f"{match['date']}T{time}{zone}").astimezone(UTC) + added
    except (ValueError, OverflowError) as error:
        raise ValueError(not_in_calendar) from error
    if is_leap_second and (moment.hour, moment.minute, moment.second) != (0, 0, 0):
        raise ValueError(not_in_calendar)
    return moment


def _since_1970(number: re.Match[str]) -> datetime:
    """Parse a number since 1970, whose unit its digits tell. Raises ValueError."""
    sign, digits, decimals = number[1], number[2], number[3] or "0"
    text = number[0][:_LONGEST_SHOWN]
    scale = _DECIMALS_BY_DIGITS.get(len(digits))
    if scale is None or _DATE_IN_DIGITS.fullmatch(number[0]):
        raise ValueError(
            f"“{text}” is no time since 1970: seconds have 9 or 10 digits, milliseconds 11 to 13; "
            f"for a date without marks give --date-format, such as %Y%m%d"
        )
    seconds = Decimal(f"{sign}{digits}.{decimals}").scaleb(-scale)
    try:
        return _EPOCH + timedelta(microseconds=int(seconds * 1_000_000))
    except OverflowError as error:
        raise ValueError(f"“{text}” is no moment of the calendar") from error


def _is_format_of_a_date(pattern: str) -> bool:
    """Return whether a format has a year and a month, so that what it writes can be parsed."""
    # The year comes first: from Python 3.13 on, strptime warns of a day without a year.
    has_year = _SAMPLE.strftime(pattern) != _SAMPLE_IN_OTHER_YEAR.strftime(pattern)
    if not has_year:
        return False
    return _parse_by(pattern, _SAMPLE.strftime(pattern)) in {_SAMPLE, _MONTH_OF_SAMPLE}


def _parse_by(pattern: str, text: str) -> datetime | None:
    """Parse a text by a pattern of ``strptime`` as aware UTC; None if it does not fit."""
    try:
        moment = datetime.strptime(text, pattern)  # noqa: DTZ007 - most formats have no zone
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
