"""The shards of the index ``by_data``: how many a writer may use, and a reader has to read.

"Write Sharding (GSI)" of the pattern list. An edge's shard is told by its id, so that an edge
that is put again stays where it is. When the number has grown, an edge moves as it is next put.
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
