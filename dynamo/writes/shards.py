"""How many shards something is spread over: a number in the table that only ever grows.

A writer may use any shard below the number it has heard of; a reader must read them all. So the
number is raised in the table before the first writer uses a new shard, never lowered, and read
anew by every reader. What a process remembers is for its writers alone: it may be too few,
never too many.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import TYPE_CHECKING
from zlib import crc32

from pynamodb.attributes import NumberAttribute

from dynamo.items import Item, wire_key
from dynamo.writes.actions import parameters, update

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

SHARDS = "_shards"
"""The attribute that holds the number; where it is missing, there is one shard."""
_NUMBER = NumberAttribute(attr_name=SHARDS)


@dataclass(slots=True)
class Shards:
    """Numbers of shards, each in the item of ``table`` whose key is ``key_of(name)``."""

    client: "DynamoDBClient"
    table: str
    key_of: Callable[[str], Mapping[str, str]]
    _heard: dict[str, int] = field(default_factory=dict)

    def pick(self, name: str, *, least: int = 1) -> int:
        """Pick a shard to write to, of at least ``least``, which the table is told of first."""
        return random.randrange(self.writable(name, least=least))  # noqa: S311 - spreads load

    def writable(self, name: str, *, least: int = 1) -> int:
        """Say how many shards a writer may use: at least ``least``, which the table is told of."""
        if least > self._heard.get(name, 1):
            self.raise_to(name, least)
        return max(self._heard.get(name, 1), least)

    def raise_to(self, name: str, number: int) -> int:
        """See to it that there are at least ``number``, and return how many there are.

        Of several processes that raise at once, the highest number stays.
        """
        raised = update(
            self.table,
            wire_key(self.key_of(name)),
            [_NUMBER.set(number)],
            _NUMBER.does_not_exist() | (number > _NUMBER),
        )
        try:
            self.client.update_item(**parameters(raised))
            self._heard[name] = number
        except self.client.exceptions.ConditionalCheckFailedException:
            self._heard[name] = self.count(name)
        return self._heard[name]

    def count(self, name: str) -> int:
        """Read the number, strongly."""
        key = wire_key(self.key_of(name))
        response = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)
        return shards_in(response.get("Item", {}))


def shard_of(unique_id: str, shards: int) -> int:
    """Give an id its shard among so many: always the same, evenly spread."""
    return crc32(unique_id.encode()) % shards


def share_of(needed: int, shards: int) -> int:
    """Say what one of several shards holds of so many items, with room for chance."""
    mean = needed / shards
    return min(needed, ceil(mean + 2 * sqrt(mean)))


def shards_in(item: Item) -> int:
    """Give the number of shards that an item tells of."""
    return int(item[SHARDS]["N"]) if SHARDS in item else 1
