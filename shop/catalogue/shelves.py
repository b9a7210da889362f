"""The categories of the front page, each with its first products.

They are in the edge from the root to the category, so that one Query reads the front page.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from dynamo.calls.client import client
from dynamo.items import Item, Value, table_key
from dynamo.lists.reader import Page
from dynamo.writes.transactions import (
    ConditionFailed,
    Contended,
    set_or_remove,
    unchanged,
    update,
    write_one,
)
from shop import keys
from shop.catalogue.queries import Category, ProductTile, category_of, first_products, tile_of
from shop.models import CategoryEdge
from shop.table import Key, read_items

ON_A_SHELF = 6
"""Products shown of each category."""
ATTEMPTS = 5
SHELF = CategoryEdge.shelf.attr_name
_SHOWN = ("sk", "name", "unit_price_cents", "currency")


@dataclass(frozen=True, slots=True)
class Shelf:
    """A category with its first products."""

    category: Category
    products: tuple[ProductTile, ...]


def shelves_in(categories: Page) -> tuple[Shelf, ...]:
    """Return the categories of a page with their shelves."""
    edges = (entry.item for entry in categories.entries)
    return tuple(Shelf(category_of(edge), tuple(map(tile_of, items_on(edge)))) for edge in edges)


def put_shelf(slug: str, name: str = "") -> bool:
    """Derive a category's shelf, and put the category on the front page if it has a ``name``.

    Without one it must be there. Returns whether it is. Raises Contended, and botocore's errors.
    """
    key = root_key(slug)
    for _ in range(ATTEMPTS):
        stored = read_items([key]).get(key, {})
        if not stored and not name:
            return False
        shelf = shelf_of(first_products(slug, ON_A_SHELF))
        wanted = {"name": {"S": name} if name else stored["name"], SHELF: shelf}
        if wanted.items() <= stored.items():
            return True
        attributes = CategoryEdge.name, CategoryEdge.shelf
        changes = [set_or_remove(each, wanted[each.attr_name]) for each in attributes]
        same = unchanged(stored, CategoryEdge.pk, CategoryEdge.name, CategoryEdge.shelf)
        with suppress(ConditionFailed):
            write_one(client(), update(CategoryEdge, table_key(*key), changes, same))
            return True
    raise Contended("This category is being changed by others at the moment.")


def root_key(slug: str) -> Key:
    """Return the key of the edge from the root to a category."""
    return keys.ROOT, keys.category(slug)


def shelf_of(edges: Sequence[Item]) -> Value:
    """Build a category's shelf from the edges to its first products."""
    shown = ({name: edge[name] for name in _SHOWN if name in edge} for edge in edges)
    return {"L": [{"M": product} for product in shown]}


def items_on(edge: Item) -> list[Item]:
    """Return the products on the shelf of an edge from the root, as `tile_of` reads them."""
    return [product["M"] for product in edge.get(SHELF, {"L": []})["L"]]
