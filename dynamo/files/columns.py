"""Which column of a file holds which field, as the options of a command say it."""

from collections.abc import Collection, Mapping, Sequence


class BadMapping(ValueError):
    """An option names a column, field or value that there is not; the text lists those."""


def parse_pairs(text: str, *, example: str) -> dict[str, str]:
    """Read ``a=b,c=d``. Raises BadMapping, which shows an ``example``, for anything else."""
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
    """Read ``field=column,…``. Raises BadMapping for a field that is none of ``fields``."""
    named = parse_pairs(text, example="id=review_id")
    for field in named:
        if field not in fields:
            raise BadMapping(f"There is no field “{field}”; the fields are: {', '.join(fields)}.")
    return named


def columns_among(
    present: Sequence[str], columns: Mapping[str, str], *, needed: Collection[str]
) -> dict[str, str]:
    """Give, of the column of each field, those that a file has.

    Raises BadMapping for the column of a ``needed`` field that is not ``present``, or for one
    that is there twice.
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
    """Tell by lone surrogates, and by the NULs of UTF-16 without a byte order mark."""
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in name)
