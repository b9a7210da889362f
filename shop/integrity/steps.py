"""The steps of ``migrate_items`` in the table ``shop``, in their order.

An edge is looked at after its category, a product after its edges, and a shelf after all of them.
"""

from collections.abc import Callable, Iterable, Sequence

from pynamodb.expressions.condition import Condition

from dynamo.items import Item, table_key
from dynamo.upkeep.integrity import Derived
from dynamo.upkeep.migrations import Step
from dynamo.writes.actions import Action, unchanged, update
from shop import keys
from shop.catalogue.category_tree import CategoryTree
from shop.catalogue.edge_keys import tree_data
from shop.catalogue.edge_shards import writable_shards
from shop.catalogue.items import NewCategory
from shop.catalogue.queries import category_of, edges_of, trail_in
from shop.catalogue.shelves import shelf_changes
from shop.integrity.catalogue import (
    SHOWN,
    _edge_keys,
    _expected_edges,
    _names_of,
    _product_key,
    derived_way,
    renewals,
)
from shop.integrity.checks import order_keys, order_summaries, purchase_keys
from shop.models import Category, Product, ProductEdge, ShopItem
from shop.pickup.writing import cap_changes
from shop.table import TABLE, key_of, put_of, read_items, unless_changed


def _step(
    name: str, sentence: str, only: Condition, derive: Callable[[Item], Sequence[Action]]
) -> Step:
    return Step(name, sentence, TABLE, keys.migration(name), only, derive)


def _changes(kind: Derived, item: Item) -> list[Action]:
    return kind.actions(item, kind.derive(item)) if any(kind.differences(item)) else []


def _purchase_changes(item: Item) -> list[Action]:
    return _changes(purchase_keys(writable_shards), item)


def _tree_changes(node: Item) -> list[Action]:
    """Build the update of a category that has no keys in ``by_data``; edges have none."""
    partition, sort_key = key_of(node)
    if partition != sort_key or Category.data.attr_name in node:
        return []
    names = [*(step.name for step in trail_in(node)), node["name"]["S"]]
    slug = partition.removeprefix(keys.CATEGORY_PREFIX)
    data = tree_data(slug, names, shards=writable_shards())
    changes = [Category.data_partition.set(data["data_partition"]), Category.data.set(data["data"])]
    same = unchanged(node, Category.name, Category.trail)
    return [update(Category, table_key(partition, sort_key), changes, same)]


def _shelf_changes(edge: Item) -> list[Action]:
    return shelf_changes(category_of(edge).slug, edge)


EDGE = (
    ProductEdge.pk,
    ProductEdge.name,
    ProductEdge.unit_price_cents,
    ProductEdge.currency,
    ProductEdge.category,
    ProductEdge.data,
)


def edge_changes(item: Item) -> list[Action]:
    """Build the puts of the edges of a product from a category that lists by price or name lack.

    Edges to a product that does not exist stay.
    """
    partition, sort_key = key_of(item)
    slug, product_id = partition.removeprefix(keys.CATEGORY_PREFIX), sort_key.partition("#")[2]
    edge = slug, product_id
    items = read_items([_product_key(edge), *_edge_keys(edge)])
    built = _expected_edges(edge, {}, writable_shards(), items)
    expected = {(each.pk, each.sk): each for each in built}
    lacking = [
        put_of(built, unchanged(items.get(key, {}), *EDGE))
        for key, built in expected.items()
        if key not in items or _is_unlisted(items[key], built)
    ]
    if not lacking:
        return []
    return [*lacking, unless_changed(_product_key(edge), items.get(_product_key(edge)), *SHOWN)]


def _is_unlisted(edge: Item, expected: ShopItem) -> bool:
    name = ProductEdge.data.attr_name
    return name not in edge and name in expected.serialize()


def way_changes(node: Item) -> list[Action]:
    """Build the update that adds the categories and trail that a product lacks.

    Its edges are found by an index, which lags behind the table by a moment, so that it knows no
    better than a product that has them.
    """
    if all(each.attr_name in node for each in (Product.categories, Product.trail)):
        return []
    product_id = node["pk"]["S"].removeprefix(keys.PRODUCT_PREFIX)
    edges = [(category.slug, product_id) for category in edges_of(product_id)]
    own_keys = [(keys.category(slug),) * 2 for slug, _ in edges]
    items = read_items([*(_edge_keys(edge)[0] for edge in edges), *own_keys])
    tree = _tree_of(items[key] for key in own_keys if key in items)
    attributes, built = derived_way(node, _names_of(node, edges, items, tree.names), tree)
    lacking = [each for each in attributes if each.attr_name not in node]
    return renewals(node, built, lacking) if lacking else []


def _tree_of(nodes: Iterable[Item]) -> CategoryTree:
    """Build the tree of some categories and of those above them."""
    found: dict[str, NewCategory] = {}
    for node in nodes:
        own = node["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX), node["name"]["S"]
        parent = None
        for slug, name in (*((step.slug, step.name) for step in trail_in(node)), own):
            found[slug] = NewCategory(slug, name, parent)
            parent = slug
    return CategoryTree(found)


STEPS = (
    _step(
        "order-keys",
        "Derive the keys that list orders by status and date.",
        ShopItem.pk.startswith(keys.USER_PREFIX) & ShopItem.sk.startswith(keys.ORDER_PREFIX),
        lambda item: _changes(order_keys(), item),
    ),
    _step(
        "purchase-keys",
        "List purchases by product and by user, for “also bought” and “verified purchase”.",
        ShopItem.pk.startswith(keys.USER_PREFIX) & ShopItem.sk.startswith(keys.BOUGHT_PREFIX),
        _purchase_changes,
    ),
    _step(
        "category-keys",
        "List categories in the tree of all categories.",
        ShopItem.pk.startswith(keys.CATEGORY_PREFIX) & ShopItem.sk.startswith(keys.CATEGORY_PREFIX),
        _tree_changes,
    ),
    _step(
        "edge-keys",
        "List the products of a category by price and by name.",
        ShopItem.pk.startswith(keys.CATEGORY_PREFIX) & ShopItem.sk.startswith(keys.PRODUCT_PREFIX),
        edge_changes,
    ),
    _step(
        "product-categories",
        "Store the categories of a product, and the way to it, with the product.",
        ShopItem.pk.startswith(keys.PRODUCT_PREFIX) & ShopItem.sk.startswith(keys.PRODUCT_PREFIX),
        way_changes,
    ),
    _step(
        "shelves",
        "Store the first products of each category of the front page with the category.",
        (ShopItem.pk == keys.ROOT) & ShopItem.sk.startswith(keys.CATEGORY_PREFIX),
        _shelf_changes,
    ),
    _step(
        "delivered-purchases",
        "Take purchases whose order was not delivered out of “also bought”.",
        ShopItem.pk.startswith(keys.USER_PREFIX) & ShopItem.sk.startswith(keys.BOUGHT_PREFIX),
        _purchase_changes,
    ),
    _step(
        "order-summaries",
        "Store with each order what lists show of its products.",
        ShopItem.pk.startswith(keys.USER_PREFIX) & ShopItem.sk.startswith(keys.ORDER_PREFIX),
        lambda item: _changes(order_summaries(), item),
    ),
    _step(
        "pickup-caps",
        "Store the pickup points near the poles in areas that are not narrow.",
        ShopItem.pk.startswith(keys.PICKUP_PREFIX),
        cap_changes,
    ),
)
