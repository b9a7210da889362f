"""The table ``shop`` and its inverted index, as lists are read from them."""

from dynamo.lists.runs import Index
from shop.models import ShopItem

TABLE = Index(
    table=ShopItem.Meta.table_name,
    name=None,
    partition_key="pk",
    sort_key="sk",
    table_key=lambda _position: {},
)
"""The table itself: a position's sort key and the run's partition key are the whole table key."""

INVERTED = Index(
    table=ShopItem.Meta.table_name,
    name=ShopItem.inverted.Meta.index_name,
    partition_key="sk",
    sort_key="pk",
    table_key=lambda _position: {},
)
