"""Runs ``import_orders`` on files in the plain shape."""

import csv
import json
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command

from dynamo.management.files import REJECTED


def import_plain(*arguments: object, rejects: Path) -> tuple[dict[str, Any], list[str]]:
    """Import files; return the counts, which must add up, and the reasons of rejected rows."""
    out = StringIO()
    words = ["import_orders", *map(str, arguments), "--json", "--rejects", str(rejects)]
    with suppress(RowsRejected):
        _call(words, out)
    counts: dict[str, Any] = json.loads(out.getvalue())
    reasons = reasons_in(rejects)
    for file in counts["files"].values():
        assert file["read"] + file["rejected"] == file["rows"]
    assert sum(file["rejected"] for file in counts["files"].values()) == len(reasons)
    return counts, [reason for _, _, reason in reasons]


class RowsRejected(Exception):
    """The command ended with the exit code of rejected rows."""


def _call(words: Sequence[str], out: StringIO) -> None:
    try:
        call_command(*words, stdout=out)
    except CommandError as error:
        if error.returncode == REJECTED:
            raise RowsRejected from error
        raise


def reasons_in(rejects: Path) -> list[tuple[str, str, str]]:
    """Return file, line and reason of each rejected row."""
    if not rejects.exists():
        return []
    with rejects.open(encoding="utf-8", newline="") as file:
        return [(row["file"], row["line"], row["reason"]) for row in csv.DictReader(file)]
