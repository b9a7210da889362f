"""The names of months, weekdays and halves of the day in a language, by Unicode's CLDR."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale

_WIDTHS = ("wide", "abbreviated")
_CONTEXTS = ("format", "stand-alone")
_SHORTEST_PREFIX = 3
"""Letters by which a month is known, if no other one of the language begins with them."""
_PARTS_OF_WORDS = {"he": "ב"}
"""What may stand before a month's name as a part of the same word, by language."""
_YEARS_AHEAD = {"th": 543}
"""How far a calendar in use is ahead of the common one, by language."""
_FIRST_YEAR_AHEAD = "2400"
"""From this year on a year is one of such a calendar."""
_DIGITS_OF_A_YEAR = 4
_SAME_LETTERS = {"i\u0307": "i", "\u0131": "i", "\u017f": "s", "\u03c2": "\u03c3"}
"""Small letters that patterns take for the same: i with and without a dot, two kinds of s, sigma.

So “NİSAN” is “nisan”.
"""
_USUAL_HALVES = {"am": "am", "pm": "pm", "a.m": "am", "p.m": "pm"}


class FormatUnknown(ValueError):
    """A date format or language that cannot be used; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class DateNames:
    """The numbers of months by their names, which are in lower case, without a dot at the end.

    ``weekdays`` are names like these. ``halves`` are the names of the two halves of a day, ``am``
    and ``pm``. Years from 2400 on are ``years_ahead`` of the common ones.
    """

    months: Mapping[str, int] = field(default_factory=dict)
    weekdays: Collection[str] = ()
    halves: Mapping[str, str] = field(default_factory=dict)
    years_ahead: int = 0

    @property
    def has_months(self) -> bool:
        return bool(self.months)

    def with_numbers(self, text: str, *, apart: bool = False) -> str:
        """Put numbers in place of the names of months: ``2 m03 2024`` for “2 March 2024”.

        With ``apart`` there are blanks around them. All digits become those of ASCII.
        """

        def numbered(name: str) -> str:
            number = f"m{self.months[name]:02}"
            return f" {number} " if apart else number

        return _replaced(_with_plain_digits(text), self.months, numbered)

    def without_weekdays(self, text: str) -> str:
        """Return a text without the names of weekdays, some of which hold digits: “Th 2”."""
        return _replaced(text, self.weekdays, lambda _name: " ")

    def half_of_day(self, text: str) -> str:
        """Return ``am`` or ``pm`` if a text names the half of the day, else an empty text."""
        match = _pattern_of(tuple(self.halves)).search(text)
        return self.halves.get(_key_of(match[0]), "") if match else ""

    def without_halves(self, text: str) -> str:
        """Return a text without the names of halves of the day."""
        return _replaced(text, self.halves, lambda _name: " ")

    def in_common_era(self, numbers: Iterable[str]) -> list[str]:
        """Return the numbers of a date with the common year, where it is of another calendar."""
        common: list[str] = []
        for number in numbers:
            is_year_ahead = len(number) == _DIGITS_OF_A_YEAR and number >= _FIRST_YEAR_AHEAD
            if self.years_ahead and is_year_ahead:
                # Before it is parsed: leap years are those of the common calendar.
                common.append(str(int(number) - self.years_ahead))
            else:
                common.append(number)
        return common


NO_NAMES = DateNames()


def date_names(language: str) -> DateNames:
    """Return the names of a language, such as ``es``, ``pt-BR`` or ``zh``.

    Raises FormatUnknown.
    """
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - only imports of files need it

    try:
        locale = Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError) as error:
        sentence = f"“{language}” is no language of dates: use one such as es."
        raise FormatUnknown(sentence) from error
    months = _month_names(locale)
    return DateNames(
        months=months,
        weekdays=tuple(_weekday_names(locale)),
        halves=_names_of_halves(locale),
        years_ahead=_YEARS_AHEAD.get(locale.language, 0),
    )


def _month_names(locale: "Locale") -> dict[str, int]:
    """Return the numbers of months by all their names."""
    numbers: dict[str, int] = {}
    for context in _CONTEXTS:
        for width in _WIDTHS:
            for number, name in locale.months[context][width].items():
                numbers[_key_of(name)] = number
    numbers = {**_prefixes_of(numbers), **numbers}
    part = _PARTS_OF_WORDS.get(locale.language)
    if part:
        numbers |= {part + name: number for name, number in numbers.items()}
    return numbers


def _prefixes_of(numbers: Mapping[str, int]) -> dict[str, int]:
    """Return the beginnings of names, such as “sept”, that mean one month alone."""
    meanings: dict[str, set[int]] = {}
    for name, number in numbers.items():
        if name.isalpha():
            for length in range(_SHORTEST_PREFIX, len(name)):
                meanings.setdefault(name[:length], set()).add(number)
    clear: dict[str, int] = {}
    for prefix, months in meanings.items():
        if len(months) == 1:
            clear[prefix] = min(months)
    return clear


def _weekday_names(locale: "Locale") -> Iterator[str]:
    for context in _CONTEXTS:
        for width in _WIDTHS:
            for name in locale.days[context][width].values():
                yield _key_of(name)


def _names_of_halves(locale: "Locale") -> dict[str, str]:
    """Return ``am`` and ``pm`` by their names in a language, and by those that are usual."""
    halves = dict(_USUAL_HALVES)
    for context in _CONTEXTS:
        for width in _WIDTHS:
            names = locale.day_periods.get(context, {}).get(width, {})
            for half in ("am", "pm"):
                if half in names:
                    halves[_key_of(names[half])] = half
    return halves


def _key_of(name: str) -> str:
    key = name.strip().rstrip(".").lower()
    for letter, same in _SAME_LETTERS.items():
        key = key.replace(letter, same)
    return key


def _with_plain_digits(text: str) -> str:
    """Return a text whose digits are those of ASCII, whatever script they are of."""
    if text.isascii():
        return text
    characters = []
    for character in text:
        digit = unicodedata.decimal(character, None)
        characters.append(character if digit is None else str(digit))
    return "".join(characters)


def _replaced(text: str, names: Collection[str], replacement: Callable[[str], str]) -> str:
    """Return a text with something else in place of each name and the dot behind it."""

    def replace(match: re.Match[str]) -> str:
        key = _key_of(match[0])
        if key not in names:  # a pattern takes still more letters for the same
            return match[0]
        return replacement(key)

    return _pattern_of(tuple(names)).sub(replace, text)


@lru_cache(maxsize=16)
def _pattern_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of names that stand by themselves, the longest first."""
    longest_first = sorted(names, key=len, reverse=True)
    alternatives = "|".join(_alone(name) for name in longest_first) or r"(?!)"
    return re.compile(rf"(?:{alternatives})\.?", re.IGNORECASE)


def _alone(name: str) -> str:
    """Return the pattern of a name that is no part of a longer word, or number, of its script."""
    before = after = ""
    if name[0].isdigit():
        before = r"(?<!\d)"
    elif name[0].isalpha() and not _is_ideographic(name[0]):
        before = r"(?<![^\W\d_])"
    if name[-1].isdigit():
        after = r"(?!\d)"
    elif name[-1].isalpha() and not _is_ideographic(name[-1]):
        after = r"(?![^\W\d_])"
    return f"{before}{re.escape(name)}{after}"


def _is_ideographic(character: str) -> bool:
    """Return whether a character is of a script that writes words without blanks between them."""
    return unicodedata.name(character, "").startswith(("CJK", "HANGUL"))
