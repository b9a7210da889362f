"""The model of the site's tables for NoSQL Workbench for DynamoDB, in the format of version 3.0.

It knows no local indexes: ours is shown as a global one whose name ends in ``.local``. The rows in
``sample_rows.json`` are written anew by a test when asked to. See docs/deploying.md.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from config.docs_tables import PATTERNS, load_models, markdown_table
from dynapages.items import Item
from dynapages.tables import ON_DEMAND, TableSchema
from shop.activity.months import month_of_table
from shop.activity.tables import model_of

LOCAL_SUFFIX = ".local"
"""Of the name of a local index, for which the format has no field."""
ROWS_FILE = Path(__file__).with_name("sample_rows.json")
_KEYS = ("pk", "sk")
_ABOUT = (
    "The tables of Dynashop, exported by “manage.py export_model --format workbench” from its "
    "models. Names of facets end in the numbers of the access patterns that read their items. An "
    f"index whose name ends in “{LOCAL_SUFFIX}” is a local one in truth. To create the tables, use "
    "“manage.py create_tables” instead of this model."
)
LONGEST_CELL = 74
_MOMENT = "Jan 01, 2023, 09:30 AM"


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


def workbench_model() -> dict[str, Any]:
    """Build the model of the tables of the settings, with rows of every kind of item.

    It can be serialised as JSON, and is the same on any day.
    """
    patterns = []
    for pattern in PATTERNS:
        answer = pattern.answer.replace("`", "")
        patterns.append(f"\t* {pattern.number}: {pattern.question} — {answer}")
    return {
        "ModelName": "Dynashop",
        "ModelMetadata": {
            "Author": "Dynashop",
            "DateCreated": _MOMENT,
            "DateLastModified": _MOMENT,
            "Description": "\n".join([_ABOUT, "", "Access patterns:", *patterns]),
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": [
            _table(schema, sample_rows()[name]) for name, schema in sample_schemas().items()
        ],
    }


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


def _table(schema: TableSchema, kinds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    types = _types_in(rows_of(kinds))
    indexes = [_index(index, types) for index in schema.global_indexes]
    indexes += [_index(index, types, suffix=LOCAL_SUFFIX) for index in schema.local_indexes]
    return {
        "TableName": schema.name,
        "KeyAttributes": _key(schema.key, types),
        "NonKeyAttributes": _attributes((name for name in types if name not in _KEYS), types),
        "TableFacets": [_facet(kind) for kind in kinds],
        "GlobalSecondaryIndexes": indexes,
        "DataAccess": {"MySql": {}},
        "BillingMode": ON_DEMAND,
    }


def _types_in(rows: Iterable[Item]) -> dict[str, str]:
    """Return the types of all attributes of some items, such as ``S``, by name."""
    types = {}
    for row in rows:
        for name, value in row.items():
            (types[name],) = value
    return types


def _index(
    index: Mapping[str, Any], types: Mapping[str, str], *, suffix: str = ""
) -> dict[str, Any]:
    return {
        "IndexName": index["IndexName"] + suffix,
        "KeyAttributes": _key(index["KeySchema"], types),
        "Projection": dict(index["Projection"]),
    }


def _key(parts: Sequence[Mapping[str, str]], types: Mapping[str, str]) -> dict[str, Any]:
    named = _attributes((part["AttributeName"] for part in parts), types)
    return dict(zip(("PartitionKey", "SortKey"), named, strict=False))


def _attributes(names: Iterable[str], types: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": types[name]} for name in names]


def _facet(kind: Mapping[str, Any]) -> dict[str, Any]:
    """Return a view of a table for a kind of item, named for the access patterns that read it.

    A row is in one facet: ``order-A2-A4-A7`` has the rows that A2, A4 and A7 read.
    """
    read_by = [pattern.number for pattern in PATTERNS if kind["name"] in pattern.reads]
    words = re.findall(r"\w+", " ".join([kind["name"], *read_by]))
    names = [name for name in _types_in(kind["rows"]) if name not in _KEYS]
    return {
        "FacetName": "-".join(words),
        "KeyAttributeAlias": {"PartitionKeyAlias": kind["pk"], "SortKeyAlias": kind["sk"]},
        "TableData": kind["rows"],
        "NonKeyAttributes": names,
        "DataAccess": {"MySql": {}},
    }


def shop_table() -> str:
    """Return the table ``shop`` and its indexes, with the keys of the sample rows."""
    load_models()
    schema, rows = sample_schemas()["shop"], rows_of(sample_rows()["shop"])
    sections = [_rows_by_key("The table", schema.key, rows, note="Every item.")]
    indexes = [("LSI", index) for index in schema.local_indexes]
    indexes += [("GSI", index) for index in schema.global_indexes]
    for kind, index in indexes:
        projected = ", ".join(f"`{name}`" for name in index["Projection"]["NonKeyAttributes"])
        title = f"`{index['IndexName']}`"
        note = f"{kind}. Besides its keys it holds {projected}."
        sections.append(_rows_by_key(title, index["KeySchema"], rows, note=note))
    return "\n" + "\n".join(sections)


def _rows_by_key(
    title: str, key: Sequence[dict[str, str]], rows: Sequence[Item], *, note: str
) -> str:
    """Return a section of Markdown about a table or an index: its keys in each of the rows."""
    names = [part["AttributeName"] for part in key]
    if names == ["sk", "pk"]:
        return f"### {title}\n\n{note} Every item of the table, by `sk`, then by `pk`.\n"
    roles = dict(zip(names, ("partition key", "sort key"), strict=True))
    shown = [*names, *(name for name in ("pk", "sk") if name not in names)]
    titles = tuple(f"`{name}` ({roles.get(name, 'table key')})" for name in shown)
    # An index has only the items with both attributes of its key.
    indexed = [row for row in rows if all(name in row for name in names)]
    values = sorted([row[name]["S"] for name in shown] for row in indexed)
    cells = [tuple(_cell(text) for text in line) for line in values]
    return f"### {title}\n\n{note}\n{markdown_table(titles, cells)}"


def _cell(text: str) -> str:
    if len(text) > LONGEST_CELL:
        text = text[:LONGEST_CELL] + "…"
    return f"`{text}`"
