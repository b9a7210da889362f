"""The shards of the open queue: how many there are, and which one an order is put in.

"Write Sharding (GSI)" of the pattern list. The number stands in the table, only grows, and is
raised before anybody writes to a new shard, so that a reader who has read it misses none. An
order keeps its shard for life: a later number does not move it.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from dynamo.calls.client import client
from dynamo.writes.shards import Shards
from shop import keys
from shop.models import ShopItem

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

OPEN_ORDERS = "OPEN"


def pick_shard() -> int:
    """Pick the shard of a new order, of at least as many as the setting ORDER_SHARDS says."""
    return _shards(client()).pick(OPEN_ORDERS, least=settings.ORDER_SHARDS)


def count_shards() -> int:
    """Read how many shards the queue has to be read from."""
    return _shards(client()).count(OPEN_ORDERS)


def raise_shards(number: int) -> None:
    """See to it that readers read at least so many shards."""
    _shards(client()).raise_to(OPEN_ORDERS, number)


@lru_cache(maxsize=4)
def _shards(connected: "DynamoDBClient") -> Shards:
    return Shards(connected, ShopItem.Meta.table_name, keys.shards)
