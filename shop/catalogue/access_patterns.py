"""The lists of the index ``by_data``, as runs: one for each shard, merged.

The index is overloaded: what a place tells of the table key depends on the list. A product's edge
is in the partition of its category, a category's own item in its own; a purchase is its user's.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

from dynamo.lists.places import id_at
from dynamo.lists.reader import Order
from dynamo.lists.runs import Index, Position, Run
from shop import keys
from shop.catalogue.edge_keys import BOUGHT, Data
from shop.models import ShopItem

PLAN = ShopItem.by_data.Meta.index_name


class ProductOrder(StrEnum):
    """An order of a category's products; the value is what its address says."""

    NAME = "name"
    CHEAPEST = "price"
    DEAREST = "-price"

    @property
    def data(self) -> Data:
        """What the edges carry that it goes by."""
        return Data.NAME if self is ProductOrder.NAME else Data.PRICE

    @property
    def direction(self) -> Order:
        """Which way the runs are read: the way up is the reader's OLDEST_FIRST."""
        return Order.NEWEST_FIRST if self is ProductOrder.DEAREST else Order.OLDEST_FIRST


def products_of(slug: str, data: Data, *, shards: int) -> list[Run]:
    """Give the runs of a category's products by price or name; by price, of those with one."""
    spell = keys.product if data is Data.PRICE else keys.by_name

    def table_key(position: Position) -> dict[str, str]:
        return {"pk": keys.category(slug), "sk": spell(id_at(position.place))}

    index = _by_data(table_key)
    return [Run(index=index, partition=keys.category_shard(slug, data, n)) for n in range(shards)]


def categories_in_the_tree(*, shards: int) -> list[Run]:
    """Give the runs of all categories by name, each behind the one it is in."""

    def table_key(position: Position) -> dict[str, str]:
        return dict.fromkeys(("pk", "sk"), keys.category(id_at(position.place)))

    index = _by_data(table_key)
    return [Run(index=index, partition=keys.tree_shard(n)) for n in range(shards)]


def buyers_of(product_id: str, *, shards: int) -> list[Run]:
    """Give the runs of a product's purchases by their moments; a place ends in the user."""

    def table_key(position: Position) -> dict[str, str]:
        username = id_at(position.place)
        return {"pk": keys.user(username), "sk": keys.bought(username, product_id)}

    index = _by_data(table_key)
    return [Run(index=index, partition=keys.buyers_shard(product_id, n)) for n in range(shards)]


def purchases_of(username: str) -> Run:
    """Give the run of a user's purchases by their moments; a place ends in the product.

    They stand in ``orders_by_status`` beside the user's orders, under a prefix of their own.
    """

    def table_key(position: Position) -> dict[str, str]:
        return {"sk": keys.bought(username, id_at(position.place))}

    index = Index(
        table=ShopItem.Meta.table_name,
        name=ShopItem.orders_by_status.Meta.index_name,
        partition_key="pk",
        sort_key="order_status_date",
        table_key=table_key,
    )
    return Run(index=index, partition=keys.user(username), prefix=BOUGHT)


def _by_data(table_key: Callable[[Position], Mapping[str, str]]) -> Index:
    return Index(
        table=ShopItem.Meta.table_name,
        name=PLAN,
        partition_key="data_partition",
        sort_key="data",
        table_key=table_key,
    )
