"""Ranks of products in the shop's rankings: their scores, items and shards.

A product has one item in each ranking. While it ranks, the item has the keys of the sparse index
``ranked``: the partition of one of the ranking's shards, where it stays for as long as it ranks,
and a sort key that begins with its score. When it does not, those keys are removed, and the item
remains with its version, by which a late derivation is refused.

"Sparse Index" and "Write Sharding (GSI)" of the pattern list.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from comments import keys
from comments.models import TABLE, ProductRank
from dynamo.calls.client import client, pool
from dynamo.items import Item, table_key
from dynamo.lists.site_reader import page_batches
from dynamo.writes.shards import Shards

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")

RANKED = "RANKED"
"""What the number of shards is kept under; the rankings of the shop share it."""

PARTITION = ProductRank.rank_partition.attr_name
PLACE = ProductRank.rank_place.attr_name
NEWEST = ProductRank.newest.attr_name
NAME = ProductRank.name.attr_name
VERSION = ProductRank.version.attr_name


class Ranking(StrEnum):
    """A ranking of the shop's products; the value is in the keys."""

    FIVE_STARS = "FIVE_STARS"
    COMMENTED = "COMMENTED"


RankKey = tuple[Ranking, str]
"""A ranking and a product id."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A product's rank as it is derived, beside the item that is ``stored`` (empty if none is).

    ``place`` is None when the product does not rank. ``newest`` is the place of its latest
    comment, in the ranking by that alone; ``name`` is the product's, None for one that is unknown.
    """

    key: RankKey
    stored: Item
    place: str | None
    newest: str | None = None
    name: str | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the index holds just this."""
        found = [self.stored.get(name, {}).get("S") for name in (PLACE, NEWEST, NAME)]
        return found == [self.place, self.newest, self.name]


def stored_ranks(rank_keys: Iterable[RankKey]) -> dict[RankKey, Item]:
    """Read the items of ranks, strongly; those that do not exist are left out."""
    wanted = {keys.rank(*key): key for key in rank_keys}
    found = page_batches().get(TABLE, map(key_of, wanted.values()))
    return {wanted[item["pk"]["S"]]: item for item in found}


def key_of(key: RankKey) -> Item:
    """Build the key of a rank's item."""
    return table_key(keys.rank(*key), keys.rank(*key))


RANK_SHARDS = 2
"""That products which begin to rank are spread over, at least; fewer later lose nothing."""


def pick_partition(ranking: Ranking) -> str:
    """Pick the shard of a product that begins to rank."""
    shard = _shards(client()).pick(RANKED, least=RANK_SHARDS)
    return keys.ranking_shard(ranking, shard)


def count_shards() -> int:
    """Read how many shards the rankings of the shop have."""
    return _shards(client()).count(RANKED)


def read_shards(read: Callable[[int], T]) -> T:
    """Read all shards of the rankings of the shop (see `dynamo.writes.shards.Shards.read_all`)."""
    return _shards(client()).read_all(RANKED, read, pool=pool())


@lru_cache(maxsize=4)
def _shards(connected: "DynamoDBClient") -> Shards:
    return Shards(connected, TABLE, keys.shards)
