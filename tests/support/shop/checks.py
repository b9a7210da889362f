"""The checks of the table ``shop``, one by itself, and ways to spoil what they are to find."""

from collections.abc import Iterator
from typing import Any

from dynapages.items import table_key
from dynapages.process import client
from dynapages.upkeep import Difference
from shop.integrity.checks import shop_differences
from shop.table import TABLE

Key = tuple[str, str]


def differences(check: str) -> Iterator[Difference]:
    return (difference for _, difference in shop_differences([check]))


def told(check: str, kind: str, subject: str) -> list[Difference]:
    """What a check tells of one thing."""
    return [d for d in differences(check) if (d.kind, d.subject) == (kind, subject)]


def stored(key: Key) -> dict[str, Any] | None:
    found = client().get_item(TableName=TABLE, Key=table_key(*key), ConsistentRead=True)
    return found.get("Item")


def spoil(key: Key, *removed: str, **values: dict[str, Any]) -> dict[str, Any]:
    """Write what no service would write, and give what was there."""
    item: dict[str, Any] = stored(key) or table_key(*key)
    kept = {name: value for name, value in item.items() if name not in removed}
    client().put_item(TableName=TABLE, Item={**kept, **values})
    return item


def lose(key: Key) -> None:
    client().delete_item(TableName=TABLE, Key=table_key(*key))
