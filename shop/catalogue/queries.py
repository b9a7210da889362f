"""Reads of the catalogue: products, categories, and lists of both."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import partial

from dynapages.calls import labelled_calls
from dynapages.items import Item
from dynapages.lists import (
    Index,
    Order,
    Page,
    PageRequest,
    PageResult,
    Position,
    Run,
    first_reads_of,
    id_at,
)
from dynapages.process import pool, read
from shop import keys
from shop.catalogue.content import MOST_CHILDREN
from shop.catalogue.items import EDGES
from shop.catalogue.tiles import (
    OFF,
    Category,
    CategoryNode,
    NoSuchCategory,
    Product,
    ProductTile,
    category_of,
    product_in,
    product_keys,
    tile_of,
    trail_in,
)
from shop.models import ShopItem
from shop.table import BY_KEY, TABLE, Key, read_for_page

PLAN = ShopItem.by_data.Meta.index_name
"""The name of lists by ``by_data`` in explanations."""


class ProductOrder(StrEnum):
    """An order of a category's products; the value is in URLs."""

    NAME = "name"
    CHEAPEST = "price"
    DEAREST = "-price"

    @property
    def direction(self) -> Order:
        """The direction of the runs: the reader's OLDEST_FIRST is ascending."""
        return Order.NEWEST_FIRST if self is ProductOrder.DEAREST else Order.OLDEST_FIRST


@dataclass(frozen=True, slots=True)
class CategoryResult(PageResult[ProductTile]):
    """A category, and a page of its products."""

    category: CategoryNode


# Single products and categories


def find_product(product_id: str, *, is_whole: bool = True) -> Product:
    """Read a product, for half a unit, and if whole its description, for another.

    Metered as ``product``. Raises NoSuchProduct.
    """
    with labelled_calls("product"):
        items = read_for_page(product_keys(product_id, is_whole=is_whole))
        return product_in(product_id, items)


def find_tiles(product_ids: Iterable[str]) -> dict[str, ProductTile]:
    """Read products by their ids, half a unit each; unknown ones are left out."""
    own_keys = [keys.product(product_id) for product_id in product_ids]
    tiles = [tile_of(item) for item in read_for_page((key, key) for key in own_keys)]
    return {tile.id: tile for tile in tiles}


def prices_of(product_ids: Iterable[str]) -> dict[str, tuple[ProductTile, Decimal]]:
    """Read the products that can be bought, with their prices; others are left out."""
    priced = {}
    for product_id, tile in find_tiles(product_ids).items():
        if tile.unit_price is not None:
            priced[product_id] = tile, tile.unit_price
    return priced


def find_category(slug: str, *, consistent: bool = False) -> CategoryNode:
    """Read a category with ancestors and children by one query, metered as ``category``.

    Raises NoSuchCategory.
    """
    key = keys.category(slug)
    index = replace(BY_KEY, consistent=consistent)
    below = Run(index=index, partition=key, prefix=keys.CATEGORY_PREFIX)
    request = PageRequest(MOST_CHILDREN + 1)
    with labelled_calls("category"):
        page = read([below], request, order=Order.OLDEST_FIRST, look_ahead=False)
    items = {entry.item["sk"]["S"]: entry.item for entry in page.entries}
    # The root has edges too, but no item of its own: it is no category to show.
    node = items.pop(key, None)
    if node is None:
        raise NoSuchCategory(slug)
    children = tuple(category_of(edge) for edge in items.values())
    return CategoryNode(slug, node["name"]["S"], trail_in(node), children, OFF in node)


# Edges of a category by id


def list_categories(request: PageRequest) -> Page:
    """Read a page of the categories of the root, by slug."""
    root = Run(index=BY_KEY, partition=keys.ROOT, prefix=keys.CATEGORY_PREFIX)
    return read([root], request, order=Order.OLDEST_FIRST)


def list_products(slug: str, request: PageRequest) -> Page:
    """Read a page of a category's products, by id."""
    edges = Run(index=BY_KEY, partition=keys.category(slug), prefix=keys.PRODUCT_PREFIX)
    return read([edges], request, order=Order.OLDEST_FIRST)


def first_edges(
    slug: str, number: int, prefix: str = keys.PRODUCT_PREFIX, *, after: str = ""
) -> list[Item]:
    """Read the edges to a category's first products by id, strongly, for one unit.

    Another ``prefix`` is of other edges. With an id in ``after`` they are the first behind it.
    """
    index = replace(BY_KEY, consistent=True)
    edges = Run(index=index, partition=keys.category(slug), prefix=prefix)
    request = PageRequest(number, Position(after) if after else None)
    page = read([edges], request, order=Order.OLDEST_FIRST, look_ahead=False)
    return [entry.item for entry in page.entries]


def product_ids_in(slug: str, number: int, *, after: str = "") -> list[str]:
    """Read the ids of a category's first products, or of the first behind an id; strongly."""
    edges = first_edges(slug, number, after=after)
    return [edge["sk"]["S"].removeprefix(keys.PRODUCT_PREFIX) for edge in edges]


def child_slugs(slug: str) -> list[str]:
    """Read the slugs of the categories in one, strongly; those that are off are not among them."""
    edges = first_edges(slug, MOST_CHILDREN + 1, keys.CATEGORY_PREFIX)
    slugs = [category_of(edge).slug for edge in edges]
    return [each for each in slugs if each != slug]  # its own item is between the edges


# Lists by name and price


def read_category(
    slug: str, request: PageRequest, *, order: ProductOrder | None = None
) -> CategoryResult:
    """Read a category and a page of its products, in one round. Raises NoSuchCategory."""

    def find() -> CategoryNode:
        return find_category(slug)

    with pool().together() as together:
        node = together.start(find)
        products = list_category(slug, request, order=order)
        category = node.result()
    # Edges have no trail; here it is known, and drawings follow from it.
    trail = (*category.trail, Category(slug, category.name))
    tiles = tuple(replace(tile, trail=trail) for tile in products.items)
    return CategoryResult(tiles, products.page, category)


def list_category(
    slug: str, request: PageRequest, *, order: ProductOrder | None = None
) -> PageResult[ProductTile]:
    """Read a page of a category's products by id, name, or price of those that have one."""
    if order is None:
        # By id they are in the table itself, in one partition: no index, no merge.
        page = list_products(slug, request)
    else:
        runs_of = partial(products_of, slug, order)
        page = _read_sharded(runs_of, request, order.direction)
    return PageResult(tuple(tile_of(entry.item) for entry in page.entries), page)


def list_all_products(
    request: PageRequest, *, first_read: int | None = None
) -> PageResult[ProductTile]:
    """Read a page of all products by name, but those taken off.

    ``first_read`` is how many the first round reads, by default the page and one more.
    """
    page = _read_sharded(all_products, request, Order.OLDEST_FIRST, first_read)
    return PageResult(tuple(tile_of(entry.item) for entry in page.entries), page)


def list_all_categories(
    request: PageRequest, *, first_read: int | None = None
) -> PageResult[CategoryNode]:
    """Read a page of all categories by name, each followed by its children.

    ``first_read`` is how many the first round reads, by default the page and one more.
    """
    page = _read_sharded(categories_in_the_tree, request, Order.OLDEST_FIRST, first_read)
    nodes = []
    for entry in page.entries:
        category = category_of(entry.item)
        nodes.append(CategoryNode(category.slug, category.name, trail_in(entry.item)))
    return PageResult(tuple(nodes), page)


def products_of(slug: str, order: ProductOrder, *, shards: int) -> list[Run]:
    """Return the runs of a category's products by name, or by price of those that have one."""
    if order is ProductOrder.NAME:
        data, sort_key_of = "NAME", keys.by_name
    else:
        data, sort_key_of = "PRICE", keys.product

    def edge_key(product_id: str) -> Key:
        return keys.category(slug), sort_key_of(product_id)

    partitions = [keys.category_shard(slug, data, shard) for shard in range(shards)]
    return runs_of_data(partitions, edge_key)


def all_products(*, shards: int) -> list[Run]:
    """Return the runs of all products by name, but those taken off."""

    def product_key(product_id: str) -> Key:
        return keys.product(product_id), keys.product(product_id)

    return runs_of_data([keys.products_shard(shard) for shard in range(shards)], product_key)


def categories_in_the_tree(*, shards: int) -> list[Run]:
    """Return the runs of all categories by name, each after its parent."""

    def category_key(slug: str) -> Key:
        return keys.category(slug), keys.category(slug)

    return runs_of_data([keys.tree_shard(shard) for shard in range(shards)], category_key)


def runs_of_data(partitions: Iterable[str], key_of: Callable[[str], Key]) -> list[Run]:
    """Return the runs of partitions of ``by_data``.

    ``key_of`` returns the table key of the item whose sort key in the index ends in an id.
    """

    def table_key(position: Position) -> dict[str, str]:
        partition_key, sort_key = key_of(id_at(position.place))
        return {"pk": partition_key, "sk": sort_key}

    index = Index(TABLE, PLAN, partition="data_partition", sort="data", table_key=table_key)
    return [Run(index=index, partition=partition) for partition in partitions]


def _read_sharded(
    runs_of: Callable[..., Sequence[Run]],
    request: PageRequest,
    order: Order,
    first_read: int | None = None,
) -> Page:
    """Read a page of a list that is spread over all shards of ``by_data``, merged."""

    def read_from(shards: int) -> Page:
        """Read the page from so many shards."""
        # One more than the page tells whether there is a next one.
        runs = runs_of(shards=shards)
        first_reads = first_reads_of(first_read or request.size + 1, [1] * len(runs))
        return read(runs, request, order=order, first_reads=first_reads)

    return EDGES.read_all(read_from, pool=pool())
