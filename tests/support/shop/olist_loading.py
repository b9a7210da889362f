"""Runs ``import_orders`` on a folder, and reads back what it wrote."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from dynamo.calls.client import client


def import_folder(folder: Path, **options: Any) -> dict[str, Any]:
    """Import a folder all of whose rows are good, and check that its counts add up."""
    out = StringIO()
    options = {"rejects": folder / "rejected.csv", **options}
    call_command("import_orders", folder, json=True, stdout=out, **options)
    counts: dict[str, Any] = json.loads(out.getvalue())
    require_sums(counts)
    return counts


def require_sums(counts: dict[str, Any]) -> None:
    for file in counts["files"].values():
        assert file["read"] + file["rejected"] == file["rows"]
    orders = counts["orders"]
    read = counts["files"]["olist_orders_dataset"]["read"]
    assert orders["created"] + orders["updated"] + orders["unchanged"] == read


def table(name: str) -> list[dict[str, Any]]:
    """Everything a table holds."""
    pages = client().get_paginator("scan").paginate(TableName=name)
    items = [item for page in pages for item in page["Items"]]
    return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))
