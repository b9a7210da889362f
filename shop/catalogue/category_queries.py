"""Reads of categories: their products by price and name, and the tree of all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from dynamo.calls.client import pool
from dynamo.calls.meter import labelled_calls
from dynamo.lists.reader import Order, Page, PageRequest, PageResult, read
from dynamo.lists.runs import Run
from dynamo.writes.counters import share_of
from shop import keys
from shop.catalogue.access_patterns import ProductOrder, categories_in_the_tree, products_of
from shop.catalogue.edge_keys import EDGES
from shop.catalogue.queries import (
    CategoryNode,
    ProductTile,
    find_category,
    list_products,
    tile_of,
    trail_in,
)


@dataclass(frozen=True, slots=True)
class CategoryResult(PageResult[ProductTile]):
    """A category, and a page of its products."""

    category: CategoryNode


def read_category(
    slug: str, request: PageRequest, *, order: ProductOrder | None = None
) -> CategoryResult:
    """Read a category and a page of its products, in one round. Raises NoSuchCategory."""
    with pool().together() as together:
        node = together.start(partial(_node, slug))
        products = list_category(slug, request, order=order)
        return CategoryResult(products.items, products.page, node.result())


def _node(slug: str) -> CategoryNode:
    with labelled_calls("category"):
        return find_category(slug)


def list_category(
    slug: str, request: PageRequest, *, order: ProductOrder | None = None
) -> PageResult[ProductTile]:
    """Read a page of a category's products by id, name, or price of those that have one."""
    if order is None:
        page = list_products(slug, request)
    else:
        page = _merged(partial(products_of, slug, order.data), request, order.direction)
    return PageResult(tuple(tile_of(entry.item) for entry in page.entries), page)


def list_all_categories(request: PageRequest) -> PageResult[CategoryNode]:
    """Read a page of all categories by name, each followed by its children."""
    page = _merged(categories_in_the_tree, request, Order.OLDEST_FIRST)
    nodes = [entry.item for entry in page.entries]
    categories = tuple(
        CategoryNode(
            node["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX), node["name"]["S"], trail_in(node)
        )
        for node in nodes
    )
    return PageResult(categories, page)


def _merged(runs_of: Callable[..., Sequence[Run]], request: PageRequest, order: Order) -> Page:
    def read_from(shards: int) -> Page:
        share = share_of(request.size + 1, shards)
        runs = runs_of(shards=shards)
        return read(runs, request, order=order, first_reads=[share] * shards)

    return EDGES.read_all(read_from)
