"""Reads of the catalogue: categories, products, and what was bought together.

“Customers who bought this also bought” is one query of the edges from users to a product: those of
its newest buyers, each with what else its buyer had bought, which is ranked. Only orders count that
were delivered, and not sent back.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import partial
from math import ceil
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dynapages.calls import labelled_calls
from dynapages.django.paging import Pager, address_of
from dynapages.django.refusals import Refusal
from dynapages.items import Item, table_key
from dynapages.lists import (
    SEPARATOR,
    Index,
    Order,
    Page,
    PageRequest,
    PageResult,
    Position,
    Run,
    id_at,
)
from dynapages.process import pool, read
from dynapages.pynamodb import update
from dynapages.writes import Action
from shop import keys
from shop.catalogue.drawings import drawing_url
from shop.catalogue.items import EDGES, MOST_ALSO, MOST_IN_ONE, purchase_data
from shop.models import Product as Stored
from shop.models import Purchase, ShopItem
from shop.table import BY_KEY, TABLE, Key, read_for_page, set_or_remove, share_of

PLAN = ShopItem.by_data.Meta.index_name


class ProductOrder(StrEnum):
    """An order of a category's products; the value is in URLs."""

    NAME = "name"
    CHEAPEST = "price"
    DEAREST = "-price"

    @property
    def direction(self) -> Order:
        """The direction of the runs: the reader's OLDEST_FIRST is ascending."""
        return Order.NEWEST_FIRST if self is ProductOrder.DEAREST else Order.OLDEST_FIRST


def products_of(slug: str, order: ProductOrder, *, shards: int) -> list[Run]:
    """Return the runs of a category's products by name, or by price of those that have one."""
    is_by_name = order is ProductOrder.NAME
    data, sort_key = ("NAME", keys.by_name) if is_by_name else ("PRICE", keys.product)
    partitions = [keys.category_shard(slug, data, n) for n in range(shards)]
    return _by_data(partitions, lambda product_id: (keys.category(slug), sort_key(product_id)))


def all_products(*, shards: int) -> list[Run]:
    """Return the runs of all products by name, but those taken off."""
    partitions = map(keys.products_shard, range(shards))
    return _by_data(partitions, lambda product_id: (keys.product(product_id),) * 2)


def categories_in_the_tree(*, shards: int) -> list[Run]:
    """Return the runs of all categories by name, each after its parent."""
    partitions = map(keys.tree_shard, range(shards))
    return _by_data(partitions, lambda slug: (keys.category(slug), keys.category(slug)))


def buyers_of(product_id: str) -> list[Run]:
    """Return the run of a product's purchases by time; a place ends in the user name."""
    partition = keys.buyers(product_id)
    return _by_data([partition], lambda name: (keys.user(name), keys.bought(name, product_id)))


def purchases_of(username: str) -> Run:
    """Return the run of a user's purchases by time; a place ends in the product's id.

    They are in ``by_status`` with the user's orders, under their own prefix.
    """

    def table_key(position: Position) -> dict[str, str]:
        return {"sk": keys.bought(username, id_at(position.place))}

    name = ShopItem.by_status.Meta.index_name
    index = Index(TABLE, name, partition="pk", sort="order_status_date", table_key=table_key)
    return Run(index=index, partition=keys.user(username), prefix=keys.BOUGHT_PREFIX)


def _by_data(partitions: Iterable[str], key_of: Callable[[str], tuple[str, str]]) -> list[Run]:
    """Return the runs of partitions; ``key_of`` derives a table key from the id in a place."""

    def table_key(position: Position) -> dict[str, str]:
        partition, sort_key = key_of(id_at(position.place))
        return {"pk": partition, "sk": sort_key}

    index = Index(TABLE, PLAN, partition="data_partition", sort="data", table_key=table_key)
    return [Run(index=index, partition=partition) for partition in partitions]


CATEGORIES = Stored.categories.attr_name
OFF = Stored.is_off.attr_name


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
        return address_of("category", self.slug)


@dataclass(frozen=True, slots=True)
class CategoryNode(Category):
    """A category with its ancestors from the root, and its children where they are read."""

    trail: tuple[Category, ...] = ()
    children: tuple[Category, ...] = ()
    is_off: bool = False


@dataclass(frozen=True, slots=True)
class ProductTile:
    """A product as lists show it; one without a price, or that ``is_off``, cannot be bought.

    ``trail`` leads from the root to its category, () where only an edge to the product was read,
    unless the list is that of a category.
    """

    id: str
    name: str
    unit_price: Decimal | None = None
    currency: str = ""
    trail: tuple[Category, ...] = ()
    is_off: bool = False

    @property
    def url(self) -> str:
        return address_of("comments:product", self.id)

    @property
    def image(self) -> str:
        """The address of its drawing."""
        return drawing_url(self.id, tuple(one.slug for one in reversed(self.trail)))


@dataclass(frozen=True, slots=True)
class Product(ProductTile):
    """A product with its description, maybe empty, and its categories."""

    description: str = ""
    categories: tuple[Category, ...] = ()


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
    return Product(
        product_id,
        node["name"]["S"],
        *_price_in(node),
        trail=_trail_of(node),
        is_off=OFF in node,
        description=description["text"]["S"] if description else "",
        categories=steps_in(node, CATEGORIES),
    )


def _trail_of(product: Item) -> tuple[Category, ...]:
    return trail_in(product) or steps_in(product, CATEGORIES)[:1]


def find_category(slug: str, *, consistent: bool = False) -> CategoryNode:
    """Read a category with ancestors and children by one query, metered as ``category``.

    Raises NoSuchCategory.
    """
    key = keys.category(slug)
    index = replace(BY_KEY, consistent=consistent)
    below = Run(index=index, partition=key, prefix=keys.CATEGORY_PREFIX)
    request = PageRequest(MOST_IN_ONE + 1)
    with labelled_calls("category"):
        page = read([below], request, order=Order.OLDEST_FIRST, look_ahead=False)
    items = {entry.item["sk"]["S"]: entry.item for entry in page.entries}
    # The root has edges too, but no item of its own.
    node = items.pop(key, None)
    if node is None:
        raise NoSuchCategory(slug)
    children = tuple(map(category_of, items.values()))
    return CategoryNode(slug, node["name"]["S"], trail_in(node), children, OFF in node)


def list_categories(request: PageRequest) -> Page:
    """Read a page of the categories of the root, by slug."""
    root = Run(index=BY_KEY, partition=keys.ROOT, prefix=keys.CATEGORY_PREFIX)
    return read([root], request, order=Order.OLDEST_FIRST)


def list_products(slug: str, request: PageRequest) -> Page:
    """Read a page of a category's products, by id."""
    edges = Run(index=BY_KEY, partition=keys.category(slug), prefix=keys.PRODUCT_PREFIX)
    return read([edges], request, order=Order.OLDEST_FIRST)


def first_products(
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
    edges = first_products(slug, number, after=after)
    return [edge["sk"]["S"].removeprefix(keys.PRODUCT_PREFIX) for edge in edges]


def child_slugs(slug: str) -> list[str]:
    """Read the slugs of the categories in one, strongly; those that are off are not among them."""
    edges = first_products(slug, MOST_IN_ONE + 1, keys.CATEGORY_PREFIX)
    found = [category_of(edge).slug for edge in edges]
    return [one for one in found if one != slug]  # its own item is between the edges


def category_of(edge: Item) -> Category:
    """Read a category from an edge to it."""
    return Category(edge["sk"]["S"].removeprefix(keys.CATEGORY_PREFIX), edge["name"]["S"])


def find_tiles(product_ids: Iterable[str]) -> dict[str, ProductTile]:
    """Read products by their ids, half a unit each; unknown ones are left out."""
    own_keys = map(keys.product, product_ids)
    tiles = map(tile_of, read_for_page((key, key) for key in own_keys))
    return {tile.id: tile for tile in tiles}


def prices_of(product_ids: Iterable[str]) -> dict[str, tuple[ProductTile, Decimal]]:
    """Read the products that can be bought, with their prices; others are left out."""
    tiles = find_tiles(product_ids).items()
    return {one: (tile, price) for one, tile in tiles if (price := tile.unit_price) is not None}


def tile_of(item: Item) -> ProductTile:
    """Read a product from its own item or an edge to it."""
    product_id: str = item["sk"]["S"].partition(SEPARATOR)[2]
    price, trail = _price_in(item), _trail_of(item)
    return ProductTile(product_id, item["name"]["S"], *price, trail=trail, is_off=OFF in item)


def trail_in(item: Item) -> tuple[Category, ...]:
    """Read the trail of a product or a category, () without one."""
    return steps_in(item, "trail")


def steps_in(item: Item, name: str) -> tuple[Category, ...]:
    """Read an attribute that is a list of categories, () without one."""
    steps = [step["M"] for step in item.get(name, {"L": []})["L"]]
    return tuple(Category(step["slug"]["S"], step["name"]["S"]) for step in steps)


def _price_in(item: Item) -> tuple[Decimal | None, str]:
    if OFF in item or not ("unit_price_cents" in item and "currency" in item):
        return None, ""
    return Decimal(item["unit_price_cents"]["N"]).scaleb(-2), item["currency"]["S"]


@dataclass(frozen=True, slots=True)
class CategoryResult(PageResult[ProductTile]):
    """A category, and a page of its products."""

    category: CategoryNode


def read_category(
    slug: str, request: PageRequest, *, order: ProductOrder | None = None
) -> CategoryResult:
    """Read a category and a page of its products, in one round. Raises NoSuchCategory."""
    with pool().together() as together:
        node = together.start(partial(find_category, slug))
        products = list_category(slug, request, order=order)
        category = node.result()
        trail = (*category.trail, Category(slug, category.name))
        tiles = tuple(replace(tile, trail=trail) for tile in products.items)
        return CategoryResult(tiles, products.page, category)


def list_category(
    slug: str, request: PageRequest, *, order: ProductOrder | None = None
) -> PageResult[ProductTile]:
    """Read a page of a category's products by id, name, or price of those that have one."""
    if order is None:
        page = list_products(slug, request)
    else:
        page = _merged(partial(products_of, slug, order), request, order.direction)
    return PageResult(tuple(tile_of(entry.item) for entry in page.entries), page)


def list_all_products(
    request: PageRequest, *, first_read: int | None = None
) -> PageResult[ProductTile]:
    """Read a page of all products by name, but those taken off."""
    page = _merged(all_products, request, Order.OLDEST_FIRST, first_read)
    return PageResult(tuple(tile_of(entry.item) for entry in page.entries), page)


def list_all_categories(
    request: PageRequest, *, first_read: int | None = None
) -> PageResult[CategoryNode]:
    """Read a page of all categories by name, each followed by its children."""
    page = _merged(categories_in_the_tree, request, Order.OLDEST_FIRST, first_read)
    nodes = [entry.item for entry in page.entries]
    found = ((category_of(node), trail_in(node)) for node in nodes)
    return PageResult(tuple(CategoryNode(one.slug, one.name, way) for one, way in found), page)


def _merged(
    runs_of: Callable[..., Sequence[Run]],
    request: PageRequest,
    order: Order,
    first_read: int | None = None,
) -> Page:
    def read_from(shards: int) -> Page:
        share = share_of(first_read or request.size + 1, shards)
        runs = runs_of(shards=shards)
        return read(runs, request, order=order, first_reads=[share] * shards)

    return EDGES.read_all(read_from, pool=pool())


LABELS = {
    None: gettext_lazy("Default"),
    ProductOrder.NAME: gettext_lazy("Name"),
    ProductOrder.CHEAPEST: gettext_lazy("Price, lowest first"),
    ProductOrder.DEAREST: gettext_lazy("Price, highest first"),
}


def parse_order(text: str | None, slug: str) -> ProductOrder | None:
    """Parse the order in the URL of a category, None without one. Raises Refusal."""
    if text is None:
        return None
    try:
        return ProductOrder(text)
    except ValueError as error:
        sentence = _("Products cannot be sorted by “%(order)s”: choose from %(known)s.")
        known = {"order": text, "known": ", ".join(ProductOrder)}
        raise Refusal(sentence % known, first_url=category_url(slug, None)) from error


def category_url(slug: str, order: ProductOrder | None) -> str:
    """Return the URL of a category's products in an order, or (None) by id."""
    query = urlencode({"order": order}) if order else ""
    return f"{address_of('category', slug)}?{query}".rstrip("?")


def category_pager(slug: str, order: ProductOrder | None) -> Pager:
    """Return the pager of a category's products; its tokens are bound to the order."""
    name = f"category/{slug}" if order is None else f"category/{slug}/{order}"
    url = category_url(slug, order)
    shape = {"order": order.value} if order else {}
    return Pager(url, name, canonical="" if order else url, shape=shape)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Reads the newest ``buyers``; shows at most ``shown`` products that ``least_buyers`` have."""

    buyers: int = 8
    shown: int = 5
    least_buyers: int = 5

    @property
    def capacity_units(self) -> float:
        """The most that it costs: an edge in the index has up to 1 KB, a product up to 4."""
        return ceil(self.buyers / 4) / 2 + self.shown / 2


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class AlsoBought:
    """A product, and how many of the newest buyers bought it."""

    product: ProductTile
    buyers: int


def read_also_bought(product_id: str) -> tuple[Product, tuple[AlsoBought, ...]]:
    """Read a product, and meanwhile what else its buyers bought. Raises NoSuchProduct."""
    with pool().together() as together:
        product = together.start(partial(find_product, product_id, is_whole=False))
        others = find_also_bought(product_id)
        return product.result(), others


def find_also_bought(product_id: str, *, bounds: Bounds = BOUNDS) -> tuple[AlsoBought, ...]:
    """Find what else the newest buyers of a product bought, by number of buyers, newest first."""
    request = PageRequest(bounds.buyers)
    with labelled_calls("newest buyers"):
        entries = read(buyers_of(product_id), request, look_ahead=False).entries
    also = (one for entry in entries for one in entry.item.get(ALSO, {"L": []})["L"])
    found = Counter(one["S"] for one in also)
    ranked = found.most_common(bounds.shown)  # of equal ones, those found first
    chosen = {one: buyers for one, buyers in ranked if buyers >= bounds.least_buyers}
    with labelled_calls("product names"):
        tiles = find_tiles(chosen)
    sold = {one: tile for one, tile in tiles.items() if not tile.is_off}
    return tuple(AlsoBought(sold[one], buyers) for one, buyers in chosen.items() if one in sold)


def bought_before(username: str) -> dict[str, str]:
    """Read the places of a user's newest purchases by product, for a unit or two."""
    request = PageRequest(MOST_ALSO)
    with labelled_calls("bought before"):
        entries = read([purchases_of(username)], request, look_ahead=False).entries
    return {id_at(entry.position.place): entry.position.place for entry in entries}


ALSO = Purchase.also.attr_name
DERIVED = ("order_status_date", "data_partition", "data")
"""The keys of a purchase in two indexes; one that is not counted has none."""


def purchase_updates(
    product_ids: Iterable[str], *, username: str, order_id: str, moment: datetime, delivered: bool
) -> list[Action]:
    """Build the updates that list the purchases of an order, or unless ``delivered`` unlist them.

    They belong into the transaction that moves the order, placed at ``moment``. Each is on
    condition that the purchase has no later order, and may be left out where it has one.
    """
    return [
        update(
            Purchase,
            table_key(keys.user(username), keys.bought(username, product_id)),
            set_or_remove(Purchase, DERIVED, data if delivered else {}),
            Purchase.order_id == order_id,
        )
        for product_id in dict.fromkeys(product_ids)
        for data in [purchase_data(username, product_id, moment)]
    ]
