"""Runs the commands that import, and checks that what they count adds up."""

import csv
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dynapages.files.import_command import BAD_USAGE
from dynapages.files.reports import REJECTED

Row = dict[str, Any]


def newest(rows: Sequence[Row]) -> dict[str, Row]:
    """Do by brute force what an import must: newest wins, at equal dates the later row."""
    found: dict[str, Row] = {}
    for row in rows:
        old = found.get(row["id"])
        if old is None or row["created_at"] >= old["created_at"]:
            found[row["id"]] = row
    return found


def run_import(command: str, *arguments: object, **options: Any) -> dict[str, Any]:
    """Import files, some rows of which may be rejected; return the counts."""
    out = StringIO()
    try:
        call_command(command, *map(str, arguments), json=True, stdout=out, **options)
    except CommandError as error:
        if error.returncode != REJECTED:
            raise
    counts: dict[str, Any] = json.loads(out.getvalue())
    for file in counts.get("files", {"": counts}).values():
        assert file["read"] + file["rejected"] + file.get("skipped", 0) == file["rows"]
    return counts


def refusal(command: str, *arguments: object, **options: Any) -> str:
    """The line that is said of files or options that cannot be."""
    with pytest.raises(CommandError) as caught:
        call_command(command, *map(str, arguments), **options)
    assert caught.value.returncode == BAD_USAGE
    assert "\n" not in str(caught.value)
    return str(caught.value)


def rejected_in(path: Path) -> list[dict[str, str]]:
    """The rows that an import lists as rejected."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def import_plain(*arguments: object, rejects: Path) -> tuple[dict[str, Any], list[str]]:
    """Import orders in the plain shape; return the counts, and the reasons of rejected rows."""
    counts = run_import("import_orders", *arguments, rejects=rejects)
    reasons = [row["reason"] for row in rejected_in(rejects)]
    assert sum(file["rejected"] for file in counts["files"].values()) == len(reasons)
    return counts, reasons
