"""The model of the site's tables for NoSQL Workbench for DynamoDB, in the format of version 3.0.

It knows no local indexes: ours is shown as a global one whose name ends in ``.local``. Nor does it
know keys of several attributes: a model with such an index is refused.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from config.docs_tables import PATTERNS
from config.infrastructure.sample_rows import rows_of, sample_rows, sample_schemas
from dynapages.items import Item
from dynapages.tables import ON_DEMAND, TableSchema

LOCAL_SUFFIX = ".local"
"""Of the name of a local index, for which the format has no field."""
_KEYS = ("pk", "sk")
_ABOUT = (
    "The tables of Dynashop, exported by “manage.py export_model --format workbench” from its "
    "models. Names of facets end in the numbers of the access patterns that read their items. An "
    f"index whose name ends in “{LOCAL_SUFFIX}” is a local one in truth. To create the tables, use "
    "“manage.py create_tables” instead of this model."
)
_MOMENT = "Jan 01, 2023, 09:30 AM"


def workbench_model() -> dict[str, Any]:
    """Build the model of the tables of the settings, with rows of every kind of item.

    It can be serialised as JSON, and is the same on any day. Raises ValueError for an index of
    several attributes.
    """
    patterns = []
    for pattern in PATTERNS:
        answer = pattern.answer.replace("`", "")
        patterns.append(f"\t* {pattern.number}: {pattern.question} — {answer}")
    tables = []
    for name, schema in sample_schemas().items():
        _require_one_of_each(schema)
        tables.append(_table(schema, sample_rows()[name]))
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
        "DataModel": tables,
    }


def _require_one_of_each(schema: TableSchema) -> None:
    """Raise ValueError for an index of several attributes: a key has two fields in the format."""
    for index in schema.global_indexes:
        roles = [part["KeyType"] for part in index["KeySchema"]]
        if len(set(roles)) < len(roles):
            raise ValueError(
                "The format of NoSQL Workbench has one partition attribute and one sort attribute "
                f"for an index; {index['IndexName']} of {schema.name} has several of one of them."
            )


def _table(schema: TableSchema, kinds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    types = _types_in(rows_of(kinds))
    indexes = [_index(index, types) for index in schema.global_indexes]
    for index in schema.local_indexes:
        indexes.append(_index(index, types, suffix=LOCAL_SUFFIX))
    non_key_names = [name for name in types if name not in _KEYS]
    return {
        "TableName": schema.name,
        "KeyAttributes": _key(schema.key, types),
        "NonKeyAttributes": _attributes(non_key_names, types),
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
    names = [part["AttributeName"] for part in parts]
    # A key without a sort key has one part.
    return dict(zip(("PartitionKey", "SortKey"), _attributes(names, types), strict=False))


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
