"""The shards of the index ``by_data``; follows "Write Sharding (GSI)" of the pattern list.

An edge's shard follows from its id and their number, so that putting it again keeps it there.
"""

from collections.abc import Callable
from typing import TypeVar

from dynamo.calls.client import pool
from shop.catalogue import edge_keys
from shop.table import shards

T = TypeVar("T")

DATA = "DATA"


def writable_shards() -> int:
    """Return how many shards edges may be put in: at least EDGE_SHARDS."""
    return shards().writable(DATA, least=edge_keys.EDGE_SHARDS)


def count_edge_shards() -> int:
    """Read how many shards there are."""
    return shards().count(DATA)


def read_edge_shards(read: Callable[[int], T]) -> T:
    """Read all shards of a list (see `dynamo.writes.shards.Shards.read_all`)."""
    return shards().read_all(DATA, read, pool=pool())


def raise_edge_shards(number: int) -> None:
    """Raise the number of shards that readers read to at least ``number``."""
    shards().raise_to(DATA, number)
