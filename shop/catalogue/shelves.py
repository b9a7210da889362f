"""The categories of the front page with their first products."""

from dataclasses import dataclass
from functools import partial

from dynamo.calls.client import pool
from dynamo.lists.reader import Page, PageRequest
from shop.catalogue.queries import Category, ProductTile, category_of, list_products, tile_of


@dataclass(frozen=True, slots=True)
class Shelf:
    """A category with its first products."""

    category: Category
    products: tuple[ProductTile, ...]


def shelve(categories: Page, *, products: int) -> tuple[Shelf, ...]:
    """Read the first products of each category of a page, all at once."""
    found = [category_of(entry.item) for entry in categories.entries]
    firsts = pool().gather(
        [
            partial(list_products, category.slug, PageRequest(products), look_ahead=False)
            for category in found
        ]
    )
    return tuple(
        Shelf(category, tuple(tile_of(entry.item) for entry in page.entries))
        for category, page in zip(found, firsts, strict=True)
    )
