"""Products and categories as pages show them, built from the items that a read returns.

Prices here are decimals in a currency's main unit; the items have cents.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from dynapages.django.paging import address_of_item
from dynapages.items import Item
from dynapages.lists import SEPARATOR
from shop import keys
from shop.catalogue.content import Rating
from shop.catalogue.drawings import drawing_url
from shop.models import Product as StoredProduct
from shop.prices import price_text
from shop.table import Key

CATEGORIES = StoredProduct.categories.attr_name
RATED = StoredProduct.rated.attr_name
STARS = StoredProduct.stars.attr_name
OFF = StoredProduct.is_off.attr_name
"""The attribute that an item has only if its product or category is off."""


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
        return address_of_item("category", self.slug)


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
    unless the list is that of a category. ``rating`` is None without comments.
    """

    id: str
    name: str
    unit_price: Decimal | None = None
    currency: str = ""
    trail: tuple[Category, ...] = ()
    is_off: bool = False
    rating: Rating | None = None

    @property
    def url(self) -> str:
        return address_of_item("comments:product", self.id)

    @property
    def price(self) -> str:
        """The price as people write it in the active language; empty without one."""
        if self.unit_price is None:
            return ""
        return price_text(self.unit_price, self.currency)

    @property
    def image(self) -> str:
        """The address of its drawing."""
        nearest_first = tuple(category.slug for category in reversed(self.trail))
        return drawing_url(self.id, nearest_first)


@dataclass(frozen=True, slots=True)
class Product(ProductTile):
    """A product with its description, maybe empty, and its categories."""

    description: str = ""
    categories: tuple[Category, ...] = ()


# Products


def product_keys(product_id: str, *, is_whole: bool = True) -> list[Key]:
    """Return the keys of a product's own item and, if whole, of its description."""
    key = keys.product(product_id)
    if not is_whole:
        return [(key, key)]
    return [(key, key), (key, keys.description(product_id))]


def product_in(product_id: str, items: Iterable[Item]) -> Product:
    """Build a product from the items of `product_keys`. Raises NoSuchProduct."""
    by_sort_key = {item["sk"]["S"]: item for item in items}
    node = by_sort_key.get(keys.product(product_id))
    if node is None:
        raise NoSuchProduct(product_id)
    description = by_sort_key.get(keys.description(product_id))
    unit_price, currency = _price_in(node)
    return Product(
        product_id,
        node["name"]["S"],
        unit_price,
        currency,
        trail=_product_trail(node),
        is_off=OFF in node,
        rating=rating_in(node),
        description=description["text"]["S"] if description else "",
        categories=steps_in(node, CATEGORIES),
    )


def tile_of(item: Item, trail: tuple[Category, ...] | None = None) -> ProductTile:
    """Build a product from its own item or an edge to it.

    ``trail`` is for edges of a category, which have none: it leads to that category.
    """
    product_id: str = item["sk"]["S"].partition(SEPARATOR)[2]
    unit_price, currency = _price_in(item)
    if trail is None:
        trail = _product_trail(item)
    return ProductTile(
        product_id,
        item["name"]["S"],
        unit_price,
        currency,
        trail=trail,
        is_off=OFF in item,
        rating=rating_in(item),
    )


def rating_in(item: Item) -> Rating | None:
    """Return the rating that a product's own item or another one of it has, None without one."""
    if RATED not in item or STARS not in item:
        return None
    return Rating(int(item[RATED]["N"]), int(item[STARS]["N"]))


def _product_trail(item: Item) -> tuple[Category, ...]:
    """Return the way from the root to a product; its first category where it has no trail."""
    return trail_in(item) or steps_in(item, CATEGORIES)[:1]


def _price_in(item: Item) -> tuple[Decimal | None, str]:
    """Return the price and the currency of a product, (None, "") if it cannot be bought."""
    # Off, it is shown without a price, though it is stored with one.
    if OFF in item or "unit_price_cents" not in item or "currency" not in item:
        return None, ""
    return Decimal(item["unit_price_cents"]["N"]).scaleb(-2), item["currency"]["S"]


# Categories


def category_of(edge: Item) -> Category:
    """Build a category from its own item or an edge to it."""
    return Category(edge["sk"]["S"].removeprefix(keys.CATEGORY_PREFIX), edge["name"]["S"])


def trail_in(item: Item) -> tuple[Category, ...]:
    """Return the trail of a product or a category, () without one."""
    return steps_in(item, "trail")


def steps_in(item: Item, name: str) -> tuple[Category, ...]:
    """Return an attribute that is a list of categories, () without one."""
    if name not in item:
        return ()
    steps = [step["M"] for step in item[name]["L"]]
    return tuple(Category(step["slug"]["S"], step["name"]["S"]) for step in steps)
