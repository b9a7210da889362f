"""Changes of stored products: the own item, edges and copies in one transaction.

A price is in a product's own item, in two edges for each category, and in a key of one of them.
The own item lists the categories of those edges. It is written before them or together with them,
so it tells which edges there may be.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from dynamo.calls.client import client, pool
from dynamo.items import Item, table_key
from dynamo.writes.actions import Action, delete, unchanged
from dynamo.writes.transactions import ConditionFailed, Contended, write_together
from shop import keys
from shop.catalogue.category_tree import CategoryTree
from shop.catalogue.items import NewProduct, product_edges, product_item
from shop.catalogue.name_copies import rename_copies
from shop.catalogue.queries import CATEGORIES, steps_in
from shop.models import Product, ShopItem
from shop.table import put_of, read_items

ATTEMPTS = 5


def change_products(
    products: Sequence[NewProduct], stored: Mapping[str, Item], *, tree: CategoryTree, shards: int
) -> dict[str, frozenset[str]]:
    """Write new names, prices and categories of stored products.

    ``stored`` are the own items of those that exist, by id. Products that do not exist or do not
    differ are skipped. Returns the slugs of the categories that each changed product was in, by
    its id. Repeatable. Raises Contended, and what `dynamo.writes.transactions` raises.
    """
    changed = [p for p in products if p.id in stored and not is_as_stored(p, stored[p.id])]
    were_in = pool().gather([partial(_change, p, stored[p.id], tree, shards) for p in changed])
    return {product.id: slugs for product, slugs in zip(changed, were_in, strict=True)}


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


def is_as_stored(product: NewProduct, stored: Item) -> bool:
    """Return whether a product has the name, price, currency and categories of its own item."""
    own = product.name, product.unit_price_cents, product.currency
    return shown(stored) == own and slugs_of(stored) == set(product.category_slugs)


def slugs_of(stored: Item) -> frozenset[str]:
    """Return the slugs of the categories that a stored product is in."""
    return frozenset(category.slug for category in steps_in(stored, CATEGORIES))


def product_node(product: NewProduct, tree: CategoryTree) -> Product:
    """Build a product's own item."""
    names = {slug: tree.names[slug] for slug in product.category_slugs}
    path = tree.deepest_path(product.category_slugs)
    return product_item(product, path=path, categories=names)


def _change(product: NewProduct, stored: Item, tree: CategoryTree, shards: int) -> frozenset[str]:
    seen: Item | None = stored
    for _ in range(ATTEMPTS):
        was_in = slugs_of(seen) if seen else frozenset()
        left = sorted(was_in - set(product.category_slugs))
        same = unchanged(seen or {}, Product.pk, Product.name, Product.categories)
        node = put_of(product_node(product, tree), same)
        edges = product_edges(product, names=tree.names, shards=shards)
        is_named = seen is not None and seen["name"]["S"] == product.name
        copies = [] if is_named else rename_copies(product.id, product.name)
        try:
            write_together(client(), [node, *map(put_of, edges), *_gone(product.id, left), *copies])
        except ConditionFailed:
            seen = stored_products([product.id]).get(product.id)
            continue
        return was_in
    raise Contended("This product is being changed by others at the moment.")


def _gone(product_id: str, slugs: Iterable[str]) -> list[Action]:
    both = (keys.product(product_id), keys.by_name(product_id))
    return [delete(ShopItem, table_key(keys.category(slug), key)) for slug in slugs for key in both]
