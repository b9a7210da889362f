"""Dates and times in the formats of files."""

import gettext
import re
from calendar import month_name
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

import django

_FORMAT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)"
    r" ?(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_DIGITS, _MILLISECONDS_DIGITS = 10, 13
_LOCALES = Path(django.__file__).parent / "conf" / "locale"
"""Django's translations, which have the names of months in a hundred languages."""
_MONTHS = tuple(month_name[1:])
_SHORT_MONTHS = (
    *("Jan.", "Feb.", "March", "April", "May", "June"),
    *("July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec."),
)
"""As Django spells what it has translations of."""
_WORD = re.compile(r"[^\W\d_]+\.?")
_WITH_NAMES = tuple(
    day + time
    for day in ("%d %m %Y", "%m %d %Y", "%Y %m %d")
    for time in ("", " %H %M", " %H %M %S")
)
"""The orders of numbers in which a day with a named month is found without a format."""


class FormatUnknown(ValueError):
    """A date format or locale that cannot be used; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class DateFormats:
    """The formats of a file's dates, tried in order before those of `parse_moment`.

    ``formats`` are those of ``strptime``; ``%B`` and ``%b`` are names of months in English, or in
    the language ``locale``, in any of their forms. With a locale alone, a day, the name of a
    month, a year and maybe a time are found in any usual order: “2 de marzo de 2024”. Raises
    FormatUnknown.
    """

    formats: tuple[str, ...] = ()
    locale: str = ""

    def __post_init__(self) -> None:
        if self.locale:
            month_names(self.locale)
        for one in self.formats:
            try:
                sample = datetime(2001, 2, 3, tzinfo=UTC).strftime(one)
                datetime.strptime(sample, one)  # noqa: DTZ007 - only to see whether it can be read
            except ValueError as error:
                message = f"“{one}” is no format of dates such as %d/%m/%Y: {error}."
                raise FormatUnknown(message) from error

    def parse(self, text: str) -> datetime:
        """Parse a moment as aware UTC, as `parse_moment` does. Raises ValueError."""
        spelled = _numbered(text, month_names(self.locale)) if self.locale else text
        for one in self.formats:
            pattern = one.replace("%B", "%m").replace("%b", "%m") if self.locale else one
            if (moment := _parsed(spelled, pattern)) is not None:
                return moment
        if self.locale and not self.formats and spelled != text:
            numbers = " ".join(re.findall(r"\d+", spelled))
            for one in _WITH_NAMES:
                if (moment := _parsed(numbers, one)) is not None:
                    return moment
        try:
            return parse_moment(text)
        except ValueError as error:
            if not self.formats:
                raise
            raise ValueError(f"“{text[:40]}” is no date in the format {self.formats[0]}") from error


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
        raise ValueError(
            f"“{text[:40]}” is no date and time such as 2023-01-05T12:30:00Z; "
            f"--date-format or --date-locale can say what it is"
        )
    zone = (match["zone"] or "Z").upper().replace("UTC", "Z")
    iso = f"{match['date']}T{(match['time'] or '00:00').replace(',', '.')}{zone}"
    try:
        return datetime.fromisoformat(iso).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"“{text}” is no moment of the calendar") from error


@lru_cache(maxsize=8)
def month_names(locale: str) -> Mapping[str, int]:
    """Return the numbers of months by their names in a language, in lower case, without dots.

    Raises FormatUnknown for a language that Django has no translation to.
    """
    try:
        found = gettext.translation("django", _LOCALES, languages=[locale.replace("-", "_")])
    except OSError as error:
        raise FormatUnknown(f"“{locale}” is no language of dates: use one such as es.") from error
    names: dict[str, int] = {}
    for number, (long, short) in enumerate(zip(_MONTHS, _SHORT_MONTHS, strict=True), 1):
        for name in (
            found.gettext(long),
            found.gettext(long[:3].lower()),
            found.pgettext("abbrev. month", short),
            found.pgettext("alt. month", long),
        ):
            names[name.lower().rstrip(".")] = number
    return names


def _numbered(text: str, months: Mapping[str, int]) -> str:
    """Put numbers in place of the names of months."""

    def number(match: re.Match[str]) -> str:
        found = months.get(match[0].lower().rstrip("."))
        return match[0] if found is None else f"{found:02}"

    return _WORD.sub(number, text)


def _parsed(text: str, pattern: str) -> datetime | None:
    try:
        moment = datetime.strptime(text, pattern)  # noqa: DTZ007 - most formats have no zone
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def _since_1970(digits: str) -> datetime:
    if len(digits) == _SECONDS_DIGITS:
        return _EPOCH + timedelta(seconds=int(digits))
    if len(digits) == _MILLISECONDS_DIGITS:
        return _EPOCH + timedelta(milliseconds=int(digits))
    raise ValueError(
        f"“{digits[:40]}” is no time since 1970: seconds have 10 digits, milliseconds 13"
    )
