"""The model of the site's tables for NoSQL Workbench for DynamoDB, in the format of version 3.0.

AWS publishes no schema of the format; docs/workbench.md tells which published models it was taken
from. It knows no local indexes: ours is shown as a global one whose name ends in ``.local``.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from config.access_patterns import ALL, DocumentedPattern
from config.infrastructure.facets import facets_of
from config.infrastructure.sample_tables import SampleTable, sample_tables
from dynamo.tables.schema import ON_DEMAND
from shop.table_picture import START

LOCAL = ".local"
"""Ends the name of a local index, which the format has no place for."""
_ABOUT = (
    "The tables of Dynashop, exported by “manage.py export_model --format workbench” from its "
    "models. Names of facets end in the numbers of the access patterns that read their items. An "
    f"index whose name ends in “{LOCAL}” is a local one in truth. To create the tables, use "
    "“manage.py create_tables” instead of this model."
)


def workbench_model() -> dict[str, Any]:
    """Build the model of the tables of the settings, with rows of every kind of item.

    It can be serialised as JSON, and is the same on any day.
    """
    moment = f"{START:%b %d, %Y, %I:%M %p}"
    return {
        "ModelName": "Dynashop",
        "ModelMetadata": {
            "Author": "Dynashop",
            "DateCreated": moment,
            "DateLastModified": moment,
            "Description": "\n".join([_ABOUT, "", "Access patterns:", *map(_sentence, ALL)]),
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": [_table(table) for table in sample_tables()],
    }


def _sentence(pattern: DocumentedPattern) -> str:
    return f"\t* {pattern.number}: {pattern.question} — {pattern.answer.replace('`', '')}"


def _table(table: SampleTable) -> dict[str, Any]:
    schema, types = table.schema, table.attributes
    key = _key(schema.key, types)
    key_names = {part["AttributeName"] for part in key.values()}
    indexes = [_index(index, types) for index in schema.global_indexes]
    indexes += [_index(index, types, suffix=LOCAL) for index in schema.local_indexes]
    return {
        "TableName": schema.name,
        "KeyAttributes": key,
        "NonKeyAttributes": _attributes((name for name in types if name not in key_names), types),
        "TableFacets": facets_of(table),
        "GlobalSecondaryIndexes": indexes,
        "DataAccess": {"MySql": {}},
        "BillingMode": ON_DEMAND,
    }


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
