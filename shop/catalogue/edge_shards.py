"""The shards of the index ``by_data``: how many a writer may use, and a reader has to read.

"Write Sharding (GSI)" of the pattern list. An edge's shard is told by its id, so that an edge
that is put again stays where it is. When the number has grown, an edge moves as it is next put.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from dynamo.calls.client import client
from dynamo.calls.meter import labelled_calls
from dynamo.writes.shards import Shards
from shop import keys
from shop.models import ShopItem

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

DATA = "DATA"


def writable_shards() -> int:
    """Say how many shards edges may be put in: at least what the setting EDGE_SHARDS says."""
    return _shards(client()).writable(DATA, least=settings.EDGE_SHARDS)


def count_edge_shards() -> int:
    """Read how many shards a list has to be read from."""
    with labelled_calls("shards"):
        return _shards(client()).count(DATA)


def raise_edge_shards(number: int) -> None:
    """See to it that readers read at least so many shards."""
    _shards(client()).raise_to(DATA, number)


@lru_cache(maxsize=4)
def _shards(connected: "DynamoDBClient") -> Shards:
    return Shards(connected, ShopItem.Meta.table_name, keys.shards)
