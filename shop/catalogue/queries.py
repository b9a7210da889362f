"""Reads of the catalogue."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.urls import reverse

from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.lists.reader import Order, Page, PageRequest, read
from dynamo.lists.runs import SEPARATOR, Run
from shop import keys
from shop.catalogue.items import MOST_IN_ONE
from shop.models import Product as Stored
from shop.table import BY_KEY, Key, read_for_page

FILE = "tiles.svg"


def drawing_url(slugs: Iterable[str]) -> str:
    """Return the address of the drawing of the first slug that has one; empty for none."""
    return next((f"{static(FILE)}#{slug}" for slug in slugs if slug in _drawn()), "")


@lru_cache(maxsize=1)
def _drawn() -> frozenset[str]:
    path = finders.find(FILE)
    if path is None:
        return frozenset()
    return frozenset(re.findall(r'<symbol id="([^"]+)"', Path(path).read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class PricedProduct:
    """A product that can be bought; ``currency`` is an ISO 4217 code."""

    id: str
    name: str
    unit_price_cents: int
    currency: str


def prices_of(product_ids: Collection[str]) -> dict[str, PricedProduct]:
    """Read the prices of products, half a unit each; those without one are left out."""
    own_keys = map(keys.product, product_ids)
    found = read_for_page((key, key) for key in own_keys)
    products = [_priced(item) for item in found if is_for_sale(item)]
    return {product.id: product for product in products}


def is_for_sale(item: Item) -> bool:
    """Return whether a product's item has a price."""
    return "unit_price_cents" in item and "currency" in item


def _priced(item: Item) -> PricedProduct:
    return PricedProduct(
        id=item["pk"]["S"].removeprefix(keys.PRODUCT_PREFIX),
        name=item["name"]["S"],
        unit_price_cents=int(item["unit_price_cents"]["N"]),
        currency=item["currency"]["S"],
    )


CATEGORIES = Stored.categories.attr_name


class NoSuchProduct(LookupError):
    """There is no product with this id."""


class NoSuchCategory(LookupError):
    """There is no category with this slug."""


@dataclass(frozen=True, slots=True)
class Category:
    """A category, as links show it."""

    slug: str
    name: str

    @property
    def url(self) -> str:
        return reverse("category", args=[self.slug])

    @property
    def drawing(self) -> str:
        """The address of its drawing, or of an ancestor's; empty without one."""
        return drawing_url([self.slug])


@dataclass(frozen=True, slots=True)
class CategoryNode(Category):
    """A category with its ancestors from the root, and its children where they are read."""

    trail: tuple[Category, ...] = ()
    children: tuple[Category, ...] = ()

    @property
    def depth(self) -> int:
        return len(self.trail)

    @property
    def drawing(self) -> str:
        return drawing_url([self.slug, *(one.slug for one in reversed(self.trail))])


@dataclass(frozen=True, slots=True)
class ProductTile:
    """A product as lists show it; one without a price cannot be bought."""

    id: str
    name: str
    unit_price: Decimal | None = None
    currency: str = ""

    @property
    def url(self) -> str:
        return reverse("product", args=[self.id])


@dataclass(frozen=True, slots=True)
class Product(ProductTile):
    """A product with its description, maybe empty, and the trail from the root to its category."""

    description: str = ""
    categories: tuple[Category, ...] = ()
    trail: tuple[Category, ...] = ()

    @property
    def drawing(self) -> str:
        """The address of the drawing of its category; empty without one."""
        return drawing_url(one.slug for one in reversed(self.trail))


def find_product(product_id: str, *, is_whole: bool = True) -> Product:
    """Read a product, for half a unit, and if whole its description, for another.

    Metered as ``product``. Raises NoSuchProduct.
    """
    with labelled_calls("product"):
        items = read_for_page(product_keys(product_id, is_whole=is_whole))
        return product_in(product_id, items)


def product_keys(product_id: str, *, is_whole: bool = True) -> list[Key]:
    """Return the keys of a product's items; of the first alone unless it is wanted whole."""
    key = keys.product(product_id)
    return [(key, key), (key, keys.description(product_id))][: 1 + is_whole]


def product_in(product_id: str, items: Iterable[Item]) -> Product:
    """Build a product from what was read by `product_keys`. Raises NoSuchProduct."""
    by_sort_key = {item["sk"]["S"]: item for item in items}
    node = by_sort_key.get(keys.product(product_id))
    if node is None:
        raise NoSuchProduct(product_id)
    description = by_sort_key.get(keys.description(product_id))
    categories = steps_in(node, CATEGORIES)
    return Product(
        product_id,
        node["name"]["S"],
        *_price_in(node),
        description=description["text"]["S"] if description else "",
        categories=categories,
        trail=trail_in(node) or categories[:1],
    )


def find_category(slug: str) -> CategoryNode:
    """Read a category with ancestors and children by one query. Raises NoSuchCategory."""
    key = keys.category(slug)
    below = Run(index=BY_KEY, partition=key, prefix=keys.CATEGORY_PREFIX)
    request = PageRequest(MOST_IN_ONE + 1)
    page = read([below], request, order=Order.OLDEST_FIRST, look_ahead=False)
    items = {entry.item["sk"]["S"]: entry.item for entry in page.entries}
    # The root has edges too, but no item of its own.
    node = items.pop(key, None)
    if node is None:
        raise NoSuchCategory(slug)
    children = tuple(map(category_of, items.values()))
    return CategoryNode(slug, node["name"]["S"], trail_in(node), children)


def list_categories(request: PageRequest) -> Page:
    """Read a page of the categories of the root, by slug."""
    root = Run(index=BY_KEY, partition=keys.ROOT, prefix=keys.CATEGORY_PREFIX)
    return read([root], request, order=Order.OLDEST_FIRST)


def list_products(slug: str, request: PageRequest) -> Page:
    """Read a page of a category's products, by id."""
    edges = Run(index=BY_KEY, partition=keys.category(slug), prefix=keys.PRODUCT_PREFIX)
    return read([edges], request, order=Order.OLDEST_FIRST)


def first_products(slug: str, number: int) -> list[Item]:
    """Read the edges to a category's first products by id, strongly, for one unit."""
    index = replace(BY_KEY, consistent=True)
    edges = Run(index=index, partition=keys.category(slug), prefix=keys.PRODUCT_PREFIX)
    page = read([edges], PageRequest(number), order=Order.OLDEST_FIRST, look_ahead=False)
    return [entry.item for entry in page.entries]


def category_of(edge: Item) -> Category:
    """Read a category from an edge to it."""
    return Category(edge["sk"]["S"].removeprefix(keys.CATEGORY_PREFIX), edge["name"]["S"])


def find_tiles(product_ids: Iterable[str]) -> dict[str, ProductTile]:
    """Read products by their ids, half a unit each; unknown ones are left out."""
    own_keys = map(keys.product, product_ids)
    tiles = map(tile_of, read_for_page((key, key) for key in own_keys))
    return {tile.id: tile for tile in tiles}


def tile_of(item: Item) -> ProductTile:
    """Read a product from its own item or an edge to it."""
    product_id: str = item["sk"]["S"].partition(SEPARATOR)[2]
    return ProductTile(product_id, item["name"]["S"], *_price_in(item))


def trail_in(item: Item) -> tuple[Category, ...]:
    """Read the trail of a product or a category, () without one."""
    return steps_in(item, "trail")


def steps_in(item: Item, name: str) -> tuple[Category, ...]:
    """Read an attribute that is a list of categories, () without one."""
    steps = [step["M"] for step in item.get(name, {"L": []})["L"]]
    return tuple(Category(step["slug"]["S"], step["name"]["S"]) for step in steps)


def _price_in(item: Item) -> tuple[Decimal | None, str]:
    if not is_for_sale(item):
        return None, ""
    return Decimal(item["unit_price_cents"]["N"]).scaleb(-2), item["currency"]["S"]
