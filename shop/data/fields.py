"""Parsing of one field, from the texts of a row; all of it raises RowRefused."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from dynapages.files.dates import DateFormats, moment_of
from dynapages.files.records import RowRefused, short_text, text_of

_BEFORE = re.compile(r"[^\W\d_]{0,3}[.]?[$€£¥₹₽]?\s*")
_AFTER = re.compile(r"\s*(?:[$€£¥₹₽]|[^\W\d_]{1,3}[.]?)?")
_NUMBER = re.compile(r"\d[\d.,' ]*", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>[.,' ])\d{3})(?:(?P=mark)\d{3})*")
_PLAIN = re.compile(r"\d{1,15}")
_FIRST_GROUP = re.compile(r"[^0].{0,2}")
_MOST_CENTS = 10**14
_DIGITS_OF_CENTS = 2
_DIGITS_OF_A_GROUP = 3
_PIECES = re.compile(r"([1-9]\d{0,5})(?:[.,]0+)?", re.ASCII)
_MINUS = ("-", "\N{MINUS SIGN}")


class BadNumber(ValueError):
    """The text is no such number; it is one clause, which says what is allowed."""


def cents_of(text: str, decimal: str | None = None) -> int:
    """Parse an amount such as ``12.50``, ``1.234,56`` or ``€ 1,234.56``; return cents.

    ``decimal`` is what separates the decimals; None if each amount tells (`decimal_mark`). Digits
    behind the second decimal are rounded, half a cent up. Raises BadNumber.
    """
    number = _bare(text)
    mark = decimal or _mark_in(number)
    if mark == UNCLEAR:
        raise BadNumber(f"“{text[:40]}” may mean thousands or decimals: --decimal says which")
    whole, _, decimals = number.partition(mark) if mark else (number, "", "")
    return _cents(text, whole, decimals)


UNCLEAR = "?"


def decimal_mark(text: str) -> str:
    """Return what separates the decimals of an amount: a point, a comma, or ``""`` if none does.

    It is the last one of both. It is `UNCLEAR` where three digits behind the only one may be
    thousands. What is no amount has none.
    """
    try:
        return _mark_in(_bare(text))
    except BadNumber:
        return ""


def _mark_in(number: str) -> str:
    at = max(number.rfind("."), number.rfind(","))
    if at < 0:
        return ""
    mark, other = (".", ",") if number[at] == "." else (",", ".")
    if number.count(mark) > 1:
        return other
    is_group = len(number) - at - 1 == _DIGITS_OF_A_GROUP
    is_unclear = is_group and other not in number and _FIRST_GROUP.fullmatch(number[:at])
    return UNCLEAR if is_unclear else mark


def is_return(text: str) -> bool:
    """Return whether a number of pieces, such as ``-2``, says that they were sent back."""
    return text.startswith(_MINUS) and _PIECES.fullmatch(text[1:].lstrip()) is not None


def _bare(text: str) -> str:
    """Return an amount without its currency, and with plain blanks."""
    blank = " ".join(text.split()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    start = _BEFORE.match(blank)
    number = _NUMBER.match(blank, start.end() if start else 0)
    if number is None or not _AFTER.fullmatch(blank, number.end()):
        raise _unreadable(text)
    return number[0].rstrip(" '")


def _cents(text: str, whole: str, decimals: str) -> int:
    if not (_PLAIN.fullmatch(whole) or _GROUPED.fullmatch(whole)):
        raise _unreadable(text)
    if decimals and not decimals.isdigit():
        raise _unreadable(text)
    digits = re.sub(r"\D", "", whole)
    exact = Decimal(f"{digits}.{decimals or 0}").scaleb(_DIGITS_OF_CENTS)
    cents = int(exact.to_integral_value(ROUND_HALF_UP))
    if cents >= _MOST_CENTS:
        raise _unreadable(text)
    return cents


def _unreadable(text: str) -> BadNumber:
    return BadNumber(f"“{text[:40]}” is no amount such as 12.50")


Texts = Mapping[str, str]
"""The texts of a row by field; those that it does not have are missing."""
LONGEST_TEXT = 1_000
_CURRENCY = re.compile(r"[A-Z]{3}")
_FRACTION = re.compile(r"0?(?:[.,]\d{1,9})?|1(?:[.,]0{1,9})?", re.ASCII)


def field_text(name: str, value: object) -> str:
    """Return a value as text, without white space at its ends; it is empty for None."""
    text = text_of(name, value).strip()
    return text if name == "history" else short_text(name, text, LONGEST_TEXT)


def needed(texts: Texts, name: str) -> str:
    """Return a text that must not be missing."""
    if name not in texts:
        raise RowRefused(f"{name} is missing")
    return texts[name]


def cents(texts: Texts, name: str, decimal: str | None) -> int:
    """Parse an amount of money; return cents. ``decimal`` as for `cents_of`."""
    try:
        return cents_of(needed(texts, name), decimal)
    except BadNumber as error:
        raise RowRefused(f"{name}: {error}") from error


def pieces(texts: Texts, name: str) -> int:
    """Parse a number of pieces from 1 to 999,999, such as ``2`` or ``2.0``."""
    text = needed(texts, name)
    match = _PIECES.fullmatch(text)
    if match is None:
        raise RowRefused(f"{name}: “{text[:40]}” is no number of pieces from 1 up")
    return int(match[1])


def fraction(texts: Texts, name: str) -> Decimal:
    """Parse a number from 0 to 1; 0 if it is missing."""
    text = texts.get(name, "0")
    if not text or not _FRACTION.fullmatch(text):
        raise RowRefused(f"{name}: “{text[:40]}” is no number from 0 to 1, such as 0.15")
    return Decimal(text.replace(",", "."))


def moment(texts: Texts, name: str, formats: DateFormats) -> datetime | None:
    """Parse a date and time; without a zone it is UTC. None if it is missing."""
    return moment_of(name, texts[name], formats) if name in texts else None


def currency(texts: Texts) -> str:
    """Parse an ISO 4217 code, in any case."""
    text = needed(texts, "currency").upper()
    if not _CURRENCY.fullmatch(text):
        raise RowRefused(f"currency: “{text[:20]}” is no code of three letters, such as EUR")
    return text
