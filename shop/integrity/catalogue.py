"""The check of the catalogue: categories, the edges of products, and purchases.

It also adds the keys in ``by_data`` of edges that were put before there was that index.
"""

from collections.abc import Callable, Iterator, Mapping

from django.conf import settings

from dynamo.items import Item
from dynamo.upkeep.differences import confirmed
from dynamo.upkeep.integrity import Difference
from shop import keys
from shop.catalogue.edge_keys import MOST_SHARDS, shard_in
from shop.integrity.categories import CategoriesFound
from shop.integrity.comparing import PARTITION, too_few_shards
from shop.integrity.edges import EdgesFound
from shop.integrity.purchases import PurchasesFound
from shop.table import EDGES


class CatalogueCheck:
    """Compares categories, products, their edges and the purchases with what they should be."""

    def __init__(self) -> None:
        self._categories = CategoriesFound()
        self._edges = EdgesFound()
        self._purchases = PurchasesFound()
        self._shards = 1

    def takers(self) -> Mapping[tuple[str, str], Callable[[Item], None]]:
        return {
            ("", ""): self._take_shard,
            (keys.CATEGORY_PREFIX, keys.CATEGORY_PREFIX): self._categories.take,
            (keys.CATEGORY_PREFIX, keys.PRODUCT_PREFIX): self._edges.take,
            (keys.CATEGORY_PREFIX, keys.NAME_PREFIX): self._edges.take,
            (keys.PRODUCT_PREFIX, keys.PRODUCT_PREFIX): self._edges.take,
            (keys.USER_PREFIX, keys.BOUGHT_PREFIX): self._purchases.take,
            (keys.USER_PREFIX, keys.ORDER_PREFIX): self._purchases.take_order,
        }

    def differences(self) -> Iterator[Difference]:
        """Yield what differs: categories first, because the ways to products lead by them."""
        stored = EDGES.count()
        yield from too_few_shards("edges", stored, self._shards, EDGES.raise_to)
        shards = max(stored, self._shards, settings.EDGE_SHARDS)
        yield from self._categories.differences(shards)
        tree = self._categories.tree()
        yield from self._edges.differences(tree, shards)
        yield from confirmed(self._categories.shelf_suspects(self._edges.by_category(tree)))
        yield from self._purchases.differences(shards=shards)

    def _take_shard(self, item: Item) -> None:
        shards = shard_in(item.get(PARTITION, {}).get("S", "")) + 1
        if shards <= MOST_SHARDS:
            self._shards = max(self._shards, shards)
