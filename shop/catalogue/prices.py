"""Current prices of products."""

from collections.abc import Collection
from dataclasses import dataclass

from dynamo.items import Item
from shop import keys
from shop.table import read_for_page


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
