"""Products of a category by name and price: every page, there and back."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynamo.calls.meter import metered
from dynamo.lists.reader import PageRequest, Toward
from shop.catalogue.access_patterns import PLAN, ProductOrder
from shop.catalogue.category_queries import list_category
from shop.catalogue.edge_keys import EDGES
from shop.catalogue.items import NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.catalogue.making import category, in_order, products_in
from tests.support.chance import examples

pytestmark = pytest.mark.usefixtures("tables")

orders = pytest.mark.parametrize("order", list(ProductOrder))


@pytest.fixture(scope="module")
def shelf(tables: None) -> list[NewProduct]:
    """23 products, many of one name or price."""
    products = products_in("ordered", 23)
    put_catalogue(categories=[category("ordered")], products=products)
    return products


def walk(slug: str, order: ProductOrder, request: PageRequest) -> Iterator[list[str]]:
    """Turn pages in the direction of the first request until there is no further one."""
    while True:
        found = list_category(slug, request, order=order)
        yield [product.id for product in found.items]
        onward = request.toward is Toward.NEXT
        if not (found.page.has_next if onward else found.page.has_previous):
            return
        edge = found.page.entries[-1 if onward else 0].position
        request = PageRequest(request.size, edge, request.toward)


def there(slug: str, order: ProductOrder, size: int) -> list[str]:
    return [i for page in walk(slug, order, PageRequest(size)) for i in page]


class TestAList:
    @orders
    @pytest.mark.parametrize("size", [1, 4, 100])
    def test_is_walked_whole_in_its_order(self, shelf, order, size):
        assert there("ordered", order, size) == in_order(shelf, order)

    @orders
    def test_is_walked_back_the_same_way(self, shelf, order):
        truth = in_order(shelf, order)
        *_, last = walk_positions("ordered", order)
        back = list(walk("ordered", order, PageRequest(4, last, Toward.PREVIOUS)))
        assert [i for page in reversed(back) for i in page] == truth[:-1]

    def test_by_price_leaves_out_what_has_none(self, shelf):
        unpriced = {product.id for product in shelf if product.unit_price_cents is None}
        assert unpriced
        assert unpriced.isdisjoint(there("ordered", ProductOrder.CHEAPEST, 20))
        assert unpriced < set(there("ordered", ProductOrder.NAME, 20))

    def test_shows_names_and_prices(self, shelf):
        (found,) = list_category("ordered", PageRequest(1), order=ProductOrder.DEAREST).items
        truth = next(p for p in shelf if p.id == in_order(shelf, ProductOrder.DEAREST)[0])
        assert (found.name, found.currency) == (truth.name, "EUR")
        assert int(found.unit_price * 100) == truth.unit_price_cents

    @orders
    @pytest.mark.real_engine
    def test_costs_a_query_for_each_shard_at_any_depth(self, shelf, order):
        shards = EDGES.count()
        for position in list(walk_positions("ordered", order))[::10]:
            with metered() as meter:
                list_category("ordered", PageRequest(10, position), order=order)
            queries = [call for call in meter.calls if call.operation == "Query"]
            assert {call.index for call in queries} <= {PLAN}
            assert sum(call.capacity_units for call in queries) <= shards * 0.5
            assert meter.capacity_units("shards") == 1

    def test_keeps_all_when_there_are_more_shards(self, fresh: Callable[[str], str]):
        slug = fresh("shards")
        products = products_in(slug, 12)
        put_catalogue(categories=[category(slug)], products=products[:6])
        EDGES.raise_to(EDGES.count() + 1)
        put_catalogue(categories=[category(slug)], products=products[6:])
        assert there(slug, ProductOrder.NAME, 5) == in_order(products, ProductOrder.NAME)


def walk_positions(slug: str, order: ProductOrder) -> Iterator:
    request = PageRequest(100)
    for entry in list_category(slug, request, order=order).page.entries:
        yield entry.position


class TestAChange:
    def test_of_the_price_moves_a_product(self, fresh: Callable[[str], str]):
        slug = fresh("repriced")
        products = products_in(slug, 12)
        put_catalogue(categories=[category(slug)], products=products)
        changed = [replace(products[3], unit_price_cents=50_000), *products[4:]]
        put_catalogue(categories=[category(slug)], products=changed)
        truth = [*products[:3], *changed]
        for order in ProductOrder:
            assert there(slug, order, 5) == in_order(truth, order)

    def test_to_no_price_takes_it_out_of_the_order_by_price(self, fresh: Callable[[str], str]):
        slug = fresh("unpriced")
        products = [replace(p, unit_price_cents=500) for p in products_in(slug, 3)]
        put_catalogue(categories=[category(slug)], products=products)
        products[1] = replace(products[1], unit_price_cents=None, currency=None)
        put_catalogue(categories=[category(slug)], products=products)
        assert set(there(slug, ProductOrder.CHEAPEST, 5)) == {products[0].id, products[2].id}

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
