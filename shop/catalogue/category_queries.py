"""Reads of categories: their products by price and name, and the tree of all."""

from collections.abc import Sequence
from dataclasses import dataclass

from dynamo.lists.reader import Order, Page, PageRequest
from dynamo.lists.runs import Run
from dynamo.lists.site_reader import read
from dynamo.writes.shards import share_of
from shop import keys
from shop.catalogue.access_patterns import ProductOrder, categories_in_the_tree, products_of
from shop.catalogue.edge_shards import count_edge_shards
from shop.catalogue.queries import CategoryNode, ProductTile, list_products, tile_of, trail_in


@dataclass(frozen=True, slots=True)
class ProductPage:
    """A page of a category's products."""

    products: tuple[ProductTile, ...]
    page: Page


@dataclass(frozen=True, slots=True)
class CategoryPage:
    """A page of the tree of all categories."""

    categories: tuple[CategoryNode, ...]
    page: Page


def list_category(
    slug: str, request: PageRequest, *, order: ProductOrder | None = None
) -> ProductPage:
    """Read a page of a category's products by id, name, or price of those that have one."""
    if order is None:
        page = list_products(slug, request)
    else:
        runs = products_of(slug, order.data, shards=count_edge_shards())
        page = _merged(runs, request, order.direction)
    return ProductPage(tuple(tile_of(entry.item) for entry in page.entries), page)


def list_all_categories(request: PageRequest) -> CategoryPage:
    """Read a page of all categories by name, each followed by its children."""
    runs = categories_in_the_tree(shards=count_edge_shards())
    page = _merged(runs, request, Order.OLDEST_FIRST)
    nodes = [entry.item for entry in page.entries]
    categories = tuple(
        CategoryNode(
            node["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX), node["name"]["S"], trail_in(node)
        )
        for node in nodes
    )
    return CategoryPage(categories, page)


def _merged(runs: Sequence[Run], request: PageRequest, order: Order) -> Page:
    share = share_of(request.size + 1, len(runs))
    return read(runs, request, order=order, first_reads=[share] * len(runs))
