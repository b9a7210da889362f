"""The transaction that writes a product with all that leads to it: edges, words, copied names.

Imports, the pages of staff and the worker write products by it. It fails where the product is not
stored as it was read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dynapages.items import Item, table_key
from dynapages.pynamodb import unchanged, update
from dynapages.writes import Action, delete
from shop import keys
from shop.catalogue.content import CategoryTree, NewProduct
from shop.catalogue.items import (
    EDGE_SHARDS,
    EDGES,
    all_products_keys,
    product_edges,
    product_item,
    word_items,
)
from shop.catalogue.stored import Stored, product_of
from shop.models import Product, ProductWord, ShopItem
from shop.table import TABLE, Key, key_of, put_of, set_or_remove

SHOWN = (
    Product.name,
    Product.unit_price_cents,
    Product.currency,
    Product.trail,
    Product.is_off,
    Product.rated,
    Product.stars,
)
"""What edges and words show of a product, and whether it has any."""
WRITTEN = (*SHOWN, Product.categories, Product.priced_at, Product.external_id)
"""What writers of a product's own item change."""
ALL_PRODUCTS_KEYS = Product.data_partition.attr_name, Product.data.attr_name
"""The attributes by which a product is among all."""

name_copies: set[Callable[[str, str], Sequence[Action]]] = set()
"""Each builds the actions that write a product's new name, by its id, into up to four copies.

A product that is off has the name ``""`` there. They are added where Django makes apps ready.
"""


def actions_of_change(
    product: NewProduct, stored: Stored[NewProduct] | None, tree: CategoryTree, shards: int
) -> list[Action]:
    """Build the transaction that writes a product with all that leads to it.

    The put of its own item comes first, and fails where that is not as ``stored``, or not missing.
    """
    # It is the comments' to change: what is stored stays.
    product = replace(product, rating=stored.content.rating if stored else None)
    own, leading = items_of(product, tree, shards)
    seen: Item = stored.node if stored else {}
    actions = [put_of(own, unchanged(seen, Product.pk, *WRITTEN))]
    actions += [put_of(item) for item in leading]
    # What leads to it and is not written again would lead to an old name or category.
    if stored:
        written = {(item.pk, item.sk) for item in leading}
        for key in sorted(_keys_leading_to(stored) - written):
            actions.append(delete(ShopItem, table_key(*key)))
    # Other apps keep copies of the name, such as rankings.
    if stored is None or stored.content.ranked_name != product.ranked_name:
        for actions_of_renaming in name_copies:
            actions += actions_of_renaming(product.id, product.ranked_name)
    return actions


def items_of(
    product: NewProduct, tree: CategoryTree, shards: int
) -> tuple[Product, list[ShopItem]]:
    """Build a product's own item, and what leads to it: its edges from categories, its words."""
    names = {slug: tree.by_slug[slug].name for slug in product.category_slugs}
    path = tree.deepest_path(product.category_slugs)
    own = product_item(product, path=path, categories=names, shards=shards)
    return own, [*product_edges(product, names=names, shards=shards), *word_items(own)]


def words_of(node: Item) -> dict[Key, ProductWord]:
    """Build the items by the words of a stored product's name, by their keys."""
    words = word_items(Product.from_raw_data({**node}))
    return {(word.pk, word.sk): word for word in words}


def edge_keys(slug: str, product_id: str) -> tuple[Key, Key]:
    """Return the keys of an edge from a category by product, and by name."""
    category = keys.category(slug)
    return (category, keys.product(product_id)), (category, keys.by_name(product_id))


def _keys_leading_to(stored: Stored[NewProduct]) -> set[Key]:
    """Return the keys of the edges and the words that lead to a product as it is stored."""
    item_keys = set(words_of(stored.node))
    for slug in stored.content.category_slugs:
        item_keys.update(edge_keys(slug, stored.content.id))
    return item_keys


# The keys by which a product is among all


def keys_among_all(node: Item) -> dict[str, str]:
    """Derive the keys by which a product is among all; {} for one that is off."""
    return all_products_keys(product_of(node), shards=EDGE_SHARDS)


def update_among_all(node: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update by which a product is among all, or is not, unless it changed."""
    # Readers must know of the shard before an item is in it.
    EDGES.writable()
    changes = set_or_remove(Product, ALL_PRODUCTS_KEYS, expected)
    same = unchanged(node, Product.pk, Product.name, Product.is_off, Product.data)
    return [update(TABLE, table_key(*key_of(node)), changes, same)]
