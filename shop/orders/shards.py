"""The shards of the queue of open orders; follows "Write Sharding (GSI)" of the pattern list.

Their number is stored in the table, only grows, and is raised before the first write to a new
shard, so that readers miss none. An order keeps its shard.
"""

from django.conf import settings

from shop.table import shards

OPEN_ORDERS = "OPEN"


def pick_shard() -> int:
    """Pick the shard of a new order, among at least ORDER_SHARDS (a setting)."""
    return shards().pick(OPEN_ORDERS, least=settings.ORDER_SHARDS)


def count_shards() -> int:
    """Read how many shards a reader of the queue must read."""
    return shards().count(OPEN_ORDERS)


def raise_shards(number: int) -> None:
    """Raise the number of shards that readers read to at least ``number``."""
    shards().raise_to(OPEN_ORDERS, number)
