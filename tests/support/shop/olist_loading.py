"""Runs ``import_orders`` on a folder, and reads back what it wrote."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from dynapages.process import client
from shop.models import ShopItem
from tests.support.importing import run_import

REJECTS = "rejected.csv"


def import_folder(folder: Path, *, rejected: int = 0, **options: Any) -> dict[str, Any]:
    """Import a folder so many rows of which are rejected, into a file beside them."""
    options = {"rejects": folder / REJECTS, **options}
    counts = run_import("import_orders", folder, **options)
    assert sum(file["rejected"] for file in counts["files"].values()) == rejected
    orders = counts["orders"]
    read = counts["files"]["olist_orders_dataset"]["read"]
    assert orders["created"] + orders["updated"] + orders["unchanged"] == read
    return counts


def table(name: str) -> list[dict[str, Any]]:
    """Everything a table holds."""
    pages = client().get_paginator("scan").paginate(TableName=name)
    items = [item for page in pages for item in page["Items"]]
    return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))


def left_behind() -> list[str]:
    """The whole table, without what chance decides: shards and the unusable passwords."""
    counts: dict[str, Counter[str]] = {}
    kept = []
    for item in table(ShopItem.Meta.table_name):
        kind, _, rest = item["pk"]["S"].partition("#")
        if kind == "COUNTS":
            cells = {name: int(v["N"]) for name, v in item.items() if "N" in v and name[0] != "_"}
            counts.setdefault(rest.rpartition("#")[0], Counter()).update(cells)
        elif kind != "SHARDS":
            kept.append(json.dumps(without_chance(item), sort_keys=True))
    return [*kept, *(f"{name}: {sorted(cells.items())}" for name, cells in sorted(counts.items()))]


def without_chance(item: dict[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in item.items() if name not in {"password", "shard"}}
    if "open_shard" in found:
        found["open_shard"] = found["open_shard"]["S"].rpartition("#")[0]
    return found
