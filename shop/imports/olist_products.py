"""Parsing of Olist's products and categories.

Products have no names: they are named by their English category and the start of their id.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dynamo.files.records import Record
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.services import EVERYTHING_ELSE
from shop.imports.olist import CURRENCY
from shop.imports.olist_fields import id_in, text_in

_DIGITS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class OlistProduct:
    """A product; ``category`` is its Portuguese name, or empty."""

    id: str
    category: str


def read_product(record: Record) -> OlistProduct:
    """Read a row of the products. Raises RowRefused."""
    return OlistProduct(
        id=id_in(record, "product_id"), category=text_in(record, "product_category_name")
    )


def read_category(record: Record) -> tuple[str, NewCategory]:
    """Read the Portuguese name and the category of a row. Raises RowRefused."""
    english = id_in(record, "product_category_name_english")
    name = english.replace("_", " ").capitalize()
    category = NewCategory(slug=english.replace("_", "-").lower(), name=name)
    return id_in(record, "product_category_name"), category


def product_name(product_id: str, category: NewCategory) -> str:
    """Return the name of a product."""
    noun = "Product" if category == EVERYTHING_ELSE else category.name
    return f"{noun} {product_id[:_DIGITS_SHOWN]}"


def new_product(product_id: str, category: NewCategory, *, price_cents: int | None) -> NewProduct:
    """Build a product; without a price it was never ordered."""
    return NewProduct(
        id=product_id,
        name=product_name(product_id, category),
        category_slugs=(category.slug,),
        unit_price_cents=price_cents,
        currency=None if price_cents is None else CURRENCY,
    )


def categories_by_product(
    product_ids: Iterable[str],
    *,
    products: Mapping[str, OlistProduct],
    categories: Mapping[str, NewCategory],
) -> dict[str, NewCategory]:
    """Return the category of each product, “Everything else” without one."""
    names = {product_id: _category_of(products.get(product_id)) for product_id in product_ids}
    return {product_id: categories.get(name, EVERYTHING_ELSE) for product_id, name in names.items()}


def _category_of(product: OlistProduct | None) -> str:
    return "" if product is None else product.category
