"""Facets of NoSQL Workbench: a view of a table for each kind of item, named for what reads it.

A row is in one facet, as in the models that come with Workbench. So a facet is a kind of item, and
not a single access pattern: ``order-A2-A4-A7`` has the rows that the patterns A2, A4 and A7 read.
"""

import re
from collections.abc import Iterator
from typing import Any

from config.access_patterns import ALL
from config.infrastructure.item_kinds import ItemKind
from config.infrastructure.sample_tables import SampleTable, json_value


def facets_of(table: SampleTable) -> list[dict[str, Any]]:
    """Build the facets of a table, which hold its rows."""
    return [_facet(table, kind) for kind in table.kinds]


def facet_name(kind: ItemKind) -> str:
    """Format a name: the kind, then the numbers of the access patterns that read it."""
    return "-".join(re.findall(r"\w+", " ".join([kind.name, *_read_by(kind)])))


def _facet(table: SampleTable, kind: ItemKind) -> dict[str, Any]:
    rows = table.rows_by_kind[kind]
    used = {name for row in rows for name in row} - {"pk", "sk"}
    return {
        "FacetName": facet_name(kind),
        "KeyAttributeAlias": {"PartitionKeyAlias": kind.pk, "SortKeyAlias": kind.sk},
        "TableData": [json_value(dict(row)) for row in rows],
        "NonKeyAttributes": [name for name in table.attributes if name in used],
        "DataAccess": {"MySql": {}},
    }


def _read_by(kind: ItemKind) -> Iterator[str]:
    return (pattern.number for pattern in ALL if kind.name in pattern.reads)
