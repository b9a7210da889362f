"""Amounts of money and numbers of pieces, in the usual spellings."""

import re
from decimal import ROUND_HALF_UP, Decimal

_BEFORE = re.compile(r"[^\W\d_]{0,3}[.]?[$€£¥₹₽]?\s*")
_AFTER = re.compile(r"\s*(?:[$€£¥₹₽]|[^\W\d_]{1,3}[.]?)?")
_NUMBER = re.compile(r"\d[\d.,' ]*", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>[.,' ])\d{3})(?:(?P=mark)\d{3})*")
_PLAIN = re.compile(r"\d{1,15}")
_MOST_CENTS = 10**14
_DIGITS_OF_CENTS = 2
_DIGITS_OF_A_GROUP = 3
_PIECES = re.compile(r"([1-9]\d{0,5})(?:[.,]0+)?", re.ASCII)


class BadNumber(ValueError):
    """The text is no such number; it is one clause, which says what is allowed."""


def cents_of(text: str) -> int:
    """Parse an amount such as ``12.50``, ``1.234,56`` or ``€ 1,234.56``; return cents.

    The last point or comma separates the decimals; of three digits behind the only one it is not
    known whether they are decimals. Digits behind the second decimal are rounded, half a cent up.
    Raises BadNumber.
    """
    number = _bare(text)
    at = max(number.rfind("."), number.rfind(","))
    whole, decimals = (number, "") if at < 0 else (number[:at], number[at + 1 :])
    is_mixed = {".", ","} <= set(number)
    if at >= 0 and not is_mixed:
        mark = number[at]
        if number.count(mark) > 1:
            whole, decimals = number, ""
        elif len(decimals) == _DIGITS_OF_A_GROUP and _may_be_grouped(whole):
            raise BadNumber(f"“{text[:40]}” may mean thousands or decimals: write two decimals")
    return _cents(text, whole, decimals)


def pieces_of(text: str) -> int:
    """Parse a number of pieces from 1 to 999,999, such as ``2`` or ``2.0``. Raises BadNumber."""
    match = _PIECES.fullmatch(text)
    if match is None:
        raise BadNumber(f"“{text[:40]}” is no number of pieces from 1 up")
    return int(match[1])


def _bare(text: str) -> str:
    """Return an amount without its currency, and with plain blanks."""
    blank = " ".join(text.split()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    start = _BEFORE.match(blank)
    number = _NUMBER.match(blank, start.end() if start else 0)
    if number is None or not _AFTER.fullmatch(blank, number.end()):
        raise _unreadable(text)
    return number[0].rstrip(" '")


def _may_be_grouped(whole: str) -> bool:
    return 1 <= len(whole) <= _DIGITS_OF_A_GROUP and not whole.startswith("0")


def _cents(text: str, whole: str, decimals: str) -> int:
    if not (_PLAIN.fullmatch(whole) or _GROUPED.fullmatch(whole)):
        raise _unreadable(text)
    if not decimals.isdigit() and decimals:
        raise _unreadable(text)
    digits = re.sub(r"\D", "", whole)
    exact = Decimal(f"{digits}.{decimals or 0}").scaleb(_DIGITS_OF_CENTS)
    cents = int(exact.to_integral_value(ROUND_HALF_UP))
    if cents >= _MOST_CENTS:
        raise _unreadable(text)
    return cents


def _unreadable(text: str) -> BadNumber:
    return BadNumber(f"“{text[:40]}” is no amount such as 12.50")
