"""The shelves of the front page: categories of the root, each with its first products.

A shelf is stored in the edge from the root to its category, so that one query reads them all. It is
derived from the category's first edges whenever products of the category change.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from dynapages.items import Item, Value, table_key
from dynapages.lists import Page
from dynapages.process import client, pool
from dynapages.pynamodb import set_or_remove, unchanged, update
from dynapages.writes import ConditionFailed, Contended, write_item
from shop import keys
from shop.catalogue.queries import first_edges
from shop.catalogue.shown_names import shown_category
from shop.catalogue.tiles import Category, ProductTile, category_of, tile_of
from shop.models import CategoryEdge
from shop.table import Key, read_items

SHELF_LENGTH = 6
"""Products shown of each category."""
ATTEMPTS = 5
SHELF = CategoryEdge.shelf.attr_name
STORED_OF_A_PRODUCT = ("sk", "name", "unit_price_cents", "currency", "rated", "stars")
"""The attributes of an edge that a shelf repeats."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """A category with its first products."""

    category: Category
    products: tuple[ProductTile, ...]


# Reading


def shelves_in(categories: Page) -> tuple[Shelf, ...]:
    """Return the categories of a page of edges from the root with their shelves, as shown."""
    shelves = []
    for entry in categories.entries:
        category = shown_category(category_of(entry.item))
        tiles = [tile_of(item, (category,)) for item in items_on(entry.item)]
        shelves.append(Shelf(category, tuple(tiles)))
    return tuple(shelves)


def items_on(edge: Item) -> list[Item]:
    """Return the products on the shelf of an edge from the root, as `tile_of` reads them."""
    if SHELF not in edge:
        return []
    return [product["M"] for product in edge[SHELF]["L"]]


# Writing


def put_shelf(slug: str, name: str = "") -> bool:
    """Derive a category's shelf, and put the category on the front page if it has a ``name``.

    Without one it must be there. Returns whether it is. Raises Contended, and botocore's errors.
    """
    key = root_key(slug)
    for _attempt in range(ATTEMPTS):
        stored = read_items([key]).get(key, {})
        if not stored and not name:
            return False
        # Read behind the edge, so that a write in between fails the condition below.
        expected = {
            "name": {"S": name} if name else stored["name"],
            SHELF: shelf_of(first_edges(slug, SHELF_LENGTH)),
        }
        if expected.items() <= stored.items():
            return True
        attributes = CategoryEdge.name, CategoryEdge.shelf
        changes = [set_or_remove(each, expected[each.attr_name]) for each in attributes]
        same = unchanged(stored, CategoryEdge.pk, CategoryEdge.name, CategoryEdge.shelf)
        with suppress(ConditionFailed):
            write_item(client(), update(CategoryEdge, table_key(*key), changes, same))
            return True
    raise Contended("This category is being changed by others at the moment.")


def put_shelves(slugs: Iterable[str]) -> None:
    """Derive the shelves of those of some categories that the front page has."""
    pool().map(put_shelf, sorted(slugs))


def root_key(slug: str) -> Key:
    """Return the key of the edge from the root to a category."""
    return keys.ROOT, keys.category(slug)


def shelf_of(edges: Sequence[Item]) -> Value:
    """Build the value of a category's shelf from the edges to its first products."""
    products = []
    for edge in edges:
        repeated = {name: edge[name] for name in STORED_OF_A_PRODUCT if name in edge}
        products.append({"M": repeated})
    return {"L": products}
