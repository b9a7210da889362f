"""Placing orders."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from dynapages.lists import PageRequest
from shop.for_comments import has_bought
from shop.order_status import Status
from shop.orders.counts import read_customer_counts
from shop.orders.filters import OrderFilter
from shop.orders.placing import OrderRefused, order_placed_by, place_order
from shop.orders.queries import find_order, list_orders
from tests.support.orders.making import put_product

NOW = datetime(2026, 11, 20, 9, 30, 15, 123_456, tzinfo=UTC)
Ordering = Callable[..., str]


@pytest.fixture
def username(fresh, tables):
    return fresh("alex")


@pytest.fixture
def order(username, fresh):
    """Orders, each time with an intent of its own unless told otherwise."""

    def order(*basket: tuple[str, int], client_id: str | None = None) -> str:
        return place_order(
            username=username, client_id=client_id or fresh("intent"), basket=dict(basket), now=NOW
        )

    return order


@pytest.fixture
def product(fresh):
    return lambda **price: put_product(fresh("product"), **price)


def orders_of(username: str) -> list[str]:
    found = list_orders(username, OrderFilter(), PageRequest(50)).items
    return [order.id for order in found]


@pytest.mark.fallback
class TestAPlacedOrder:
    def test_has_the_names_and_prices_of_its_moment(self, order, product, username):
        lamp = product(cents=1_999)
        order_id = order((lamp, 3))
        assert has_bought(username, lamp)
        put_product(lamp, cents=9_999)
        found = find_order(order_id)
        assert found.total == Decimal("59.97")
        assert [(line.product_id, line.quantity) for line in found.items] == [(lamp, 3)]

    def test_is_placed_to_the_millisecond_that_its_id_tells(self, order, product):
        assert find_order(order((product(), 1))).placed == NOW.replace(microsecond=123_000)

    def test_may_hold_forty_products(self, order, product):
        found = find_order(order(*((product(), 1) for _ in range(40))))
        assert len(found.items) == found.item_count == 40


class TestAnIntent:
    def test_places_one_order_however_often_it_is_sent(self, order, product, username):
        lamp = product()
        first = order((lamp, 1), client_id="intent")
        assert order((lamp, 1), client_id="intent") == first
        assert order(client_id="intent") == first
        assert orders_of(username) == [first]
        assert read_customer_counts(username)[Status.PLACED] == 1

    @pytest.mark.real_engine
    def test_places_one_order_when_sent_many_times_at_once(self, order, product, username):
        lamp = product()
        with ThreadPoolExecutor(10) as threads:
            placed = set(threads.map(lambda _: order((lamp, 1), client_id="intent"), range(20)))
        assert orders_of(username) == [*placed]
        assert read_customer_counts(username)[Status.PLACED] == 1

    def test_is_its_customers_own(self, order, product, fresh):
        lamp, bob = product(), fresh("bob")
        order((lamp, 1), client_id="intent")
        assert order_placed_by(username=bob, client_id="intent") is None


REFUSED = {
    "no such product": ([("no-product", 1)], "no longer sold"),
    "no price": ([({"cents": None}, 1)], "no longer sold"),
    "two currencies": ([({}, 1), ({"currency": "USD"}, 1)], "EUR, USD"),
    "one that is not there": ([({}, 1), ("no-product", 1)], "no longer sold"),
}
"""Baskets of ids, or of products made with a price, and what is said of them."""


class TestAnOrderIsRefused:
    @pytest.mark.parametrize("basket", REFUSED)
    def test_for_its_basket_without_writing_anything(self, order, product, username, basket):
        wanted, sentence = REFUSED[basket]
        lines = [(i if isinstance(i, str) else product(**i), pieces) for i, pieces in wanted]
        with pytest.raises(OrderRefused, match=sentence):
            order(*lines, client_id="intent")
        assert orders_of(username) == []
        assert order_placed_by(username=username, client_id="intent") is None
