"""Rows of every kind of item, in ``sample_rows.json``, and the schemas of the tables they are in.

The model for NoSQL Workbench and the tables of docs/orders.md show them. A test writes them anew
when it is run with ``--write-sample-rows``: see docs/deploying.md.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from dynapages.items import Item
from dynapages.tables import TableSchema
from shop.activity.months import month_of_table
from shop.activity.tables import model_of

ROWS_FILE = Path(__file__).with_name("sample_rows.json")


@cache
def sample_rows() -> dict[str, list[dict[str, Any]]]:
    """Return the kinds of items of each table, by its name without the prefix.

    A kind has a ``name``, the forms ``pk`` and ``sk`` of its keys (``USER#<name>``), and ``rows``.
    """
    rows: dict[str, list[dict[str, Any]]] = json.loads(ROWS_FILE.read_text(encoding="utf-8"))
    return rows


def rows_of(kinds: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Return the rows of all these kinds."""
    return [row for kind in kinds for row in kind["rows"]]


def sample_schemas() -> dict[str, TableSchema]:
    """Return the schemas of the tables of ``DYNAMODB_MODELS`` (a setting), and of the rows' month.

    The names are those of `sample_rows`.
    """
    prefix = settings.DYNAMODB_TABLE_PREFIX
    models = [import_string(name) for name in settings.DYNAMODB_MODELS]
    for name in sample_rows():
        month = month_of_table(f"{prefix}{name}")
        if month:
            models.append(model_of(month))
    schemas = [TableSchema.of(model) for model in models]
    return {schema.name.removeprefix(prefix): schema for schema in schemas}
