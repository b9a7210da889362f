"""Parsing of Olist's products and categories.

Products have no names: they are named by their English category and the start of their id.
"""

from dataclasses import dataclass

from dynamo.files.records import Record
from shop.catalogue.items import NewCategory
from shop.catalogue.services import EVERYTHING_ELSE
from shop.imports.names import Names
from shop.imports.olist_fields import id_in, needed_in, text_in

_DIGITS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class OlistProduct:
    """A product; ``category`` is its Portuguese name, or empty."""

    id: str
    category: str


def read_product(record: Record, names: Names) -> OlistProduct:
    """Read a row of the products. Raises RowRefused."""
    return OlistProduct(
        id=names.product(needed_in(record, "product_id")),
        category=text_in(record, "product_category_name"),
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
