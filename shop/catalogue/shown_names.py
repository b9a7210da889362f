"""Names of categories as pages show them: as they are stored, or in the language of the page.

A name is stored once, as the shop typed it. A page shows another one where an installed catalogue
of translations has one for both the category's slug and its name, in the context that
`translation_context` returns. So the sample shop has German names (`demo.sample.category_names`),
while a category that the shop renames, or makes, is shown as it is stored. Forms of staff and the
API have what is stored.
"""

from dataclasses import replace
from typing import TypeVar

from django.utils.translation import pgettext

from shop.catalogue.tiles import Category, CategoryNode, Product

AnyCategory = TypeVar("AnyCategory", bound=Category)


def translation_context(slug: str) -> str:
    """Return the context (``msgctxt``) that a category's name is translated in."""
    return f"category {slug}"


def shown_category(category: AnyCategory) -> AnyCategory:
    """Return a category with the name that a page in the active language shows."""
    name = pgettext(translation_context(category.slug), category.name)
    return replace(category, name=name)


def shown_node(node: CategoryNode) -> CategoryNode:
    """Return a category, those above it and those in it as a page shows them."""
    node = shown_category(node)
    trail = _shown_categories(node.trail)
    return replace(node, trail=trail, children=_shown_categories(node.children))


def shown_product(product: Product) -> Product:
    """Return a product with the categories that it is in as a page shows them."""
    trail = _shown_categories(product.trail)
    return replace(product, trail=trail, categories=_shown_categories(product.categories))


def _shown_categories(categories: tuple[Category, ...]) -> tuple[Category, ...]:
    return tuple(shown_category(category) for category in categories)
