"""The shards of the index ``by_data``; follows "Write Sharding (GSI)" of the pattern list.

An edge's shard follows from its id and their number, so that putting it again keeps it there.
"""

from django.conf import settings

from dynamo.calls.meter import labelled_calls
from shop.table import shards

DATA = "DATA"


def writable_shards() -> int:
    """Return how many shards edges may be put in: at least EDGE_SHARDS (a setting)."""
    return shards().writable(DATA, least=settings.EDGE_SHARDS)


def count_edge_shards() -> int:
    """Read how many shards a reader of the index must read."""
    with labelled_calls("shards"):
        return shards().count(DATA)


def raise_edge_shards(number: int) -> None:
    """Raise the number of shards that readers read to at least ``number``."""
    shards().raise_to(DATA, number)
