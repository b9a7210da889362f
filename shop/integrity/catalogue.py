"""Does the catalogue hold together? Its keys are derived again, and what edges show is compared.

Reads the whole table once, so it is for a command and never for a page. Products may change
meanwhile: what looks wrong is read again, strongly, before it is called a difference, and is
mended only if it has not changed since. This also gives edges their keys in ``by_data`` that were
put before there was that index.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from django.conf import settings

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.upkeep.differences import difference
from dynamo.upkeep.integrity import Difference, every_item
from shop import keys
from shop.catalogue.edge_keys import MOST_SHARDS, shard_in
from shop.catalogue.edge_shards import count_edge_shards, raise_edge_shards, writable_shards
from shop.integrity.categories import CategoriesFound
from shop.integrity.edge_items import PARTITION, TABLE
from shop.integrity.edges import EdgesFound
from shop.integrity.purchases import PurchasesFound


def catalogue_differences() -> Iterator[Difference]:
    """Compare categories, products, their edges and the purchases with what they should be."""
    found = _Found()
    for item in every_item(client(), TABLE):
        found.take(item)
    stored = count_edge_shards()
    if stored < found.shards:
        yield difference(
            "shards",
            "edges",
            {"number": stored},
            {"number": found.shards},
            repair=partial(raise_edge_shards, found.shards),
        )
    shards = max(stored, found.shards, settings.EDGE_SHARDS)
    for each in found.differences(shards):
        yield replace(each, mend=each.mend and partial(_mended, each.mend))


def _mended(mend: Callable[[], bool]) -> bool:
    """Tell the table of the shards that are about to be written to, and mend."""
    writable_shards()
    return mend()


@dataclass(slots=True)
class _Found:
    """What one reading of the table has seen."""

    categories: CategoriesFound = field(default_factory=CategoriesFound)
    edges: EdgesFound = field(default_factory=EdgesFound)
    purchases: PurchasesFound = field(default_factory=PurchasesFound)
    shards: int = 1

    def differences(self, shards: int) -> Iterator[Difference]:
        """Compare what was seen: first the categories, which the way to a product leads by."""
        yield from self.categories.differences(shards)
        yield from self.edges.differences(self.categories.tree(), shards)
        yield from self.purchases.differences(shards)

    def take(self, item: Item) -> None:
        partition, sort_key = item["pk"]["S"], item["sk"]["S"]
        shards = shard_in(item.get(PARTITION, {}).get("S", "")) + 1
        if shards <= MOST_SHARDS:
            self.shards = max(self.shards, shards)
        if partition.startswith(keys.CATEGORY_PREFIX):
            if sort_key.startswith(keys.CATEGORY_PREFIX):
                self.categories.take(item)
            else:
                self.edges.take(item)
        elif partition.startswith(keys.PRODUCT_PREFIX) and partition == sort_key:
            self.edges.take(item)
        elif sort_key.startswith(keys.BOUGHT_PREFIX):
            self.purchases.take(item)
