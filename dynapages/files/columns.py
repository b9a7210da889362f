"""Which column has which field: what options such as ``--columns`` and ``--set`` say of a file."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

DELIMITERS = ",;\t|"
"""What may be between the columns of CSV."""
_MOST_COLUMNS_SHOWN = 20
"""Columns that a message names."""
_LONGEST_COLUMN_SHOWN = 60
"""Characters of a column's name in a message."""
_PART_OF_LIST = re.compile(r'(?:"[^"]*"|[^,"]|")+')


class BadMapping(ValueError):
    """An option names a column, field or value that does not exist; the text lists the others."""


def split_list(text: str) -> list[str]:
    """Split ``a,"b, c"`` at commas that are not between double quotes."""
    parts = (part.replace('"', "").strip() for part in _PART_OF_LIST.findall(text))
    return [part for part in parts if part]


def parse_pairs(text: str, *, example: str, may_be_empty: bool = False) -> dict[str, str]:
    """Parse ``a=b,"c, d"=e``: what holds a comma is between double quotes.

    Raises BadMapping, which shows an ``example``, for anything else.
    """
    pairs: dict[str, str] = {}
    for pair in split_list(text):
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
    columns = parse_pairs(text, example="id=review_id", may_be_empty=True)
    _require_fields(columns, fields)
    return columns


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


def _require_fields(names: Iterable[str], fields: Sequence[str]) -> None:
    for name in names:
        if name not in fields:
            raise BadMapping(f"There is no field “{name}”; the fields are: {', '.join(fields)}.")


def columns_among(
    present: Sequence[str], columns: Mapping[str, str], *, needed: Collection[str]
) -> dict[str, str]:
    """Return those of ``columns`` (by field) that are ``present`` in a file.

    Raises BadMapping if the column of a ``needed`` field is not, or a column is present twice.
    """
    for name, column in columns.items():
        if name in needed and column not in present:
            raise BadMapping(_column_missing(name, column, present))
        if present.count(column) > 1:
            raise BadMapping(f"There are {present.count(column)} columns “{column}”.")
    return {name: column for name, column in columns.items() if column in present}


def _column_missing(field: str, column: str, present: Sequence[str]) -> str:
    """Return the sentence for a column that is missing, with what may be the cause."""
    missing = f"There is no column “{column}”"
    if field != column:
        missing += f" (for {field})"
    if any(_is_garbled(name) for name in present):
        return f"{missing}, and the line that names the columns is not UTF-8 text."
    if len(present) == 1:
        # One column alone often is a header that was not split.
        delimiter = max(DELIMITERS, key=present[0].count)
        if delimiter in present[0]:
            return (
                f"{missing}: it seems that columns are separated by “{delimiter}”, see --delimiter."
            )
    return f"{missing}; the columns are: {_names_of(present)}."


def _is_garbled(name: str) -> bool:
    # Lone surrogates are bytes that are no UTF-8; NULs come from UTF-16 without byte order mark.
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in name)


def _names_of(columns: Sequence[str]) -> str:
    """Return the names of columns for a message, the first `_MOST_COLUMNS_SHOWN` of them."""
    names = [name[:_LONGEST_COLUMN_SHOWN] for name in columns[:_MOST_COLUMNS_SHOWN]]
    text = ", ".join(names) or "none"
    more = len(columns) - len(names)
    if more:
        text += f" and {more:,} more"
    return text
