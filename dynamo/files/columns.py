"""The columns of a file, and mappings of fields to them, from the options of a command."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from dynamo.files.csv_rows import DELIMITERS
from dynamo.files.lines import LONGEST_LINE

MOST_LISTED = 20
"""Columns that a message names."""
_SHOWN = 60
"""Characters of a column's name in a message."""
_PART = re.compile(r'(?:"[^"]*"|[^,"]|")+')


class BadMapping(ValueError):
    """An option names a column, field or value that does not exist; the text lists the others."""


class ColumnNames:
    """The names of columns in the rows read so far, the first `LONGEST_LINE` characters of them."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._length = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._names)

    def add(self, names: Iterable[str]) -> None:
        """Add those of a row, whole, unless there are too many before."""
        if self._length < LONGEST_LINE:
            new = [name for name in names if name not in self._names]
            self._length += sum(map(len, new))
            self._names.update(dict.fromkeys(new))


def listed(columns: Sequence[str]) -> str:
    """Return the names of columns for a message, the first `MOST_LISTED` of them."""
    shown = [name[:_SHOWN] for name in columns[:MOST_LISTED]]
    more = len(columns) - len(shown)
    return (", ".join(shown) or "none") + (f" and {more:,} more" if more else "")


def parse_pairs(text: str, *, example: str, may_be_empty: bool = False) -> dict[str, str]:
    """Parse ``a=b,"c, d"=e``: what holds a comma is between double quotes.

    Raises BadMapping, which shows an ``example``, for anything else.
    """
    pairs: dict[str, str] = {}
    for pair in filter(None, _split(text)):
        left, equals, right = (part.strip() for part in pair.partition("="))
        if not (left and equals and (right or may_be_empty)):
            raise BadMapping(f"“{pair}” is no pair such as {example}.")
        if left in pairs:
            raise BadMapping(f"“{left}” is given twice.")
        pairs[left] = right
    return pairs


def parse_columns(text: str, *, fields: Sequence[str]) -> dict[str, str]:
    """Parse ``field=column,…``; a field with an empty column (``reply=``) is not in the file.

    Raises BadMapping for a field that is not in ``fields``.
    """
    named = parse_pairs(text, example="id=review_id", may_be_empty=True)
    _require_fields(named, fields)
    return named


def parse_constants(texts: Iterable[str], *, fields: Sequence[str]) -> dict[str, str]:
    """Parse each ``field=value``, whose value may hold commas. Raises BadMapping."""
    constants: dict[str, str] = {}
    for text in texts:
        field, equals, value = text.partition("=")
        if not (equals and value):
            raise BadMapping(f"“{text}” is no pair such as language=de.")
        constants[field.strip()] = value
    _require_fields(constants, fields)
    return constants


def _split(text: str) -> list[str]:
    """Split at commas that are not between double quotes, which are left out."""
    parts = _PART.findall(text)
    return [part.replace('"', "").strip() for part in parts]


def _require_fields(named: Iterable[str], fields: Sequence[str]) -> None:
    for field in named:
        if field not in fields:
            raise BadMapping(f"There is no field “{field}”; the fields are: {', '.join(fields)}.")


def columns_among(
    present: Sequence[str], columns: Mapping[str, str], *, needed: Collection[str]
) -> dict[str, str]:
    """Return the columns (by field) that a file has.

    Raises BadMapping if the column of a ``needed`` field is not ``present``, or a column is
    present twice.
    """
    for field, column in columns.items():
        if field in needed and column not in present:
            raise BadMapping(_no_column(field, column, present))
        if present.count(column) > 1:
            raise BadMapping(f"There are {present.count(column)} columns “{column}”.")
    return {field: column for field, column in columns.items() if column in present}


def _no_column(field: str, column: str, present: Sequence[str]) -> str:
    for_field = "" if field == column else f" (for {field})"
    missing = f"There is no column “{column}”{for_field}"
    if any(_is_garbled(name) for name in present):
        return f"{missing}, and the line that names the columns is not UTF-8 text."
    if len(present) == 1 and (delimiter := max(DELIMITERS, key=present[0].count)) in present[0]:
        return f"{missing}: it seems that columns are separated by “{delimiter}”, see --delimiter."
    return f"{missing}; the columns are: {listed(present)}."


def _is_garbled(name: str) -> bool:
    # Lone surrogates are bytes that are no UTF-8; NULs come from UTF-16 without byte order mark.
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in name)
