"""Dates and times in files: ISO 8601, seconds since 1970, or the formats that an option names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from dynapages.files.records import RowRefused

_ISO_FORMAT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)"
    r" ?(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_END_OF_DAY = re.compile(r"24:00(?::00(?:\.0+)?)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_DIGITS, _MILLISECONDS_DIGITS = 10, 13
_WORD = re.compile(r"[^\W\d_]+\.?")
_NUMBER = re.compile(r"m?\d+")
_NAMED_MONTH_FORMATS = (
    *("%d m%m %Y", "%d m%m %Y %H %M", "%d m%m %Y %H %M %S"),
    *("m%m %d %Y", "m%m %d %Y %H %M", "m%m %d %Y %H %M %S"),
    *("%Y m%m %d", "%Y m%m %d %H %M", "%Y m%m %d %H %M %S"),
    *("m%m %Y", "%Y m%m"),
)
"""The orders in which a named month (as ``m03``), a year and maybe a day are found."""
_LONGEST_SHOWN = 40
"""Characters of a date in a message."""
_SAMPLE = datetime(2001, 2, 3, tzinfo=UTC)
"""The day with which formats are tried."""
_MONTH_OF_SAMPLE = _SAMPLE.replace(day=1)
_SAMPLE_IN_OTHER_YEAR = _SAMPLE.replace(year=2007)  # on the same day of the week


class FormatUnknown(ValueError):
    """A date format or locale that cannot be used; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class DateFormats:
    """The formats of a file's dates, tried in order before those of `parse_moment`.

    They are those of ``strptime``; ``%B`` and ``%b`` are months in English, or by the names that
    ``months`` has numbers of, in lower case. With such names and no format a month's name, a year
    and maybe a day and a time are found in any usual order: “2 de marzo de 2024”. A month without a
    day is its first. Raises FormatUnknown.
    """

    formats: tuple[str, ...] = ()
    months: Mapping[str, int] = field(default_factory=dict)

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
        for text_with_numbers, pattern in self._readings(text):
            moment = _parse_by(pattern, text_with_numbers)
            if moment is not None:
                return moment, pattern
        return None, ""

    def _readings(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield a text with numbers for names of months, with each pattern to parse it by."""
        if not self.months:
            for pattern in self.formats:
                yield text, pattern
            return
        numbered = _with_numbers_of_months(text, self.months)
        if self.formats:
            for pattern in self.formats:
                yield numbered, pattern.replace("%B", "m%m").replace("%b", "m%m")
        elif numbered != text:
            numbers_alone = " ".join(_NUMBER.findall(numbered))
            for pattern in _NAMED_MONTH_FORMATS:
                yield numbers_alone, pattern


def moment_of(name: str, text: str, formats: DateFormats) -> datetime:
    """Parse the moment of a field as aware UTC. Raises RowRefused."""
    try:
        return formats.parse(text)
    except ValueError as error:
        raise RowRefused(f"{name}: {error}") from error


def parse_moment(text: str) -> datetime:
    """Parse a moment as aware UTC; without an offset it is UTC, a date is its midnight.

    ISO 8601 with a blank or T, ``UTC`` or ``Z``; seconds (ten digits) or milliseconds (thirteen)
    since 1970. Digits beyond microseconds are dropped. 24:00 is the midnight at a day's end. A leap
    second, 23:59:60 in UTC, is the first one of the next day, as clocks of computers have it.
    Raises ValueError.
    """
    if text.isascii() and text.isdigit():
        return _since_1970(text)
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


def _since_1970(digits: str) -> datetime:
    """Parse seconds or milliseconds since 1970, told apart by their digits."""
    if len(digits) == _SECONDS_DIGITS:
        return _EPOCH + timedelta(seconds=int(digits))
    if len(digits) == _MILLISECONDS_DIGITS:
        return _EPOCH + timedelta(milliseconds=int(digits))
    raise ValueError(
        f"“{digits[:_LONGEST_SHOWN]}” is no time since 1970: seconds have 10 digits, "
        f"milliseconds 13"
    )


def _is_format_of_a_date(pattern: str) -> bool:
    """Return whether a format has a year and a month, so that what it writes can be parsed."""
    # The year comes first: from Python 3.13 on, strptime warns of a day without a year.
    has_year = _SAMPLE.strftime(pattern) != _SAMPLE_IN_OTHER_YEAR.strftime(pattern)
    if not has_year:
        return False
    return _parse_by(pattern, _SAMPLE.strftime(pattern)) in {_SAMPLE, _MONTH_OF_SAMPLE}


def _with_numbers_of_months(text: str, months: Mapping[str, int]) -> str:
    """Put numbers in place of the names of months: ``2 m03 2024`` for “2 March 2024”."""

    def numbered(match: re.Match[str]) -> str:
        number = months.get(match[0].lower().rstrip("."))
        return match[0] if number is None else f"m{number:02}"

    return _WORD.sub(numbered, text)


def _parse_by(pattern: str, text: str) -> datetime | None:
    """Parse a text by a pattern of ``strptime`` as aware UTC; None if it does not fit."""
    try:
        moment = datetime.strptime(text, pattern)  # noqa: DTZ007 - most formats have no zone
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)
