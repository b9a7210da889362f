"""Values in rows: ids that this shop allows, made of any, and moments in any of the usual forms."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

LONGEST_ID = 128
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_NOT_IN_SLUGS = re.compile(r"[^A-Za-z0-9._]+")
_DIGEST_BYTES = 4
_ALL_BUT_SLUG = 2 * _DIGEST_BYTES + 1
"""Characters of the dash and the digest."""


def product_id_of(original: str) -> str:
    """Return the id of a product: at most 128 of ``A-Z a-z 0-9 . _ -``, a letter or digit first.

    Ids of orders follow the same rule. Raises ValueError for an empty text.
    """
    return original if _ID.fullmatch(original) else _mapped(original, LONGEST_ID)


def user_name_of(original: str, *, allowed: re.Pattern[str], longest: int) -> str:
    """Return a user name: ``original`` in lower case if that is ``allowed``, else a mapped one.

    ``longest`` is in characters, and ``allowed`` must take every mapped name: lower case ASCII
    letters, digits, dots, dashes and underscores, from ten characters up, a letter or digit first.
    Raises ValueError for an empty text.
    """
    name = original.lower()
    return name if allowed.fullmatch(name) else _mapped(original, longest).lower()


def _mapped(original: str, longest: int) -> str:
    if not original:
        raise ValueError("there is no identifier")
    plain = unicodedata.normalize("NFKD", original).encode("ascii", "ignore").decode()
    slug = _NOT_IN_SLUGS.sub("-", plain).strip("._-")[: longest - _ALL_BUT_SLUG]
    digest = blake2b(original.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{slug or 'id'}-{digest}"


_FORMAT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)"
    r" ?(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_DIGITS, _MILLISECONDS_DIGITS = 10, 13
_WORD = re.compile(r"[^\W\d_]+\.?")
_NUMBER = re.compile(r"m?\d+")
_WITH_NAMES = tuple(
    day + time
    for day in ("%d m%m %Y", "m%m %d %Y", "%Y m%m %d")
    for time in ("", " %H %M", " %H %M %S")
)
"""The orders in which a day, a named month (as ``m03``) and a year are found without a format."""


_SAMPLE = datetime(2001, 2, 3, tzinfo=UTC)
_OTHER_YEAR = _SAMPLE.replace(year=2007)  # on the same day of the week


class FormatUnknown(ValueError):
    """A date format or locale that cannot be used; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class DateFormats:
    """The formats of a file's dates, tried in order before those of `parse_moment`.

    ``formats`` are those of ``strptime``; ``%B`` and ``%b`` are names of months in English, or any
    of the names that ``months`` has numbers of, in lower case. With such names and no format, a
    day, the name of a month, a year and maybe a time are found in any usual order: “2 de marzo de
    2024”. Raises FormatUnknown.
    """

    formats: tuple[str, ...] = ()
    months: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.formats:
            # From Python 3.13 on, strptime warns of a day without a year.
            has_year = _SAMPLE.strftime(one) != _OTHER_YEAR.strftime(one)
            if not has_year or _parsed(_SAMPLE.strftime(one), one) != _SAMPLE:
                raise FormatUnknown(
                    f"“{one}” is no format of a day, a month and a year, such as %d/%m/%Y."
                )

    def parse(self, text: str) -> datetime:
        """Parse a moment as aware UTC, as `parse_moment` does. Raises ValueError."""
        spelled = _numbered(text, self.months) if self.months else text
        for one in self.formats:
            pattern = one.replace("%B", "m%m").replace("%b", "m%m") if self.months else one
            if (moment := _parsed(spelled, pattern)) is not None:
                return moment
        if spelled != text and not self.formats:
            numbers = " ".join(_NUMBER.findall(spelled))
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


def _numbered(text: str, months: Mapping[str, int]) -> str:
    """Put numbers in place of the names of months."""

    def number(match: re.Match[str]) -> str:
        found = months.get(match[0].lower().rstrip("."))
        return match[0] if found is None else f"m{found:02}"

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
