"""What reading and writing along the edges costs: the figures of docs/designs/adjacency.md."""

from dataclasses import replace
from typing import Any

import pytest

from dynapages.calls import metered
from dynapages.lists import PageRequest
from dynapages.process import client
from dynapages_testing.strict import refuse_what_aws_refuses
from shop.catalogue.also_bought import ALSO_BYTES
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.items import EDGES
from shop.catalogue.queries import (
    ProductOrder,
    find_category,
    find_product,
    list_all_categories,
    list_category,
)
from shop.catalogue.services import put_catalogue
from shop.keys import shard_of
from shop.models import ShopItem
from shop.order_status import Status
from shop.orders.items import NewLine, order_items
from tests.support.catalogue.making import category
from tests.support.comments.outage import own_engine
from tests.support.orders.making import made_order

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]
OUTER, INNER = "shelf-of-usual-length", "shelf-of-usual-length-in"


@pytest.fixture(scope="class")
def shelf(tables):
    """A category of 60 products in another, and 60 more categories, in a shop of their own.

    They are dealt out to the shards in turn: a shard that by chance has more of a page than it is
    asked for at first is asked twice.
    """
    with own_engine():
        refuse_what_aws_refuses(client())
        products = [
            NewProduct(product_id, f"Desk lamp {turn:02}", (INNER,), "", 1_999 + turn, "EUR")
            for turn, product_id in enumerate(dealt_out("lamp"))
        ]
        further = [
            NewCategory(slug, f"More {turn:02}") for turn, slug in enumerate(dealt_out("more"))
        ]
        shelves = [category(OUTER), category(INNER, OUTER)]
        put_catalogue(categories=[*shelves, *further], products=products)
        yield INNER


def dealt_out(kind: str) -> list[str]:
    """Sixty ids of this kind that belong to one shard after the other, in turn."""
    shards, every = EDGES.writable(), [f"{kind}-of-usual-length-{n:03}" for n in range(999)]
    of_shard = [[i for i in every if shard_of(i, shards) == shard] for shard in range(shards)]
    return [i for turn in zip(*of_shard, strict=False) for i in turn][:60]


class TestReading:
    def test_a_category_with_its_way_and_those_in_it_is_half_a_unit(self, shelf):
        with metered() as meter:
            assert len(find_category(shelf).trail) == 1
        assert meter.units == 0.5

    def test_a_product_with_its_way_is_one_unit(self, shelf):
        product_id = list_category(shelf, PageRequest(1)).items[0].id
        with metered() as meter:
            assert len(find_product(product_id).trail) == 2
        assert meter.units == 1

    def test_a_page_of_twenty_as_shelved_is_one_unit(self, shelf):
        with metered() as meter:
            assert len(list_category(shelf, PageRequest(20)).items) == 20
        assert meter.units == 1

    @pytest.mark.parametrize("order", list(ProductOrder))
    def test_a_page_of_twenty_in_an_order_is_half_a_unit_a_shard_and_one_for_their_number(
        self, shelf, order
    ):
        with metered() as meter:
            assert len(list_category(shelf, PageRequest(20), order=order).items) == 20
        assert meter.units == 1 + EDGES.count() / 2

    def test_a_page_of_the_tree_is_the_same(self, shelf):
        with metered() as meter:
            list_all_categories(PageRequest(20))
        assert meter.units == 1 + EDGES.count() / 2


class TestWriting:
    def put(self, product: NewProduct) -> float:
        (slug,) = product.category_slugs
        EDGES.writable()  # stores their number, once
        with metered() as meter:
            put_catalogue(categories=[category(slug)], products=[product])
        kinds = ("BatchWriteItem", "TransactWriteItems", "UpdateItem")
        written = [call for call in meter.log if call.operation in kinds]
        return sum(call.capacity_units for call in written)

    def test_a_product_into_a_new_category_and_into_one_that_is_there(self, fresh):
        product = NewProduct(fresh("lamp"), "Lamp", (fresh("shelf"),), "", 1_999, "EUR")
        with_category = self.put(product)
        again = self.put(replace(product, id=fresh("lamp")))
        assert (with_category, again) == (16, 13)

    def test_a_new_price(self, fresh):
        product = NewProduct(fresh("lamp"), "Lamp", (fresh("shelf"),), "", 1_999, "EUR")
        self.put(product)
        assert self.put(replace(product, unit_price_cents=2_999)) == 18

    def test_a_purchase_stands_in_two_indexes_for_a_unit_each(self, fresh):
        products = [f"{fresh('lamp')}-{n}".ljust(32, "-") for n in range(40)]
        lines = [NewLine(product_id, "Lamp", 1, 100) for product_id in products]
        ordered = made_order(fresh("ann").ljust(32, "-"), Status.DELIVERED, lines=lines)
        purchase = order_items(ordered, shard=0).purchases[0].serialize()
        assert len(purchase["trail"]["L"]) == ALSO_BYTES // 33
        derived = ("order_status_date", "data_partition", "data")
        bare = {name: value for name, value in purchase.items() if name not in derived}
        assert (units_of_put(bare), units_of_put(purchase)) == (2, 2 + 2)


def units_of_put(item: dict[str, Any]) -> float:
    key = {name: item[name] for name in ("pk", "sk")}
    client().delete_item(TableName=ShopItem.Meta.table_name, Key=key)
    with metered() as meter:
        client().put_item(TableName=ShopItem.Meta.table_name, Item=item)
    return meter.units
