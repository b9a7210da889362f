"""Parsing of one field, from the texts of a row; all of it raises RowRefused."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal

from dynapages.files.dates import DateFormats, moment_of
from dynapages.files.html_text import has_html, text_of_html
from dynapages.files.records import RowRefused, short_text, text_of
from shop.data.amounts import Amounts, BadNumber

Texts = Mapping[str, str]
"""The texts of a row by field; those that it does not have are missing."""
LONGEST_TEXT = 1_000
_PIECES = re.compile(r"([1-9]\d{0,5})(?:[.,]0+)?", re.ASCII)
_MINUS = ("-", "\N{MINUS SIGN}")
_CURRENCY = re.compile(r"[A-Z]{3}")
_FRACTION = re.compile(r"0?(?:[.,]\d{1,9})?|1(?:[.,]0{1,9})?", re.ASCII)


def is_return(text: str) -> bool:
    """Return whether a number of pieces, such as ``-2``, says that they were sent back."""
    return text.startswith(_MINUS) and _PIECES.fullmatch(text[1:].lstrip()) is not None


def field_text(name: str, value: object) -> str:
    """Return a value as text, without white space at its ends; it is empty for None."""
    text = text_of(name, value).strip()
    return text if name == "history" else short_text(name, text, LONGEST_TEXT)


def without_html(texts: Texts, names: Iterable[str]) -> dict[str, str]:
    """Return texts in which those of the named fields that are HTML are plain text; no empty ones.

    It equals the texts where none of these is HTML.
    """
    plain = dict(texts)
    for name in names:
        text = texts.get(name, "")
        if has_html(text):
            plain[name] = text_of_html(text)
            if not plain[name]:
                del plain[name]
    return plain


def needed(texts: Texts, name: str) -> str:
    """Return a text that must not be missing."""
    if name not in texts:
        raise RowRefused(f"{name} is missing")
    return texts[name]


def cents(texts: Texts, name: str, amounts: Amounts) -> int:
    """Parse an amount of money, in the ``currency`` of the texts if they have one; return cents."""
    text = needed(texts, name)
    try:
        return amounts.cents(text, texts.get("currency", ""))
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
