"""Changes of products' names and prices: the own item, edges and copies in one transaction.

A price is in a product's own item, in two edges for each category, and in a key of one of them.
Edges put by other imports are looked up, so that no item keeps the old price.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from dynamo.calls.client import client, pool
from dynamo.items import Item
from dynamo.writes.transactions import write_together
from shop import keys
from shop.catalogue.category_tree import CategoryTree
from shop.catalogue.items import NewProduct, product_edges, product_item
from shop.catalogue.name_copies import rename_copies
from shop.catalogue.queries import Category, categories_of, edges_of
from shop.models import Product
from shop.table import put_of, read_items


def change_products(
    products: Sequence[NewProduct], stored: Mapping[str, Item], *, tree: CategoryTree, shards: int
) -> frozenset[str]:
    """Write new names and prices of stored products; return the ids of those changed.

    ``stored`` are the own items of those that exist, by id. Products that do not exist or do not
    differ are skipped. Edges from categories that a product does not name change as well. The index
    that finds edges lags: one put a moment ago may be missed, which the integrity check finds.
    Repeatable. Raises what `dynamo.writes.transactions` raises.
    """
    changed = [p for p in products if p.id in stored and shown(stored[p.id]) != shown_as(p)]
    pool().gather([partial(_change, p, stored[p.id], tree, shards) for p in changed])
    return frozenset(product.id for product in changed)


def stored_products(product_ids: Iterable[str]) -> dict[str, Item]:
    """Read products' own items, strongly; those that do not exist are left out."""
    own_keys = map(keys.product, product_ids)
    found = read_items((key, key) for key in own_keys)
    return {key.removeprefix(keys.PRODUCT_PREFIX): item for (key, _), item in found.items()}


def shown(item: Item) -> tuple[str, int | None, str | None]:
    """Return name, price in cents and currency from a product's item or edge."""
    cents: str | None = item.get("unit_price_cents", {}).get("N")
    currency: str | None = item.get("currency", {}).get("S")
    return item["name"]["S"], None if cents is None else int(cents), currency


def shown_as(product: NewProduct) -> tuple[str, int | None, str | None]:
    """Return name, price in cents and currency of a product, as `shown` does."""
    return product.name, product.unit_price_cents, product.currency


def product_node(product: NewProduct, tree: CategoryTree, stored: Item | None) -> Product:
    """Build a product's own item, with the categories of other imports in the one ``stored``."""
    others = {} if stored is None else names_of(categories_of(product.id, stored))
    own = {slug: tree.names[slug] for slug in product.category_slugs}
    path = tree.deepest_path(product.category_slugs)
    return product_item(product, path=path, categories={**others, **own})


def names_of(categories: Iterable[Category]) -> dict[str, str]:
    """Return the names of categories, by slug."""
    return {category.slug: category.name for category in categories}


def _change(product: NewProduct, stored: Item, tree: CategoryTree, shards: int) -> None:
    found = names_of(edges_of(product.id))
    everywhere = replace(
        product, category_slugs=tuple(dict.fromkeys([*product.category_slugs, *found]))
    )
    edges = product_edges(everywhere, names={**found, **tree.names}, shards=shards)
    node = product_node(product, tree, stored)
    copies = [] if product.name == stored["name"]["S"] else rename_copies(product.id, product.name)
    write_together(client(), [*(put_of(item) for item in (node, *edges)), *copies])
