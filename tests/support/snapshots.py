"""What the tables hold at a moment, to be put back: cheaper than making all of it anew."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from dynapages.calls import Batches, Pool
from dynapages.items import Item
from dynapages.process import client
from shop.activity.months import Month
from shop.activity.recording import LOG

Items = Mapping[tuple[str, ...], Item]
"""All items of a table, by the values of their keys."""


@dataclass(frozen=True)
class Snapshot:
    """All items of all tables; of the activity log, those of this month."""

    items: Mapping[str, Items]

    @classmethod
    def taken(cls) -> "Snapshot":
        models = [import_string(name) for name in settings.DYNAMODB_MODELS]
        tables = [model.Meta.table_name for model in models]
        LOG.flush(seconds=5)
        log = Month.of(datetime.now(UTC)).table
        return cls({table: _items_of(table, _key_names(table)) for table in (*tables, log)})

    def restore(self) -> None:
        """Put back what was changed or deleted since, and delete what has come."""
        LOG.flush(seconds=5)
        for table, kept in self.items.items():
            names = _key_names(table)
            there = _items_of(table, names)
            come = there.keys() - kept.keys()
            changed = [item for place, item in kept.items() if there.get(place) != item]
            deletions: list[Any] = []
            for place in come:
                item_key = {name: there[place][name] for name in names}
                deletions.append({"DeleteRequest": {"Key": item_key}})
            puts: list[Any] = [{"PutRequest": {"Item": item}} for item in changed]
            Batches(client(), Pool(1)).write(table, deletions + puts)


def _key_names(table: str) -> list[str]:
    """The names of a table's keys."""
    described = client().describe_table(TableName=table)["Table"]
    return [part["AttributeName"] for part in described["KeySchema"]]


def _items_of(table: str, names: list[str]) -> Items:
    items: dict[tuple[str, ...], Item] = {}
    for page in client().get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        for item in page["Items"]:
            items[tuple(item[name]["S"] for name in names)] = item
    return items
