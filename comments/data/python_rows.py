"""An import of comments from Python: `import_rows`, for those of a project's own SQL tables.

The rows are written to a temporary file first, and then imported like any file of JSON lines: with
the same checks, the same list of rejected rows, and the same way to go on after an interruption.
"""

import json
import tempfile
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from uuid import UUID

from django.utils.functional import Promise

from comments.data.reports import report_of
from comments.data.run import CommentFile, import_file
from comments.data.shapes import FIELDS, PICTURES, Shape
from comments.data.writer import BulkWriter
from comments.host import products
from dynapages.calls import Batches, clock
from dynapages.django.options import Progress
from dynapages.files.rejects import RejectsFile
from dynapages.files.reports import ImportReport
from dynapages.files.row_files import RowFile
from dynapages.process import client, pool

ROW_FIELDS = frozenset((*FIELDS, PICTURES))
"""The names that a row may have: the fields of a comment in docs/importing.md."""


def import_rows(
    rows: Iterable[Mapping[str, object]],
    *,
    rejects: Path,
    detect_language: bool = False,
    dry_run: bool = False,
    signals: bool = False,
) -> ImportReport:
    """Import comments from mappings by the names of fields, such as one for each row of a queryset.

    Each must have ``id``, ``product_id``, ``rating`` (1 to 5), ``created_at`` and ``language``;
    with ``detect_language`` a missing language is guessed from the text. Values are str, int,
    float, bool, Decimal, UUID, date or datetime, where one without a time zone is UTC, and None for
    none; ``pictures`` may be a list.

    The rows may be more than fit into memory: each is asked for once, and kept in a temporary file
    until the end. The same call again changes nothing, and goes on after an interruption. With
    ``dry_run`` nothing is written; with ``signals`` those of what is written are sent.

    ``rejects`` is where rejected rows are listed, as CSV: ``line`` is the number of the row, from
    1. Returns a report, whose ``counts`` are those of ``import_comments --json``, such as
    ``read``, ``rejected`` and ``new``, and whose ``sentences`` say the same. While ``left`` is not
    zero, call it again, or let the worker finish.

    Raises TypeError for a value of another type and ValueError for a name that is no field, before
    anything is written; RejectsUnwritable; and what is in `dynapages.calls.FAILURES`.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number, row in enumerate(rows, 1):
                file.write(_line_of(row, number))
        rejects_file = RejectsFile(rejects)
        result = import_file(
            CommentFile(RowFile(path), Shape(detect_language=detect_language), clock.now()),
            writer=BulkWriter(Batches(client(), pool()), announces=signals),
            ensure_products=products().add_missing,
            rejects=rejects_file,
            progress=Progress(shown=False),
            is_trial=dry_run,
        )
    return report_of(result, rejects_file)


def _line_of(row: Mapping[str, object], number: int) -> str:
    """Return a row as a line of JSON. Raises TypeError and ValueError."""
    values: dict[str, object] = {}
    for name, value in row.items():
        if name not in ROW_FIELDS:
            fields = ", ".join(sorted(ROW_FIELDS))
            raise ValueError(f"Row {number}: “{name}” is no field; the fields are: {fields}.")
        values[name] = _value_of(name, value, number)
    return json.dumps(values) + "\n"


def _value_of(name: str, value: object, number: int) -> object:
    """Return a value as JSON has it. Raises TypeError."""
    if isinstance(value, date):  # or a datetime
        return value.isoformat()
    if isinstance(value, Decimal | UUID | Promise):
        return str(value)
    if isinstance(value, list | tuple):
        return [_value_of(name, each, number) for each in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(
        f"Row {number}: {name} is a {type(value).__name__}: use text, a number, a date, a UUID, "
        f"True, False or None."
    )
