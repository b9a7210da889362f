"""Parsing of one field, from the texts of a row; all of it raises RowRefused."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from dynamo.files.moments import DateFormats
from dynamo.files.records import RowRefused
from shop.imports.plain.amounts import BadNumber, cents_of, pieces_of

Texts = Mapping[str, str]
"""The texts of a row by field; those that it does not have are missing."""
LONGEST_TEXT = 1_000
_CURRENCY = re.compile(r"[A-Z]{3}")
_FRACTION = re.compile(r"0?(?:[.,]\d{1,9})?|1(?:[.,]0{1,9})?", re.ASCII)


def text_of(name: str, value: object) -> str:
    """Return a value as text, without white space at its ends; it is empty for None."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowRefused(f"{name} is neither text nor a number")
    text = str(value).strip()
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise RowRefused(f"{name} is not UTF-8 text")
    if "\0" in text:
        raise RowRefused(f"{name} holds a NUL character")
    if len(text) > LONGEST_TEXT and name != "history":
        raise RowRefused(f"{name} has {len(text):,} characters, more than {LONGEST_TEXT:,}")
    return text


def needed(texts: Texts, name: str) -> str:
    """Return a text that must not be missing."""
    if name not in texts:
        raise RowRefused(f"{name} is missing")
    return texts[name]


def cents(texts: Texts, name: str) -> int:
    """Parse an amount of money; return cents."""
    try:
        return cents_of(needed(texts, name))
    except BadNumber as error:
        raise RowRefused(f"{name}: {error}") from error


def pieces(texts: Texts, name: str) -> int:
    """Parse a number of pieces from 1 up."""
    try:
        return pieces_of(needed(texts, name))
    except BadNumber as error:
        raise RowRefused(f"{name}: {error}") from error


def fraction(texts: Texts, name: str) -> Decimal:
    """Parse a number from 0 to 1; 0 if it is missing."""
    text = texts.get(name, "0")
    if not text or not _FRACTION.fullmatch(text):
        raise RowRefused(f"{name}: “{text[:40]}” is no number from 0 to 1, such as 0.15")
    return Decimal(text.replace(",", "."))


def moment(texts: Texts, name: str, formats: DateFormats) -> datetime | None:
    """Parse a date and time; without a zone it is UTC. None if it is missing."""
    if name not in texts:
        return None
    try:
        return formats.parse(texts[name])
    except ValueError as error:
        raise RowRefused(f"{name}: {error}") from error


def currency(texts: Texts) -> str:
    """Parse an ISO 4217 code, in any case."""
    text = needed(texts, "currency").upper()
    if not _CURRENCY.fullmatch(text):
        raise RowRefused(f"currency: “{text[:20]}” is no code of three letters, such as EUR")
    return text
