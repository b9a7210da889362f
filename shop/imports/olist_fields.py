"""Parsing of one field of a row; all of it raises RowRefused."""

import re
from datetime import datetime

from dynamo.files.moments import parse_moment
from dynamo.files.records import Record, RowRefused

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_MONEY = re.compile(r"(?P<whole>\d{1,9})(?:\.(?P<part>\d{1,2})0*)?", re.ASCII)
_NUMBER = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_SHOWN = 40
"""Characters of a wrong value in a message."""


def text_in(record: Record, column: str) -> str:
    """Parse a text, without white space at its ends; it is empty where there is none."""
    value = record.values.get(column)
    text = "" if value is None else str(value).strip()
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise RowRefused(f"{column} is not UTF-8 text")
    if "\0" in text:
        raise RowRefused(f"{column} holds a NUL character")
    return text


def id_in(record: Record, column: str) -> str:
    """Parse an id that is safe in keys and URLs."""
    text = text_in(record, column)
    if not _ID.fullmatch(text):
        raise RowRefused(
            f"{column}: “{text[:_SHOWN]}” is no id" if text else f"{column} is missing"
        )
    return text


def needed_in(record: Record, column: str) -> str:
    """Parse a text that must not be empty."""
    text = text_in(record, column)
    if not text:
        raise RowRefused(f"{column} is missing")
    return text


def cents_in(record: Record, column: str) -> int:
    """Parse an amount of money, such as ``99.9``; return cents."""
    text = text_in(record, column)
    match = _MONEY.fullmatch(text)
    if match is None:
        raise RowRefused(f"{column}: “{text[:_SHOWN]}” is no amount such as 99.90")
    return int(match["whole"]) * 100 + int((match["part"] or "0").ljust(2, "0"))


def number_in(record: Record, column: str) -> int:
    """Parse a whole number from 1."""
    text = text_in(record, column)
    if not _NUMBER.fullmatch(text):
        raise RowRefused(f"{column}: “{text[:_SHOWN]}” is no number from 1 up")
    return int(text)


def moment_in(record: Record, column: str) -> datetime | None:
    """Parse a moment, in UTC because the files name no time zone; None when empty."""
    text = text_in(record, column)
    if not text:
        return None
    try:
        return parse_moment(text)
    except ValueError as error:
        raise RowRefused(f"{column}: {error}") from error
