"""Parsing of amounts of money such as ``12.50``, ``1.234,56`` or ``€ 1,234.56``."""

import re
from decimal import ROUND_HALF_UP, Decimal

UNCLEAR = "?"
"""What separates the decimals of an amount that may mean thousands."""
_BEFORE = re.compile(r"[^\W\d_]{0,3}[.]?[$€£¥₹₽]?\s*")
_AFTER = re.compile(r"\s*(?:[$€£¥₹₽]|[^\W\d_]{1,3}[.]?)?")
_NUMBER = re.compile(r"\d[\d.,' ]*", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>[.,' ])\d{3})(?:(?P=mark)\d{3})*")
_PLAIN = re.compile(r"\d{1,15}")
_FIRST_GROUP = re.compile(r"[^0].{0,2}")
_MOST_CENTS = 10**14
_DIGITS_OF_CENTS = 2
_DIGITS_OF_A_GROUP = 3


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
    if not mark:
        return _cents(text, number, "")
    whole, _, decimals = number.partition(mark)
    return _cents(text, whole, decimals)


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
    """Return the mark before the decimals of a number, as `decimal_mark` does of an amount."""
    last = max(number.rfind("."), number.rfind(","))
    if last < 0:
        return ""
    mark = number[last]
    other_mark = "," if mark == "." else "."
    if number.count(mark) > 1:  # it separates thousands
        return other_mark
    has_three_digits = len(number) - last - 1 == _DIGITS_OF_A_GROUP
    may_be_thousands = has_three_digits and _FIRST_GROUP.fullmatch(number[:last]) is not None
    if may_be_thousands and other_mark not in number:
        return UNCLEAR
    return mark


def _bare(text: str) -> str:
    """Return an amount without its currency, and with plain blanks."""
    blank = " ".join(text.split()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    # A code or sign of a currency may be on either side.
    start = _BEFORE.match(blank)
    number = _NUMBER.match(blank, start.end() if start else 0)
    if number is None or not _AFTER.fullmatch(blank, number.end()):
        raise _unreadable(text)
    return number[0].rstrip(" '")


def _cents(text: str, whole: str, decimals: str) -> int:
    """Return cents of the digits before and behind the mark of decimals. Raises BadNumber."""
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
