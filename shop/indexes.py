"""The table ``shop`` and its inverted index, for lists."""

from dynamo.lists.runs import Index
from shop.models import ShopItem

NAME = ShopItem.Meta.table_name

TABLE = Index(NAME, None, "pk", "sk", table_key=lambda _position: {})
"""The table itself: a position's sort key and the run's partition key are the whole table key."""
INVERTED = Index(
    NAME, ShopItem.inverted.Meta.index_name, "sk", "pk", table_key=lambda _position: {}
)
