"""Mappings of fields to the columns of a file, from the options of a command."""

from collections.abc import Collection, Mapping, Sequence


class BadMapping(ValueError):
    """An option names a column, field or value that does not exist; the text lists the others."""


def parse_pairs(text: str, *, example: str) -> dict[str, str]:
    """Parse ``a=b,c=d``. Raises BadMapping, which shows an ``example``, for anything else."""
    pairs: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        left, equals, right = (part.strip() for part in pair.partition("="))
        if not (left and equals and right):
            raise BadMapping(f"“{pair}” is no pair such as {example}.")
        if left in pairs:
            raise BadMapping(f"“{left}” is given twice.")
        pairs[left] = right
    return pairs


def parse_columns(text: str, *, fields: Sequence[str]) -> dict[str, str]:
    """Parse ``field=column,…``. Raises BadMapping for a field that is not in ``fields``."""
    named = parse_pairs(text, example="id=review_id")
    for field in named:
        if field not in fields:
            raise BadMapping(f"There is no field “{field}”; the fields are: {', '.join(fields)}.")
    return named


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
    return f"{missing}; the columns are: {', '.join(present) or 'none'}."


def _is_garbled(name: str) -> bool:
    # Lone surrogates are bytes that are no UTF-8; NULs come from UTF-16 without byte order mark.
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in name)
