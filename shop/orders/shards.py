"""The shards of the queue of open orders; follows "Write Sharding (GSI)" of the pattern list.

Their number is stored in the table, only grows, and is raised before the first write to a new
shard, so that readers miss none. An order keeps its shard.
"""

from collections.abc import Callable
from typing import TypeVar

from django.conf import settings

from dynamo.calls.client import pool
from shop.table import shards

T = TypeVar("T")

OPEN_ORDERS = "OPEN"


def pick_shard() -> int:
    """Pick the shard of a new order, among at least ORDER_SHARDS (a setting)."""
    return shards().pick(OPEN_ORDERS, least=settings.ORDER_SHARDS)


def count_shards() -> int:
    """Read how many shards a reader of the queue must read."""
    return shards().count(OPEN_ORDERS)


def read_shards(read: Callable[[int], T]) -> T:
    """Read all shards of the queue (see `dynamo.writes.shards.Shards.read_all`)."""
    return shards().read_all(OPEN_ORDERS, read, pool=pool())


def raise_shards(number: int) -> None:
    """Raise the number of shards that readers read to at least ``number``."""
    shards().raise_to(OPEN_ORDERS, number)
