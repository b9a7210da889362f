"""Parsing of amounts of money such as ``12.50``, ``1.234,56`` or ``€ 1,234.56``."""

import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from shop.data.currencies import SHARED_SIGNS, SIGNS, decimals_of

UNCLEAR = "?"
"""What separates the decimals of an amount that may mean thousands."""
_SIGN = "|".join(re.escape(sign) for sign in sorted((*SIGNS, *SHARED_SIGNS), key=len, reverse=True))
_BEFORE = re.compile(rf"(?:[^\W\d_]{{0,3}}[.]?\s*(?:{_SIGN})?\s*)?")
_AFTER = re.compile(rf"\s*(?:{_SIGN})?\s*(?:[^\W\d_]{{1,3}}[.]?)?")
_NUMBER = re.compile(r"\d[\d.,' ]*", re.ASCII)
_PRICE = re.compile(
    r"(?P<before>[^\d-]*?)(?P<number>\d(?:[\d.,' ]*\d)?)(?P<behind>[^\d-]*)", re.ASCII
)
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>[.,' ])\d{3})(?:(?P=mark)\d{3})*")
_PLAIN = re.compile(r"\d{1,15}")
_FIRST_GROUP = re.compile(r"[^0].{0,2}")
_MINOR_UNITS = re.compile(r"(\d{1,15})(?:[.]0)?", re.ASCII)
"""A whole number; some systems write it as a number with a point, and one zero behind that."""
_MOST_CENTS = 10**14
_DIGITS_OF_CENTS = 2
_DIGITS_OF_A_GROUP = 3
_LARGE = 100
"""An amount of as many smallest units is a likely price; amounts below are hardly in these."""


class BadNumber(ValueError):
    """The text is no such number; it is one clause, which says what is allowed."""


@dataclass(frozen=True, slots=True)
class AmountRules:
    """How the files of an import write amounts.

    ``decimal`` is what separates the decimals; None if each amount tells (`decimal_mark`). Amounts
    ``in_minor_units`` are whole numbers of the smallest unit of their currency, such as 1250 for
    12.50 EUR, 1,250 JPY or 1.250 KWD.
    """

    decimal: str | None = None
    in_minor_units: bool = False


AS_WRITTEN = AmountRules()


@dataclass(slots=True)
class Amounts:
    """Reads the amounts of files by their ``rules``, and keeps what they have in common.

    ``marks`` are those of decimals. ``rounded`` is the number of amounts with fractions of a cent,
    ``whole`` that of those that may be in minor units, of which ``lowest`` is the lowest;
    ``others`` is the number of those that are not.
    """

    rules: AmountRules = AS_WRITTEN
    marks: set[str] = field(default_factory=set)
    rounded: int = 0
    whole: int = 0
    lowest: int = 0
    others: int = 0

    def cents(self, text: str, currency: str) -> int:
        """Read an amount in a currency, ``""`` if that is not known; return cents.

        Digits behind the second decimal are rounded, half a cent up. Raises BadNumber.
        """
        if not self.rules.in_minor_units:
            self.marks.add(decimal_mark(text, currency))
        exact = hundredths_of(text, currency, self.rules)
        if exact != exact.to_integral_value():
            self.rounded += 1
        self._note_whole(_bare(text), currency)
        return rounded(exact)

    def _note_whole(self, number: str, currency: str) -> None:
        if decimals_of(currency) == 0:
            return  # both ways of writing are the same
        match = _MINOR_UNITS.fullmatch(number)
        units = int(match[1]) if match else 0
        if match and units == 0:
            return  # what is free is so in any unit
        if units < _LARGE:
            self.others += 1
            return
        self.lowest = min(self.lowest or units, units)
        self.whole += 1

    @property
    def hint(self) -> str:
        """A sentence where all amounts are whole and large, as they are in minor units; or ``""``.

        Amounts of zero, and of currencies without decimals, do not count.
        """
        if self.rules.in_minor_units or not self.whole or self.others:
            return ""
        found = f"All {self.whole:,} amounts are whole numbers, the lowest is {self.lowest}"
        if self.whole == 1:
            found = f"The only amount is a whole number, {self.lowest}"
        return f"{found}: if they are cents, use --minor-units."


def rounded(hundredths: Decimal) -> int:
    """Round an amount to hundredths, which the shop keeps of any currency; half of one goes up."""
    return int(hundredths.to_integral_value(ROUND_HALF_UP))


def hundredths_of(text: str, currency: str, rules: AmountRules) -> Decimal:
    """Parse an amount in a currency, ``""`` if that is not known; return exact hundredths.

    Raises BadNumber.
    """
    number = _bare(text)
    if rules.in_minor_units:
        return _hundredths_of_units(text, number, currency)
    mark = rules.decimal or _mark_in(number, currency)
    if mark == UNCLEAR:
        raise BadNumber(f"“{text[:40]}” may mean thousands or decimals: --decimal says which")
    if not mark:
        return _hundredths(text, number, "")
    whole, _, decimals = number.partition(mark)
    return _hundredths(text, whole, decimals)


def decimal_mark(text: str, currency: str = "") -> str:
    """Return what separates the decimals of an amount: a point, a comma, or ``""`` if none does.

    It is the last one of both. It is `UNCLEAR` where three digits behind the only one may be
    thousands: a currency may tell. What is no amount has none.
    """
    try:
        return _mark_in(_bare(text), currency)
    except BadNumber:
        return ""


def price_parts(text: str) -> tuple[str, list[str]]:
    """Split a price such as ``US$ 9.90``; return its number, and the words on both sides of it.

    The words need not be those of a currency. Raises BadNumber where there is not one number.
    """
    found = _PRICE.fullmatch(_plain(text))
    if found is None:
        raise _unreadable(text)
    words: list[str] = []
    for word in (*found["before"].split(), *found["behind"].split()):
        bare = word.strip(".")
        if bare:
            words.append(bare)
    return found["number"], words


def _mark_in(number: str, currency: str) -> str:
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
    if not may_be_thousands or other_mark in number:
        return mark
    decimals = decimals_of(currency)
    if decimals == 0:
        return other_mark
    # 1.250 dinars have three decimals; 1,250 may have, or be thousands as in English.
    if decimals == _DIGITS_OF_A_GROUP and mark == ".":
        return mark
    return UNCLEAR


def _bare(text: str) -> str:
    """Return an amount without its currency, and with plain blanks."""
    blank = _plain(text)
    # A code or sign of a currency may be on either side.
    start = _BEFORE.match(blank)
    number = _NUMBER.match(blank, start.end() if start else 0)
    if number is None or not _AFTER.fullmatch(blank, number.end()):
        raise _unreadable(text)
    return number[0].rstrip(" '")


def _plain(text: str) -> str:
    """Return a text with plain blanks and apostrophes."""
    return " ".join(text.split()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _hundredths_of_units(text: str, number: str, currency: str) -> Decimal:
    """Return hundredths of a number of a currency's smallest units. Raises BadNumber."""
    match = _MINOR_UNITS.fullmatch(number)
    if match is None:
        raise BadNumber(f"“{text[:40]}” is no whole number such as 1250, as --minor-units says")
    exact = Decimal(match[1]).scaleb(_DIGITS_OF_CENTS - decimals_of(currency))
    if exact >= _MOST_CENTS:
        raise _unreadable(text)
    return exact


def _hundredths(text: str, whole: str, decimals: str) -> Decimal:
    """Return hundredths of the digits before and behind the mark of decimals. Raises BadNumber."""
    if not (_PLAIN.fullmatch(whole) or _GROUPED.fullmatch(whole)):
        raise _unreadable(text)
    if decimals and not decimals.isdigit():
        raise _unreadable(text)
    digits = re.sub(r"\D", "", whole)
    exact = Decimal(f"{digits}.{decimals or 0}").scaleb(_DIGITS_OF_CENTS)
    if rounded(exact) >= _MOST_CENTS:
        raise _unreadable(text)
    return exact


def _unreadable(text: str) -> BadNumber:
    return BadNumber(f"“{text[:40]}” is no amount such as 12.50")
