"""Items of the catalogue as the integrity check compares them.

What lists show and what the keys are derived from, and nothing else: an item may well carry more.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.items import Item
from dynamo.upkeep.differences import differing
from dynamo.writes.actions import Action
from shop import keys
from shop.catalogue.edge_keys import MOST_SHARDS, shard_in
from shop.models import ShopItem

TABLE = ShopItem.Meta.table_name
COMPARED = (
    "name",
    "unit_price_cents",
    "currency",
    "category",
    "trail",
    "order_status_date",
    "data_partition",
    "data",
)
PARTITION = "data_partition"
Key = tuple[str, str]
"""A partition key and a sort key."""


def key_of(item: ShopItem) -> Key:
    """Give the table key of an item that was built."""
    return item.pk, item.sk


def wrong_in(
    stored: Item | None, expected: ShopItem | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give what is stored and what should be, where they differ; None stands for no item.

    An entry of ``by_data`` may be in any shard: what shards there are is compared apart from it.
    """
    if stored is None or expected is None:
        return differing(_presence(stored), _presence(expected))
    right = _values(expected.serialize())
    found = _values(stored)
    partition, wanted = found.get(PARTITION, ""), right.get(PARTITION, "")
    shard = min(shard_in(partition), MOST_SHARDS - 1)
    if wanted and partition == f"{_stem(wanted)}#{shard}":
        right[PARTITION] = partition
    return differing(found, right)


def read_again(table_keys: Iterable[Key]) -> dict[Key, Item]:
    """Read items by their keys, strongly; those that do not exist are left out."""
    wanted = [wire_key(key) for key in dict.fromkeys(table_keys)]
    found = Batches(client(), pool()).get(TABLE, wanted)
    return {(item["pk"]["S"], item["sk"]["S"]): item for item in found}


def wire_key(key: Key) -> dict[str, dict[str, str]]:
    """Spell a table key as the wire has it."""
    return {"pk": {"S": key[0]}, "sk": {"S": key[1]}}


def delete(key: Key) -> Action:
    """Spell the deletion of an item as the action of a transaction."""
    return {"Delete": {"TableName": TABLE, "Key": wire_key(key)}}


def unless_changed(key: Key, seen: Item | None, names: Iterable[str]) -> Action:
    """Spell the condition that an item is as it was seen, in these attributes, or still absent."""
    terms, values = ["attribute_not_exists(pk)"], {}
    if seen is not None:
        values = {f":{name}": seen[name] for name in names if name in seen}
        terms = [
            f"#{name} = :{name}" if name in seen else f"attribute_not_exists(#{name})"
            for name in names
        ]
    check: dict[str, Any] = {
        "TableName": TABLE,
        "Key": wire_key(key),
        "ConditionExpression": " AND ".join(terms),
    }
    if seen is not None:
        check["ExpressionAttributeNames"] = {f"#{name}": name for name in names}
    if values:
        check["ExpressionAttributeValues"] = values
    return {"ConditionCheck": check}


def product_in(sort_key: str) -> str:
    """Give the product that an edge of a category leads to."""
    return sort_key.removeprefix(keys.NAME_PREFIX).removeprefix(keys.PRODUCT_PREFIX)


def _presence(item: object) -> dict[str, str]:
    return {"item": "none" if item is None else "there"}


def _values(item: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: item[name] for name in COMPARED if name in item}
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Mapping[str, Any]) -> str:
    ((kind, content),) = value.items()
    if kind == "L":
        return "/".join(f"{step['M']['slug']['S']}:{step['M']['name']['S']}" for step in content)
    return str(content)


def _stem(partition: str) -> str:
    return partition.rpartition("#")[0]
