"""The sample orders."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from demo.sample.catalogue import sample_catalogue
from demo.sample.orders import STAFF, sample_orders

NOW = datetime(2024, 5, 17, 12, 30, 15, 250_000, tzinfo=UTC)


@pytest.fixture(scope="module")
def catalogue():
    return sample_catalogue()


@pytest.fixture(scope="module")
def sales(catalogue):
    return sample_orders(catalogue, now=NOW)


class TestTheSampleAccounts:
    def test_are_fifteen_with_one_of_staff(self, sales):
        assert len(set(sales.usernames)) == len(sales.usernames) == 15
        assert STAFF in sales.usernames

    def test_have_many_orders_or_some_or_none(self, sales):
        orders = Counter(order.username for order in sales.orders)
        customers = set(sales.usernames) - {STAFF}
        assert orders["alex"] == 120
        assert customers - set(orders) == {"noor"}
        assert set(orders) < customers


class TestTheSampleOrders:
    def test_are_the_same_for_the_same_seed(self, catalogue, sales):
        assert sample_orders(catalogue, now=NOW) == sales

    def test_keep_everything_but_their_moments_on_another_day(self, catalogue, sales):
        week = timedelta(days=7)
        later = sample_orders(catalogue, now=NOW + week)
        for order, same in zip(sales.orders, later.orders, strict=True):
            moved = [(change.status, change.moment + week) for change in order.history]
            assert [(change.status, change.moment) for change in same.history] == moved
            assert (same.foreign_id, same.lines) == (order.foreign_id, order.lines)

    def test_have_references_in_the_order_of_their_placing(self, sales):
        references = [order.foreign_id for order in sales.orders]
        placed = [order.placed_at for order in sales.orders]
        assert len(set(references)) == 400
        assert references == sorted(references)
        assert placed == sorted(placed)

    def test_have_lines_of_different_products_at_their_price(self, catalogue, sales):
        prices = {product.id: product.unit_price_cents for product in catalogue.products}
        for order in sales.orders:
            assert len({line.product_id for line in order.lines}) == len(order.lines) >= 1
            assert all(line.quantity >= 1 for line in order.lines)
            assert all(line.unit_price_cents == prices[line.product_id] for line in order.lines)


class TestTheLivesOfSampleOrders:
    def test_go_forward_in_time_and_not_beyond_now(self, sales):
        for order in sales.orders:
            moments = [change.moment for change in order.history]
            assert all(earlier < later for earlier, later in pairwise(moments))
            assert moments[-1] <= NOW
            assert {moment.tzinfo for moment in moments} == {UTC}

    def test_are_open_only_lately(self, sales):
        still_open = [order for order in sales.orders if order.now_in.status.is_open]
        assert 20 < len(still_open) < 60
        assert min(order.placed_at for order in still_open) > NOW - timedelta(days=30)
