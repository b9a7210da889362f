"""What the tables hold at a moment, to be put back: cheaper than making all of it anew."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from dynapages.calls import Batches, Pool
from dynapages.items import Item, table_key
from dynapages.process import client
from shop.activity.months import Month
from shop.activity.recording import LOG

Items = Mapping[tuple[str, str], Item]


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
        return cls({table: _items_of(table) for table in (*tables, log)})

    def restore(self) -> None:
        """Put back what was changed or deleted since, and delete what has come."""
        LOG.flush(seconds=5)
        for table, kept in self.items.items():
            there = _items_of(table)
            come = there.keys() - kept.keys()
            changed = [item for place, item in kept.items() if there.get(place) != item]
            deletions = [{"DeleteRequest": {"Key": table_key(*place)}} for place in come]
            puts: list[Any] = [{"PutRequest": {"Item": item}} for item in changed]
            Batches(client(), Pool(1)).write(table, deletions + puts)


def _items_of(table: str) -> Items:
    pages = client().get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return {(item["pk"]["S"], item["sk"]["S"]): item for page in pages for item in page["Items"]}
