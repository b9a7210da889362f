"""The steps of ``migrate_items`` in the table ``shop``, in their order.

An edge is looked at after its category, a product after its edges, and a shelf after all of them.
"""

from collections.abc import Callable, Sequence

from pynamodb.expressions.condition import Condition

from dynamo.items import Item, table_key
from dynamo.upkeep.migrations import Step
from dynamo.writes.actions import Action, unchanged, update
from shop import keys
from shop.catalogue.edge_keys import tree_data
from shop.catalogue.queries import category_of, trail_in
from shop.catalogue.shelves import shelf_changes
from shop.integrity.edges import edge_changes, way_changes
from shop.integrity.orders import order_keys
from shop.integrity.purchases import purchase_keys
from shop.integrity.summaries import summary_changes
from shop.models import Category, ShopItem
from shop.pickup.writing import cap_changes
from shop.table import EDGES, TABLE, key_of


def _step(
    name: str, sentence: str, only: Condition, derive: Callable[[Item], Sequence[Action]]
) -> Step:
    return Step(name, sentence, TABLE, keys.migration(name), only, derive)


def _purchase_changes(item: Item) -> list[Action]:
    return purchase_keys().changes(item, shards=EDGES.writable())


def _tree_changes(node: Item) -> list[Action]:
    """Build the update of a category that has no keys in ``by_data``; edges have none."""
    partition, sort_key = key_of(node)
    if partition != sort_key or Category.data.attr_name in node:
        return []
    names = [*(step.name for step in trail_in(node)), node["name"]["S"]]
    slug = partition.removeprefix(keys.CATEGORY_PREFIX)
    data = tree_data(slug, names, shards=EDGES.writable())
    changes = [Category.data_partition.set(data["data_partition"]), Category.data.set(data["data"])]
    same = unchanged(node, Category.name, Category.trail)
    return [update(Category, table_key(partition, sort_key), changes, same)]


def _shelf_changes(edge: Item) -> list[Action]:
    return shelf_changes(category_of(edge).slug, edge)


STEPS = (
    _step(
        "order-keys",
        "Derive the keys that list orders by status and date.",
        ShopItem.pk.startswith(keys.USER_PREFIX) & ShopItem.sk.startswith(keys.ORDER_PREFIX),
        order_keys().changes,
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
        summary_changes,
    ),
    _step(
        "pickup-caps",
        "Store the pickup points near the poles in areas that are not narrow.",
        ShopItem.pk.startswith(keys.PICKUP_PREFIX),
        cap_changes,
    ),
)
