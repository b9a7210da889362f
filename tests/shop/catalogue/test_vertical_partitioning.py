"""What a page of products costs with their descriptions apart, and what it would with them inline.

The figures stand in docs/designs/keys.md.
"""

import pytest

from dynapages.calls import metered
from dynapages.lists import PageRequest
from dynapages.process import client
from shop import keys
from shop.catalogue.content import NewProduct
from shop.catalogue.queries import find_product, list_category, prices_of
from shop.catalogue.services import put_catalogue
from shop.models import ShopItem
from tests.support.catalogue.making import category

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]

TABLE = ShopItem.Meta.table_name
PAGE = 20


def put_shelf(slug: str, *, description_bytes: int) -> list[NewProduct]:
    """A category of one page of products, with their descriptions apart."""
    products = [
        NewProduct(
            f"{slug}-{n:02}", f"Desk lamp {n:02}", (slug,), "x" * description_bytes, 1_999, "EUR"
        )
        for n in range(PAGE)
    ]
    put_catalogue(categories=[category(slug)], products=products)
    return products


def put_inline(products: list[NewProduct]) -> None:
    """Write into products and edges what is apart from them."""
    for product in products:
        for partition in (keys.product(product.id), keys.category(product.category_slugs[0])):
            client().update_item(
                TableName=TABLE,
                Key={"pk": {"S": partition}, "sk": {"S": keys.product(product.id)}},
                UpdateExpression="SET #t = :t",
                ExpressionAttributeNames={"#t": "text"},
                ExpressionAttributeValues={":t": {"S": product.description}},
            )


def units_of_a_page(slug: str) -> float:
    with metered() as meter:
        found = list_category(slug, PageRequest(PAGE))
    assert len(found.items) == PAGE
    return meter.units


def units_of_a_basket(products: list[NewProduct]) -> float:
    with metered() as meter:
        prices_of([product.id for product in products])
    return meter.units


class TestDescriptions:
    @pytest.mark.parametrize(
        ("description_bytes", "inline", "basket"),
        [(200, 1.5, 10), (1_000, 3.5, 10), (3_000, 8, 10), (10_000, 25, 30)],
    )
    def test_apart_keep_a_page_at_one_unit(self, fresh, description_bytes, inline, basket):
        slug = fresh("shelf")
        products = put_shelf(slug, description_bytes=description_bytes)
        assert (units_of_a_page(slug), units_of_a_basket(products)) == (1, 10)
        put_inline(products)
        assert (units_of_a_page(slug), units_of_a_basket(products)) == (inline, basket)

    @pytest.mark.parametrize(("description_bytes", "units"), [(3_000, 1), (10_000, 2)])
    def test_are_paid_for_on_the_product_s_own_page(self, fresh, description_bytes, units):
        product = put_shelf(fresh("shelf"), description_bytes=description_bytes)[0]
        with metered() as meter:
            assert find_product(product.id).description == product.description
        assert meter.units == units
