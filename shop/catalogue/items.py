"""The items of the catalogue: products, categories and the edges between them.

Each function builds items of one kind from the values of `shop.catalogue.content`. An item that is
in the index ``by_data`` has its keys there in ``data_partition`` and ``data``.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dynapages.lists import SEPARATOR, timestamp
from shop import keys
from shop.catalogue.content import NewCategory, NewProduct, Rating
from shop.catalogue.names import PARENT_JOINT, WORD_JOINT, cut_name, fold_name
from shop.keys import shard_of
from shop.models import (
    Category,
    CategoryEdge,
    Description,
    Product,
    ProductEdge,
    ProductWord,
    TrailStep,
)
from shop.table import stored_shards

PRICE_DIGITS = 12
"""Of a price in cents, zeros first, so that strings sort as numbers."""
MOST_SHARDS = 64
"""The most that EDGE_SHARDS may be."""
EDGE_SHARDS = 2
"""That a category's products are spread over; fewer later lose nothing."""
EDGES = stored_shards("DATA", lambda: EDGE_SHARDS)
"""The shards of the index: an edge's follows from its id and their number."""
MOST_WORDS = 12
"""Of a name, that its product is found by: the first different ones, each of them an item."""


def index_keys(partition_key: str, sort_key: str) -> dict[str, Any]:
    """Return the attributes that put an item into the index ``by_data``."""
    return {"data_partition": partition_key, "data": sort_key}


def shard_in(partition_key: str) -> int:
    """Return the shard in a partition key of ``by_data``, 0 for other text."""
    number = partition_key.rpartition(SEPARATOR)[2]
    return int(number) if number.isascii() and number.isdecimal() else 0


# Products


def product_item(
    product: NewProduct,
    *,
    path: Iterable[NewCategory] = (),
    categories: Mapping[str, str] | None = None,
    shards: int = 1,
) -> Product:
    """Build a product's own item; ``path`` leads from the root to its category.

    ``categories`` are the names of all that have an edge to it, by slug. ``shards`` is the number
    of those of ``by_data``.
    """
    key = keys.product(product.id)
    all_categories = [NewCategory(slug, name) for slug, name in sorted((categories or {}).items())]
    return Product(
        pk=key,
        sk=key,
        name=product.name,
        unit_price_cents=product.unit_price_cents,
        currency=product.currency,
        trail=_steps(path) or None,
        categories=_steps(all_categories),
        priced_at=timestamp(product.priced_at) if product.priced_at else None,
        external_id=product.external_id,
        is_off=product.is_off or None,
        **rating_attributes(product.rating),
        **all_products_keys(product, shards=shards),
    )


def all_products_keys(product: NewProduct, *, shards: int) -> dict[str, Any]:
    """Return the keys of a product's own item in ``by_data``, among all products by name.

    {} if it is off.
    """
    if product.is_off:
        return {}
    partition_key = keys.products_shard(shard_of(product.id, shards))
    return index_keys(partition_key, _sort_key_by_name(product))


def rating_attributes(rating: Rating | None) -> dict[str, Any]:
    """Return the attributes of a rating, where products are listed; {} without one."""
    if rating is None:
        return {}
    return {"rated": rating.count, "stars": rating.stars}


def description_item(product: NewProduct) -> Description | None:
    """Build the item of a product's description, if it has one."""
    if not product.description:
        return None
    return Description(
        pk=keys.product(product.id), sk=keys.description(product.id), text=product.description
    )


def product_edges(
    product: NewProduct, *, names: Mapping[str, str], shards: int
) -> list[ProductEdge]:
    """Build a product's edges from its categories; ``names`` are the categories' by slug.

    Each category has two: one by the product's id, which is in ``by_data`` by price, and one by its
    name. A product that is off has none. An edge repeats what lists show. ``shards`` is the number
    of those of ``by_data``.
    """
    edges: list[ProductEdge] = []
    if product.is_off:
        return edges
    for slug in product.category_slugs:
        shard = shard_of(product.id, shards)
        by_name = index_keys(keys.category_shard(slug, "NAME", shard), _sort_key_by_name(product))
        by_price: dict[str, Any] = {}
        if product.unit_price_cents is not None:
            price = f"{product.unit_price_cents:0{PRICE_DIGITS}}"
            by_price = index_keys(
                keys.category_shard(slug, "PRICE", shard), f"{price}{SEPARATOR}{product.id}"
            )
        shown: dict[str, Any] = {
            "pk": keys.category(slug),
            "name": product.name,
            "unit_price_cents": product.unit_price_cents,
            "currency": product.currency,
            **rating_attributes(product.rating),
        }
        by_id = ProductEdge(sk=keys.product(product.id), category=names[slug], **shown, **by_price)
        edges += [by_id, ProductEdge(sk=keys.by_name(product.id), **shown, **by_name)]
    return edges


def word_items(node: Product) -> list[ProductWord]:
    """Build what a product's own item is found by: an item for each word of its name.

    A product that is off has none.
    """
    if node.is_off:
        return []
    name = fold_name(node.name)
    different = dict.fromkeys(word for word in name.split(WORD_JOINT) if word)
    words = sorted(list(different)[:MOST_WORDS])
    product_id = node.pk.removeprefix(keys.PRODUCT_PREFIX)
    items = []
    before = None
    # A search shows a product by the first word that it finds: each item names the one before it.
    for word in words:
        sorted_by = cut_name(f"{word}{PARENT_JOINT}{name}")
        item = ProductWord(
            pk=keys.words(word),
            sk=f"{sorted_by}{SEPARATOR}{product_id}",
            name=node.name,
            unit_price_cents=node.unit_price_cents,
            currency=node.currency,
            trail=node.trail,
            words="".join(f"{WORD_JOINT}{each}" for each in words),
            before=before,
            rated=node.rated,
            stars=node.stars,
        )
        items.append(item)
        before = word
    return items


def _sort_key_by_name(product: NewProduct) -> str:
    """Return the sort key of lists by name: the folded name, and then the id."""
    return f"{fold_name(product.name)}{SEPARATOR}{product.id}"


# Categories


def category_item(path: Sequence[NewCategory], *, shards: int) -> Category:
    """Build the own item of the last category of a path from the root.

    One that is off is not in the index of all categories.
    """
    *parents, category = path
    key = keys.category(category.slug)
    attributes: dict[str, Any]
    if category.is_off:
        attributes = {"is_off": True}
    else:
        # With the names of its parents, so that it sorts behind them.
        names = cut_name(PARENT_JOINT.join(fold_name(step.name) for step in path))
        partition_key = keys.tree_shard(shard_of(category.slug, shards))
        attributes = index_keys(partition_key, f"{names}{SEPARATOR}{category.slug}")
    return Category(pk=key, sk=key, name=category.name, trail=_steps(parents) or None, **attributes)


def parent_edge(path: Sequence[NewCategory]) -> CategoryEdge:
    """Build the edge to a category from its parent, or from the root for the front page."""
    category = path[-1]
    parent = path[-2] if len(path) > 1 else None
    return CategoryEdge(
        pk=keys.category(parent.slug) if parent else keys.ROOT,
        sk=keys.category(category.slug),
        name=category.name,
        category=parent.name if parent else None,
    )


def _steps(path: Iterable[NewCategory]) -> list[TrailStep]:
    """Build the stored form of a list of categories."""
    return [TrailStep(slug=step.slug, name=step.name) for step in path]  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
