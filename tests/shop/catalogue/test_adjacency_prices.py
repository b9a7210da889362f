"""What reading and writing along the edges costs: the figures of docs/designs/adjacency.md."""

from dataclasses import replace
from typing import Any

import pytest

from dynamo.client import client
from dynamo.meter import metered
from dynamo.reader import PageRequest
from shop.catalogue_patterns import ProductOrder
from shop.category_queries import list_all_categories, list_category
from shop.edge_shards import count_edge_shards
from shop.items import NewProduct
from shop.models import Purchase, ShopItem
from shop.order_items import NewLine, order_items_of
from shop.queries import find_category, find_product
from shop.services import put_catalogue
from tests.shop.catalogue.making import category
from tests.shop.orders.making import made_order

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]


@pytest.fixture
def shelf(fresh) -> str:
    """A category of 60 products in another."""
    slug = fresh("shelf")
    products = [
        NewProduct(f"{slug}-{n:02}", f"Desk lamp {n:02}", (f"{slug}-in",), "", 1_999 + n, "EUR")
        for n in range(60)
    ]
    put_catalogue(categories=[category(slug), category(f"{slug}-in", slug)], products=products)
    return f"{slug}-in"


class TestReading:
    def test_a_category_with_its_way_and_those_in_it_is_half_a_unit(self, shelf):
        with metered() as meter:
            assert len(find_category(shelf).trail) == 1
        assert meter.capacity_units() == 0.5

    def test_a_product_with_its_way_is_one_unit(self, shelf):
        with metered() as meter:
            assert len(find_product(f"{shelf.removesuffix('-in')}-07").trail) == 2
        assert meter.capacity_units() == 1

    def test_a_page_of_twenty_as_shelved_is_one_unit(self, shelf):
        with metered() as meter:
            assert len(list_category(shelf, PageRequest(20)).products) == 20
        assert meter.capacity_units() == 1

    @pytest.mark.parametrize("order", list(ProductOrder))
    def test_a_page_of_twenty_in_an_order_is_half_a_unit_a_shard_and_one_for_their_number(
        self, shelf, order
    ):
        with metered() as meter:
            assert len(list_category(shelf, PageRequest(20), order=order).products) == 20
        assert meter.capacity_units() == 1 + count_edge_shards() / 2

    def test_a_page_of_the_tree_is_the_same(self, shelf):
        with metered() as meter:
            list_all_categories(PageRequest(20))
        assert meter.capacity_units() == 1 + count_edge_shards() / 2


class TestWriting:
    def put(self, product: NewProduct) -> float:
        (slug,) = product.category_slugs
        with metered() as meter:
            put_catalogue(categories=[category(slug)], products=[product])
        kinds = ("BatchWriteItem", "TransactWriteItems")
        written = [call for call in meter.calls if call.operation in kinds]
        return sum(call.capacity_units for call in written)

    def test_a_product_into_a_new_category_and_into_one_that_is_there(self, fresh):
        product = NewProduct(fresh("lamp"), "Lamp", (fresh("shelf"),), "", 1_999, "EUR")
        with_category = self.put(product)
        again = self.put(replace(product, id=fresh("lamp")))
        assert (with_category, again) == (13, 10)

    def test_a_new_price(self, fresh):
        product = NewProduct(fresh("lamp"), "Lamp", (fresh("shelf"),), "", 1_999, "EUR")
        self.put(product)
        assert self.put(replace(product, unit_price_cents=2_999)) == 14

    def test_a_purchase_stands_in_two_indexes_for_a_unit_each(self, fresh):
        ordered = made_order(fresh("ann"), lines=[NewLine(fresh("lamp"), "Lamp", 1, 100)])
        _, belongings = order_items_of(ordered, shard=0)
        (purchase,) = (item.serialize() for item in belongings if isinstance(item, Purchase))
        derived = ("order_status_date", "data_partition", "data")
        bare = {name: value for name, value in purchase.items() if name not in derived}
        assert (units_of_put(bare), units_of_put(purchase)) == (2, 2 + 2)


def units_of_put(item: dict[str, Any]) -> float:
    key = {name: item[name] for name in ("pk", "sk")}
    client().delete_item(TableName=ShopItem.Meta.table_name, Key=key)
    with metered() as meter:
        client().put_item(TableName=ShopItem.Meta.table_name, Item=item)
    return meter.capacity_units()
