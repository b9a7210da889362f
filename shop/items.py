"""How the catalogue becomes items: the one place where their keys and edges are built."""

from collections.abc import Mapping
from dataclasses import dataclass

from shop import keys
from shop.models import Category, Description, Product, ProductEdge


@dataclass(frozen=True, slots=True)
class NewCategory:
    """A category, before it has keys. ``slug`` is what its URL shows."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class NewProduct:
    """A product, before it has keys. ``currency`` is an ISO 4217 code."""

    id: str
    name: str
    category_slugs: tuple[str, ...]
    description: str = ""
    unit_price_cents: int | None = None
    currency: str | None = None


def product_item(product: NewProduct) -> Product:
    """Build a product's own item."""
    key = keys.product(product.id)
    return Product(
        pk=key,
        sk=key,
        name=product.name,
        unit_price_cents=product.unit_price_cents,
        currency=product.currency,
    )


def description_item(product: NewProduct) -> Description | None:
    """Build the item of a product's description, if it has one."""
    if not product.description:
        return None
    return Description(
        pk=keys.product(product.id), sk=keys.description(product.id), text=product.description
    )


def product_edges(product: NewProduct, *, names: Mapping[str, str]) -> list[ProductEdge]:
    """Build a product's edges from its categories; ``names`` are the categories' by slug.

    An edge repeats what lists show, the product's name and price in one direction and the
    category's name in the other, so that neither list needs a second read.
    """
    return [
        ProductEdge(
            pk=keys.category(slug),
            sk=keys.product(product.id),
            category=names[slug],
            name=product.name,
            unit_price_cents=product.unit_price_cents,
            currency=product.currency,
        )
        for slug in product.category_slugs
    ]


def category_item(category: NewCategory) -> Category:
    """Build a category's own item."""
    key = keys.category(category.slug)
    return Category(pk=key, sk=key, name=category.name)


def root_edge(category: NewCategory) -> Category:
    """Build the edge by which the shop's front page finds a category."""
    return Category(pk=keys.ROOT, sk=keys.category(category.slug), name=category.name)
