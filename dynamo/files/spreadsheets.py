"""Cells of CSV files, which people open with a spreadsheet."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take for the beginning of a formula."""


def harmless(value: object) -> object:
    """Return a value that no spreadsheet carries out: texts were written by others."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
