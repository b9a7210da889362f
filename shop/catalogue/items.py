"""The items of the catalogue: products, categories and the edges between them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dynamo.lists.runs import timestamp
from shop import keys
from shop.catalogue.edge_keys import name_data, price_data, tree_data
from shop.models import Category, CategoryEdge, Description, Product, ProductEdge, TrailStep


@dataclass(frozen=True, slots=True)
class NewCategory:
    """A category before it has keys; ``slug`` is in its URL, ``parent`` is a slug too."""

    slug: str
    name: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class NewProduct:
    """A product before it has keys; ``currency`` is an ISO 4217 code.

    ``priced_at`` (aware) is the moment of the order that an import took the price from,
    ``external_id`` the product's id before the import, where it could not be kept.
    """

    id: str
    name: str
    category_slugs: tuple[str, ...]
    description: str = ""
    unit_price_cents: int | None = None
    currency: str | None = None
    priced_at: datetime | None = None
    external_id: str | None = None


def product_item(
    product: NewProduct,
    *,
    path: Iterable[NewCategory] = (),
    categories: Mapping[str, str] | None = None,
) -> Product:
    """Build a product's own item; ``path`` leads from the root to its category.

    ``categories`` are the names of all that have an edge to it, by slug.
    """
    key = keys.product(product.id)
    return Product(
        pk=key,
        sk=key,
        name=product.name,
        unit_price_cents=product.unit_price_cents,
        currency=product.currency,
        trail=_steps(path),
        categories=_steps(NewCategory(*each) for each in sorted((categories or {}).items())) or [],
        priced_at=product.priced_at and timestamp(product.priced_at),
        external_id=product.external_id,
    )


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

    An edge repeats what lists show. ``shards`` is the number of those of ``by_data``.
    """
    edges = []
    for slug in product.category_slugs:
        shown: dict[str, Any] = {
            "pk": keys.category(slug),
            "name": product.name,
            "unit_price_cents": product.unit_price_cents,
            "currency": product.currency,
        }
        price = price_data(slug, product.id, product.unit_price_cents, shards=shards)
        name = name_data(slug, product.id, product.name, shards=shards)
        by_id, by_name = keys.product(product.id), keys.by_name(product.id)
        edges.append(ProductEdge(sk=by_id, category=names[slug], **(shown | price)))
        edges.append(ProductEdge(sk=by_name, **(shown | name)))
    return edges


def category_item(path: Sequence[NewCategory], *, shards: int) -> Category:
    """Build the own item of the last category of a path from the root."""
    *parents, category = path
    key = keys.category(category.slug)
    data: dict[str, Any] = tree_data(category.slug, [step.name for step in path], shards=shards)
    return Category(
        pk=key,
        sk=key,
        name=category.name,
        trail=_steps(parents),
        **data,
    )


def parent_edge(path: Sequence[NewCategory]) -> CategoryEdge:
    """Build the edge to a category from its parent, or from the root for the front page."""
    category, parent = path[-1], path[-2] if len(path) > 1 else None
    return CategoryEdge(
        pk=keys.category(parent.slug) if parent else keys.ROOT,
        sk=keys.category(category.slug),
        name=category.name,
        category=parent.name if parent else None,
    )


def _steps(path: Iterable[NewCategory]) -> list[TrailStep] | None:
    steps = [TrailStep(slug=step.slug, name=step.name) for step in path]  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
    return steps or None


MOST_DEEP = 6
MOST_IN_ONE = 100
"""Children of one category: its page reads and links them all."""


class BrokenTree(ValueError):
    """A category's parent is missing, it is in itself or too deep, or it has too many children."""


@dataclass(frozen=True, slots=True)
class CategoryTree:
    """Categories by their slugs."""

    by_slug: Mapping[str, NewCategory]

    @classmethod
    def of(cls, categories: Iterable[NewCategory]) -> "CategoryTree":
        """Build a tree. Raises BrokenTree."""
        tree = cls({category.slug: category for category in categories})
        for slug in tree.by_slug:
            tree.path(slug)
        parents = Counter(category.parent for category in tree.by_slug.values() if category.parent)
        for slug, number in parents.items():
            if number > MOST_IN_ONE:
                sentence = f"The category {slug!r} holds {number} others, more than {MOST_IN_ONE}"
                raise BrokenTree(sentence)
        return tree

    @property
    def names(self) -> dict[str, str]:
        """The names of the categories, by slug."""
        return {slug: category.name for slug, category in self.by_slug.items()}

    def path(self, slug: str) -> tuple[NewCategory, ...]:
        """Return the categories from the root down to one. Raises BrokenTree."""
        path: list[NewCategory] = []
        step: str | None = slug
        while step is not None:
            if step not in self.by_slug:
                sentence = f"The category {slug!r} lies in {step!r}, which is not given"
                raise BrokenTree(sentence)
            path.append(self.by_slug[step])
            step = path[-1].parent
            if len(path) > MOST_DEEP:
                sentence = f"The category {slug!r} lies in itself, or deeper than {MOST_DEEP}"
                raise BrokenTree(sentence)
        return tuple(reversed(path))

    def deepest_path(self, slugs: Sequence[str]) -> tuple[NewCategory, ...]:
        """Return the (first) longest of several categories' paths, () for none."""
        return max(map(self.path, slugs), key=len, default=())
