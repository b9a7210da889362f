"""Numbers of shards: stored in the table, raised but never lowered.

A writer may use any shard below the number it knows; a reader must read all of them. So the number
is raised in the table before the first writer uses a new shard, and every reader reads it again.
A process remembers the number: it may be too low, never too high. Writers rely on it. Readers read
the shards they know of together with the number, and the others afterwards.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import ceil, sqrt
from typing import TYPE_CHECKING, TypeVar
from zlib import crc32

from pynamodb.attributes import NumberAttribute

from dynamo.calls.client import pool as pool_of_process
from dynamo.calls.meter import labelled_calls
from dynamo.calls.pool import Pool
from dynamo.items import Item, wire_key
from dynamo.writes.transactions import ConditionFailed, update, write_one

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")

SHARDS = "_shards"
"""The attribute with the number; an item without it means one shard."""
_NUMBER = NumberAttribute(attr_name=SHARDS)


@dataclass(slots=True)
class Shards:
    """Numbers of shards, each in the item of ``table`` whose key is ``key_of(name)``."""

    client: "DynamoDBClient"
    table: str
    key_of: Callable[[str], Mapping[str, str]]
    _known: dict[str, int] = field(default_factory=dict)

    def pick(self, name: str, *, least: int = 1) -> int:
        """Return a random shard to write to, of at least ``least``."""
        return random.randrange(self.writable(name, least=least))  # noqa: S311 - spreads load

    def writable(self, name: str, *, least: int = 1) -> int:
        """Return how many shards a writer may use: at least ``least``, stored if that is new."""
        if least > self.known(name):
            self.raise_to(name, least)
        return max(self.known(name), least)

    def known(self, name: str) -> int:
        """Return how many shards there are at least, as far as this process knows."""
        return self._known.get(name, 1)

    def note(self, name: str, number: int) -> None:
        """Remember a number that was read."""
        if number > self.known(name):
            self._known[name] = number

    def raise_to(self, name: str, number: int) -> int:
        """Raise the number to ``number`` unless it is as high already; return what is stored."""
        raised = update(
            self.table,
            wire_key(self.key_of(name)),
            [_NUMBER.set(number)],
            _NUMBER.does_not_exist() | (number > _NUMBER),
        )
        try:
            write_one(self.client, raised)
        except ConditionFailed:
            return self.count(name)
        self.note(name, number)
        return number

    def count(self, name: str) -> int:
        """Return the stored number, read strongly."""
        key = wire_key(self.key_of(name))
        with labelled_calls("shards"):
            response = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)
        stored = shards_in(response.get("Item", {}))
        self.note(name, stored)
        return stored

    def read_all(self, name: str, read: Callable[[int], T], *, pool: Pool) -> T:
        """Return what ``read`` returns for the stored number of shards, in one round as a rule.

        It is called with the number that this process knows, while the stored one is read, and
        again if that is greater. Shards may be used as soon as their number is stored, so nothing
        is missed that was written before this read began.
        """
        with pool.together() as together:
            counted = together.start(partial(self.count, name))
            known = self.known(name)
            found = read(known)
            stored = counted.result()
        return found if stored <= known else read(stored)


@dataclass(frozen=True, slots=True)
class NamedShards:
    """The shards of one name, such as those of a queue; what they do is as for `Shards`.

    ``shards`` and ``least`` are called anew each time: the client may be another by then, and a
    setting another number.
    """

    name: str
    shards: Callable[[], Shards]
    least: Callable[[], int]

    def pick(self) -> int:
        """Return a random shard to write to."""
        return self.shards().pick(self.name, least=self.least())

    def writable(self) -> int:
        """Return how many shards a writer may use, stored if that is new."""
        return self.shards().writable(self.name, least=self.least())

    def count(self) -> int:
        """Return the stored number, read strongly."""
        return self.shards().count(self.name)

    def raise_to(self, number: int) -> None:
        """Raise the stored number to at least ``number``."""
        self.shards().raise_to(self.name, number)

    def read_all(self, read: Callable[[int], T]) -> T:
        """Return what ``read`` returns for the stored number of shards."""
        return self.shards().read_all(self.name, read, pool=pool_of_process())


def shard_of(unique_id: str, shards: int) -> int:
    """Return the shard of an id: always the same one, ids evenly spread."""
    return crc32(unique_id.encode()) % shards


def share_of(needed: int, shards: int) -> int:
    """Return how many of ``needed`` items to expect in one shard, plus two standard deviations."""
    mean = needed / shards
    return min(needed, ceil(mean + 2 * sqrt(mean)))


def shards_in(item: Item) -> int:
    """Return the number of shards stored in an item."""
    return int(item[SHARDS]["N"]) if SHARDS in item else 1
