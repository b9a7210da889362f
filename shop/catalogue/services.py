"""Writes of the catalogue."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.writes.transactions import ConditionFailed, write_together
from shop.catalogue.category_tree import CategoryTree
from shop.catalogue.changes import change_products, product_node, stored_products
from shop.catalogue.edge_keys import EDGES
from shop.catalogue.items import (
    NewCategory,
    NewProduct,
    category_item,
    description_item,
    parent_edge,
    product_edges,
)
from shop.catalogue.shelves import put_shelf
from shop.models import ShopItem
from shop.table import TABLE, put_of

EVERYTHING_ELSE = NewCategory(slug="everything-else", name="Everything else")
"""The category of imported products that the catalogue does not know."""


def put_catalogue(*, categories: Sequence[NewCategory], products: Sequence[NewProduct]) -> None:
    """Put a whole catalogue, replacing products and categories with the same ids.

    A product's categories and a category's parents must be among ``categories``. A stored product
    with another name or price, or in other categories, changes in one transaction with its edges,
    and leaves the categories it does not name any more. Other products and categories stay. The
    edges of the root come last, so that the front page shows complete categories alone.

    Repeatable. Raises BrokenTree before anything is written, and what `dynamo.calls.batches`
    and `dynamo.writes.transactions` raise.
    """
    tree = CategoryTree.of(categories)
    shards = EDGES.writable()
    stored = stored_products(product.id for product in products)
    changed = change_products(products, stored, tree=tree, shards=shards)
    others = [product for product in products if product.id not in changed]
    _put([product_node(product, tree) for product in others])
    _put([item for item in map(description_item, products) if item])
    _put([e for p in others for e in product_edges(p, names=tree.names, shards=shards)])
    _put_categories(tree, shards)
    # What changed may have left the shelves of other categories.
    left = frozenset().union(*changed.values()) - tree.by_slug.keys()
    pool().gather([partial(put_shelf, slug) for slug in sorted(left)])


def ensure_products(
    product_ids: Iterable[str], *, originals: Mapping[str, str] = MappingProxyType({})
) -> int:
    """Create missing products, named by their ids; return how many were created.

    ``originals`` are the ids of other systems that could not be kept, by those they were mapped to;
    such a product is named by that. They go into the category “Everything else”, each with its
    edges in one transaction. Existing products are left unchanged, also those created meanwhile.
    Repeatable.
    """
    wanted = sorted(set(product_ids))
    stored = stored_products(wanted)
    missing = [product_id for product_id in wanted if product_id not in stored]
    if not missing:
        return 0
    tree, shards = CategoryTree.of([EVERYTHING_ELSE]), EDGES.writable()
    _put_categories(tree, shards)
    created = pool().gather([partial(_create, p, originals.get(p), tree, shards) for p in missing])
    put_shelf(EVERYTHING_ELSE.slug)
    return sum(created)


def _create(product_id: str, original: str | None, tree: CategoryTree, shards: int) -> bool:
    product = NewProduct(
        id=product_id,
        name=original or product_id,
        category_slugs=(EVERYTHING_ELSE.slug,),
        external_id=original,
    )
    edges = product_edges(product, names=tree.names, shards=shards)
    node = put_of(product_node(product, tree), ShopItem.pk.does_not_exist())
    try:
        write_together(client(), [node, *map(put_of, edges)])
    except ConditionFailed:
        return False
    return True


def _put_categories(tree: CategoryTree, shards: int) -> None:
    paths = [tree.path(slug) for slug in tree.by_slug]
    _put([category_item(path, shards=shards) for path in paths])
    _put([parent_edge(path) for path in paths if len(path) > 1])
    roots = [path[0] for path in paths if len(path) == 1]
    pool().gather([partial(put_shelf, root.slug, root.name) for root in roots])


def _put(items: Sequence[ShopItem]) -> None:
    Batches(client(), pool()).put(TABLE, [item.serialize() for item in items])
