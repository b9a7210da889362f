"""Products of a category by name and price: every page, there and back."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynapages.calls import metered
from dynapages.lists import PageRequest
from shop.catalogue.content import NewProduct
from shop.catalogue.items import EDGES
from shop.catalogue.queries import PLAN, ProductOrder, list_category
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.making import category, in_order, products_in
from tests.support.chance import examples

pytestmark = pytest.mark.usefixtures("tables")

orders = pytest.mark.parametrize("order", list(ProductOrder))


@pytest.fixture(scope="module")
def shelf(tables):
    """23 products, many of one name or price."""
    products = products_in("ordered", 23)
    put_catalogue(categories=[category("ordered")], products=products)
    return products


def there(slug: str, order: ProductOrder, size: int) -> list[str]:
    """The products of all pages."""
    found, request = [], PageRequest(size)
    while True:
        read = list_category(slug, request, order=order)
        found += [product.id for product in read.items]
        if not read.page.has_next:
            return found
        request = PageRequest(size, read.page.entries[-1].position)


class TestAList:
    @orders
    @pytest.mark.real_engine
    def test_costs_a_query_for_each_shard_at_any_depth(self, shelf, order):
        shards = EDGES.count()
        every = list_category("ordered", PageRequest(100), order=order).page.entries
        for entry in every[::10]:
            with metered() as meter:
                list_category("ordered", PageRequest(10, entry.position), order=order)
            queries = [call for call in meter.log if call.operation == "Query"]
            assert {call.index for call in queries} <= {PLAN}
            assert sum(call.capacity_units for call in queries) <= shards * 0.5
            assert meter.units_of("shards") == 1

    def test_keeps_all_when_there_are_more_shards(self, fresh):
        slug = fresh("shards")
        products = products_in(slug, 12)
        put_catalogue(categories=[category(slug)], products=products[:6])
        EDGES.raise_to(EDGES.count() + 1)
        put_catalogue(categories=[category(slug)], products=products[6:])
        assert there(slug, ProductOrder.NAME, 5) == in_order(products, ProductOrder.NAME)


class TestAChange:
    @pytest.mark.real_engine
    @given(
        before=st.lists(st.integers(0, 4), min_size=6, max_size=6),
        after=st.lists(st.integers(0, 4), min_size=6, max_size=6),
        data=st.data(),
    )
    @settings(
        max_examples=examples(24), suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    def test_of_any_names_and_prices_keeps_the_order(self, fresh, before, after, data):
        slug = fresh("changing")
        names = data.draw(st.lists(st.text("aÄ z#", max_size=4), min_size=6, max_size=6))
        for prices, suffix in ((before, ""), (after, "x")):
            products = [
                NewProduct(f"{slug}-{n}", names[n] + suffix * n, (slug,), "", price or None, "EUR")
                for n, price in enumerate(prices)
            ]
            put_catalogue(categories=[category(slug)], products=products)
        for order in ProductOrder:
            assert there(slug, order, 2) == in_order(products, order)
