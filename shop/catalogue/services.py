"""Writes of many products and categories at once, as imports do; repeatable."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from dynapages.calls import Batches
from dynapages.process import client, pool
from dynapages.writes import ConditionFailed, Contended, write_transaction
from shop.catalogue.changes import actions_of_change, items_of
from shop.catalogue.content import CategoryTree, NewCategory, NewProduct
from shop.catalogue.items import EDGES, category_item, description_item, parent_edge
from shop.catalogue.shelves import put_shelf, put_shelves
from shop.catalogue.stored import Stored, category_key, stored_products
from shop.catalogue.tiles import OFF
from shop.models import ShopItem
from shop.table import TABLE, put_of, read_items

ATTEMPTS = 5
EVERYTHING_ELSE = NewCategory(slug="everything-else", name="Everything else")
"""The category of imported products that the catalogue does not know."""


def put_catalogue(*, categories: Sequence[NewCategory], products: Sequence[NewProduct]) -> None:
    """Put a whole catalogue, replacing products and categories with the same ids.

    A product's categories and a category's parents must be among ``categories``. A stored product
    that differs changes in one transaction with its edges. Other products and categories stay. The
    edges of the root come last, so that the front page shows complete categories alone.

    Repeatable. Raises BrokenTree before anything is written, and what `dynapages.calls.batches`
    and `dynapages.writes.transactions` raise.
    """
    # What lists show may be in many places; what they do not show is one item, put in a batch.
    tree = CategoryTree.of(categories)
    shards = EDGES.writable()
    stored = stored_products(product.id for product in products)
    changes = []
    same: list[NewProduct] = []
    for product in products:
        before = stored.get(product.id)
        if before is None:
            same.append(product)
            continue
        new = product.keep_unimported(before.content)
        if before.content.shown == product.shown:
            same.append(new)
        else:
            changes.append(partial(_change_product, new, before, tree, shards))
    left_slugs: set[str] = set()
    for slugs in pool().gather(changes):
        left_slugs.update(slugs)
    _put_products(same, tree, shards, descriptions_of=products)
    _put_categories(tree, shards)
    # What changed may have left the shelves of other categories.
    put_shelves(left_slugs - tree.by_slug.keys())


def ensure_products(
    product_ids: Iterable[str],
    *,
    originals: Mapping[str, str] = MappingProxyType({}),
    names: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Create missing products; return how many were created.

    ``originals`` are the ids of other systems that could not be kept, by those they were mapped to.
    A product that has none of the ``names`` is named by that, or by its id. They go into the
    category “Everything else”. Existing products are left unchanged. Repeatable.
    """
    # Most exist: only what is missing costs more than a read.
    ids = set(product_ids)
    missing = sorted(ids - stored_products(ids).keys())
    if not missing:
        return 0
    tree = CategoryTree.of([EVERYTHING_ELSE])
    shards = EDGES.writable()
    _put_categories(tree, shards)
    products: list[NewProduct] = []
    for product_id in missing:
        original = originals.get(product_id)
        product = NewProduct(
            id=product_id,
            name=names.get(product_id) or original or product_id,
            category_slugs=(EVERYTHING_ELSE.slug,),
            external_id=original,
        )
        products.append(product)

    def create(product: NewProduct) -> bool:
        return _create_product(product, tree, shards)

    created = pool().map(create, products)
    put_shelf(EVERYTHING_ELSE.slug)
    return created.count(True)


# Products


def _change_product(
    product: NewProduct, stored: Stored[NewProduct], tree: CategoryTree, shards: int
) -> Sequence[str]:
    """Write a product's new name, price and categories; return the slugs that it was in.

    Raises Contended, and what `dynapages.writes.transactions` raises.
    """
    before: Stored[NewProduct] | None = stored
    for _attempt in range(ATTEMPTS):
        new = product.keep_unimported(before.content) if before else product
        with suppress(ConditionFailed):
            write_transaction(client(), actions_of_change(new, before, tree, shards))
            return before.content.category_slugs if before else ()
        before = stored_products([product.id]).get(product.id)
    raise Contended("This product is being changed by others at the moment.")


def _create_product(product: NewProduct, tree: CategoryTree, shards: int) -> bool:
    """Write a product unless there is one with its id; return whether it was written."""
    own, leading = items_of(product, tree, shards)
    actions = [put_of(own, ShopItem.pk.does_not_exist())]
    actions += [put_of(item) for item in leading]
    try:
        write_transaction(client(), actions)
    except ConditionFailed:
        return False
    return True


def _put_products(
    products: Iterable[NewProduct],
    tree: CategoryTree,
    shards: int,
    *,
    descriptions_of: Iterable[NewProduct],
) -> None:
    """Put products in batches, each kind of items after the one that it leads to."""
    own_items: list[ShopItem] = []
    leading_items: list[ShopItem] = []
    for product in products:
        own, leading = items_of(product, tree, shards)
        own_items.append(own)
        leading_items += leading
    descriptions = [description_item(product) for product in descriptions_of]
    _put_items(own_items)
    _put_items([item for item in descriptions if item])
    _put_items(leading_items)


# Categories


def _put_categories(tree: CategoryTree, shards: int) -> None:
    """Put the categories of a tree, and the edges to them; those that are off stay off."""
    # An import does not know which categories staff have hidden.
    by_slug = {}
    stored = read_items(category_key(slug) for slug in tree.by_slug)
    for slug, category in tree.by_slug.items():
        is_off = OFF in stored.get(category_key(slug), {})
        by_slug[slug] = replace(category, is_off=is_off)
    paths = [CategoryTree(by_slug).path(slug) for slug in by_slug]
    _put_items([category_item(path, shards=shards) for path in paths])
    edges: list[ShopItem] = []
    on_front_page: list[NewCategory] = []
    for path in paths:
        if path[-1].is_off:
            continue
        if len(path) > 1:
            edges.append(parent_edge(path))
        else:
            on_front_page.append(path[0])
    _put_items(edges)
    pool().map(_put_shelf_of, on_front_page)


def _put_shelf_of(category: NewCategory) -> None:
    put_shelf(category.slug, category.name)


def _put_items(items: Sequence[ShopItem]) -> None:
    Batches(client(), pool()).put(TABLE, [item.serialize() for item in items])
