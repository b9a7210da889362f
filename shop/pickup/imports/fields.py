"""The parsing of one field of a row; each function raises RowRefused."""

import re
from collections.abc import Mapping

from dynamo.files.records import Record, RowRefused
from shop.imports.olist_fields import text_in
from shop.pickup.coordinates import BadCoordinates, Coordinates

LONGEST_ID, LONGEST_TEXT = 128, 300
_DEGREES = re.compile(r"[-+]?\d{1,3}(\.\d{1,20})?", re.ASCII)
_ZIP = re.compile(r"\d{5}", re.ASCII)
_SHOWN = 40
"""Characters of a wrong value that a reason repeats."""


def point_id_in(record: Record, columns: Mapping[str, str]) -> str:
    """Read an id: 1 to 128 characters that can be seen."""
    text = text_in(record, columns["id"])
    if not text:
        raise RowRefused("id is missing")
    if len(text) > LONGEST_ID:
        raise RowRefused(f"id has {len(text):,} characters, more than {LONGEST_ID}")
    if not text.isprintable():
        raise RowRefused("id holds characters that cannot be seen")
    return text


def line_in(
    record: Record, columns: Mapping[str, str], field: str, *, is_needed: bool = True
) -> str:
    """Read a text, on one line whatever the file has between its words."""
    text = " ".join(text_in(record, columns[field]).split()) if field in columns else ""
    if is_needed and not text:
        raise RowRefused(f"{field} is missing")
    if len(text) > LONGEST_TEXT:
        raise RowRefused(f"{field} has {len(text):,} characters, more than {LONGEST_TEXT}")
    return text


def place_in(record: Record, columns: Mapping[str, str]) -> Coordinates:
    """Read a latitude and a longitude, in degrees with a decimal point."""
    latitude, longitude = (_degrees(record, columns, name) for name in ("latitude", "longitude"))
    try:
        return Coordinates.at(latitude, longitude)
    except BadCoordinates as error:
        raise RowRefused(str(error)) from error


def zip_in(record: Record, columns: Mapping[str, str]) -> str:
    """Read the five digits that a Brazilian postcode begins with."""
    text = text_in(record, columns["zip"])
    if not _ZIP.fullmatch(text):
        raise RowRefused(f"{columns['zip']}: “{text[:_SHOWN]}” is not five digits")
    return text


def _degrees(record: Record, columns: Mapping[str, str], field: str) -> float:
    text = text_in(record, columns[field])
    if not text:
        raise RowRefused(f"{field} is missing")
    if not _DEGREES.fullmatch(text):
        raise RowRefused(f"{field}: “{text[:_SHOWN]}” is no number of degrees such as -23.5614")
    return float(text)
