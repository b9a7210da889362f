"""Writes of the catalogue."""

from collections.abc import Iterable, Sequence
from functools import partial

from dynamo.batches import Batches
from dynamo.client import client, pool
from dynamo.runs import Item
from dynamo.transactions import ConditionFailed, write_together
from shop import keys
from shop.items import (
    NewCategory,
    NewProduct,
    category_item,
    description_item,
    product_edges,
    product_item,
    root_edge,
)
from shop.models import ShopItem

TABLE = ShopItem.Meta.table_name
EVERYTHING_ELSE = NewCategory(slug="everything-else", name="Everything else")
"""Where products go that an import names and the catalogue does not know."""


def put_catalogue(*, categories: Sequence[NewCategory], products: Sequence[NewProduct]) -> None:
    """Put a whole catalogue, replacing products and categories with the same ids.

    A product's categories must be among ``categories``. The edges of the root come last: a
    category is on the front page only when all that is in it is there. Products and edges that
    this catalogue does not name stay. Repeatable; raises what `dynamo.batches.Batches` does.
    """
    names = {category.slug: category.name for category in categories}
    nodes = [product_item(product) for product in products]
    descriptions = [description_item(product) for product in products]
    edges = [edge for product in products for edge in product_edges(product, names=names)]
    _put([*nodes, *filter(None, descriptions)])
    _put(edges)
    _put([category_item(category) for category in categories])
    _put([root_edge(category) for category in categories])


def ensure_products(*, product_ids: Iterable[str]) -> int:
    """Create the products that do not exist, named by their ids, and say how many those were.

    They go into the category “Everything else”. A product that exists is left as it is, even
    when another process creates it meanwhile. Product and edge are one transaction, so that no
    interruption leaves a product that no category leads to. Repeatable.
    """
    missing = _missing(sorted(set(product_ids)))
    if not missing:
        return 0
    _put([category_item(EVERYTHING_ELSE)])
    _put([root_edge(EVERYTHING_ELSE)])
    created = pool().gather([partial(_create, product_id) for product_id in missing])
    return sum(created)


def _missing(product_ids: Sequence[str]) -> list[str]:
    wanted = {keys.product(product_id): product_id for product_id in product_ids}
    table_keys = [{"pk": {"S": key}, "sk": {"S": key}} for key in wanted]
    found = {item["pk"]["S"] for item in _batches().get(TABLE, table_keys)}
    return [product_id for key, product_id in wanted.items() if key not in found]


def _create(product_id: str) -> bool:
    product = NewProduct(id=product_id, name=product_id, category_slugs=(EVERYTHING_ELSE.slug,))
    (edge,) = product_edges(product, names={EVERYTHING_ELSE.slug: EVERYTHING_ELSE.name})
    operations = [
        {
            "Put": {
                "TableName": TABLE,
                "Item": product_item(product).serialize(),
                "ConditionExpression": "attribute_not_exists(pk)",
            }
        },
        {"Put": {"TableName": TABLE, "Item": edge.serialize()}},
    ]
    try:
        write_together(client(), operations)
    except ConditionFailed:
        return False
    return True


def _put(items: Sequence[ShopItem]) -> None:
    serialized: list[Item] = [item.serialize() for item in items]
    _batches().put(TABLE, serialized)


def _batches() -> Batches:
    return Batches(client(), pool())
