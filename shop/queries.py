"""Reads of the catalogue."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from django.urls import reverse

from dynamo.client import pool
from dynamo.reader import Order, Page, PageRequest
from dynamo.reading import page_batches, read
from dynamo.runs import Index, Item, Run
from shop import keys
from shop.models import ShopItem
from shop.prices import is_for_sale

TABLE = Index(
    table=ShopItem.Meta.table_name,
    name=None,
    partition_key="pk",
    sort_key="sk",
    table_key=lambda _position: {},
)
"""The table itself: a position's sort key and the run's partition key are the whole table key."""
INVERTED = Index(
    table=ShopItem.Meta.table_name,
    name=ShopItem.inverted.Meta.index_name,
    partition_key="sk",
    sort_key="pk",
    table_key=lambda _position: {},
)
MOST_CATEGORIES_OF_A_PRODUCT = 20


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


@dataclass(frozen=True, slots=True)
class ProductTile:
    """A product, as lists show it."""

    id: str
    name: str

    @property
    def url(self) -> str:
        return reverse("product", args=[self.id])


@dataclass(frozen=True, slots=True)
class Product:
    """A product with its description, which is empty when it has none.

    One without a price cannot be bought.
    """

    id: str
    name: str
    description: str
    categories: tuple[Category, ...]
    unit_price: Decimal | None = None
    currency: str = ""

    @property
    def url(self) -> str:
        return reverse("product", args=[self.id])


@dataclass(frozen=True, slots=True)
class Shelf:
    """A category with the first few of its products."""

    category: Category
    products: tuple[ProductTile, ...]


def find_product(product_id: str) -> Product:
    """Read a product, its description and its categories: two queries at once.

    Raises NoSuchProduct.
    """
    items, edges = pool().gather(
        [partial(_items, _node(product_id)), partial(_items, _edges_to(product_id))]
    )
    by_sort_key = {item["sk"]["S"]: item for item in items}
    node = by_sort_key.get(keys.product(product_id))
    if node is None:
        raise NoSuchProduct(product_id)
    description = by_sort_key.get(keys.description(product_id))
    for_sale = is_for_sale(node)
    return Product(
        id=product_id,
        name=node["name"]["S"],
        description=description["text"]["S"] if description else "",
        categories=tuple(
            Category(edge["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX), edge["category"]["S"])
            for edge in edges
        ),
        unit_price=Decimal(node["unit_price_cents"]["N"]).scaleb(-2) if for_sale else None,
        currency=node["currency"]["S"] if for_sale else "",
    )


def find_category(slug: str) -> Category:
    """Read a category. Raises NoSuchCategory."""
    key = keys.category(slug)
    nodes = _items(Run(index=TABLE, partition=key, prefix=key))
    # Below the root lie the edges to all categories; the root itself is none.
    name = next((node["name"]["S"] for node in nodes if node["sk"]["S"] == key), None)
    if name is None:
        raise NoSuchCategory(slug)
    return Category(slug, name)


def list_categories(request: PageRequest) -> Page:
    """Read a page of the shop's categories, by slug."""
    root = Run(index=TABLE, partition=keys.ROOT, prefix=keys.CATEGORY_PREFIX)
    return read([root], request, order=Order.OLDEST_FIRST)


def list_products(slug: str, request: PageRequest, *, look_ahead: bool = True) -> Page:
    """Read a page of a category's products, by id."""
    edges = Run(index=TABLE, partition=keys.category(slug), prefix=keys.PRODUCT_PREFIX)
    return read([edges], request, order=Order.OLDEST_FIRST, look_ahead=look_ahead)


def shelve(categories: Page, *, products: int) -> tuple[Shelf, ...]:
    """Read the first few products of each category of a page, all at once."""
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


def category_of(edge: Item) -> Category:
    """Read a category from its edge of the root."""
    return Category(edge["sk"]["S"].removeprefix(keys.CATEGORY_PREFIX), edge["name"]["S"])


def find_tiles(product_ids: Iterable[str]) -> dict[str, ProductTile]:
    """Read products by their ids, half a unit each; those that do not exist are left out."""
    values = [{"S": keys.product(product_id)} for product_id in dict.fromkeys(product_ids)]
    table_keys = [{"pk": value, "sk": value} for value in values]
    nodes = page_batches().get(ShopItem.Meta.table_name, table_keys, consistent=False)
    tiles = [
        ProductTile(node["pk"]["S"].removeprefix(keys.PRODUCT_PREFIX), node["name"]["S"])
        for node in nodes
    ]
    return {tile.id: tile for tile in tiles}


def tile_of(edge: Item) -> ProductTile:
    """Read a product from its edge of a category."""
    return ProductTile(edge["sk"]["S"].removeprefix(keys.PRODUCT_PREFIX), edge["name"]["S"])


def _node(product_id: str) -> Run:
    return Run(index=TABLE, partition=keys.product(product_id))


def _edges_to(product_id: str) -> Run:
    return Run(index=INVERTED, partition=keys.product(product_id), prefix=keys.CATEGORY_PREFIX)


def _items(run: Run) -> list[Item]:
    """Read a run known to be short."""
    request = PageRequest(MOST_CATEGORIES_OF_A_PRODUCT)
    page = read([run], request, order=Order.OLDEST_FIRST, look_ahead=False)
    return [entry.item for entry in page.entries]
