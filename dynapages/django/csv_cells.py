"""Cells and lines of CSV, whose formulas a spreadsheet shows as text; needs no Django."""

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO

__all__ = ["csv_text", "escape_formula"]

_ENDS_CELL = frozenset(",;|\t\r\n")
_BREAKS = ("\0", "\t", "\r", "\n")
_BETWEEN = r'\0\s",;|\u200b\u2060\ufeff'
"""What ends a cell, and what may be dropped at the beginning of one: blanks, quotes."""
_FORMULAS = re.compile(rf"(?<![{_BETWEEN}])[{_BETWEEN}]*+(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""What stands before each sign that can begin a formula; takes linear time."""


def escape_formula(value: object) -> object:
    """Return a value with an apostrophe before each formula, which shows it as text."""
    if not isinstance(value, str):
        return value
    shown = _FORMULAS.sub(_with_apostrophe, value)
    return f"'{shown}" if shown.startswith(_BREAKS) else shown


def csv_text(rows: Iterable[Sequence[object]], *, line_end: str = "\r\n") -> str:
    """Return rows as lines of CSV (RFC 4180), formulas included.

    To escape them is up to the caller, cell by cell.
    """
    text = StringIO()
    csv.writer(text, lineterminator=line_end).writerows(rows)
    return text.getvalue()


def _with_apostrophe(before: re.Match[str]) -> str:
    begins_cell = before.start() == 0 or not _ENDS_CELL.isdisjoint(before[0])
    return f"{before[0]}'" if begins_cell else before[0]
