"""The lists of the overloaded index ``by_data``: one run for each shard, merged.

How a position's table key follows from its place depends on the list.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum

from dynamo.lists.reader import Order
from dynamo.lists.runs import Index, Position, Run, id_at
from shop import keys
from shop.catalogue.edge_keys import BOUGHT, Data
from shop.models import ShopItem
from shop.table import TABLE

PLAN = ShopItem.by_data.Meta.index_name


class ProductOrder(StrEnum):
    """An order of a category's products; the value is in URLs."""

    NAME = "name"
    CHEAPEST = "price"
    DEAREST = "-price"

    @property
    def data(self) -> Data:
        """The data of edges that the order goes by."""
        return Data.NAME if self is ProductOrder.NAME else Data.PRICE

    @property
    def direction(self) -> Order:
        """The direction of the runs: the reader's OLDEST_FIRST is ascending."""
        return Order.NEWEST_FIRST if self is ProductOrder.DEAREST else Order.OLDEST_FIRST


def products_of(slug: str, data: Data, *, shards: int) -> list[Run]:
    """Return the runs of a category's products by name, or by price of those that have one."""
    sort_key = keys.product if data is Data.PRICE else keys.by_name
    partitions = [keys.category_shard(slug, data, n) for n in range(shards)]
    return _by_data(partitions, lambda product_id: (keys.category(slug), sort_key(product_id)))


def categories_in_the_tree(*, shards: int) -> list[Run]:
    """Return the runs of all categories by name, each after its parent."""
    partitions = map(keys.tree_shard, range(shards))
    return _by_data(partitions, lambda slug: (keys.category(slug), keys.category(slug)))


def buyers_of(product_id: str, *, shards: int) -> list[Run]:
    """Return the runs of a product's purchases by time; a place ends in the user name."""
    partitions = [keys.buyers_shard(product_id, n) for n in range(shards)]
    return _by_data(partitions, lambda name: (keys.user(name), keys.bought(name, product_id)))


def purchases_of(username: str) -> Run:
    """Return the run of a user's purchases by time; a place ends in the product's id.

    They are in ``by_status`` with the user's orders, under their own prefix.
    """

    def table_key(position: Position) -> dict[str, str]:
        return {"sk": keys.bought(username, id_at(position.place))}

    name = ShopItem.by_status.Meta.index_name
    index = Index(TABLE, name, "pk", "order_status_date", table_key)
    return Run(index=index, partition=keys.user(username), prefix=BOUGHT)


def _by_data(partitions: Iterable[str], key_of: Callable[[str], tuple[str, str]]) -> list[Run]:
    """Return the runs of partitions; ``key_of`` derives a table key from the id in a place."""

    def table_key(position: Position) -> dict[str, str]:
        partition, sort_key = key_of(id_at(position.place))
        return {"pk": partition, "sk": sort_key}

    index = Index(TABLE, PLAN, "data_partition", "data", table_key)
    return [Run(index=index, partition=partition) for partition in partitions]
