"""Many orders at once, as imports write them."""

from dataclasses import replace
from datetime import timedelta

import pytest

from dynapages.lists import PageRequest
from shop.order_status import Status
from shop.orders.counts import read_customer_counts, read_queue_lengths
from shop.orders.filters import OrderFilter
from shop.orders.importing import OrderOutcome, put_orders
from shop.orders.items import NewLine, NewOrder, StatusChange
from shop.orders.queries import find_order, list_orders
from tests.support.orders.making import START, made_order, move, newest_first, stored_order

DAY = timedelta(days=1)


@pytest.fixture
def username(fresh, tables):
    return fresh("alex")


def went_on(order: NewOrder, status: Status, *, days: int) -> NewOrder:
    change = StatusChange(status, START + days * DAY)
    return replace(order, history=(*order.history, change))


class TestPuttingOrders:
    def test_writes_all_of_a_customer_with_exact_counts(self, username):
        orders = [
            made_order(username, status, placed_at=START + n * DAY)
            for n, status in enumerate([*Status] * 4)
        ]
        assert put_orders(orders) == [OrderOutcome.CREATED] * len(orders)
        found = list_orders(username, OrderFilter(), PageRequest(50)).items
        assert [order.id for order in found] == newest_first(orders)
        assert read_customer_counts(username) == dict.fromkeys(Status, 4)

    def test_twice_changes_nothing(self, username, fresh):
        orders = [made_order(username, foreign_id=fresh("elsewhere")) for _ in range(5)]
        put_orders(orders[1:4])
        created, kept = OrderOutcome.CREATED, OrderOutcome.UNCHANGED
        assert put_orders(orders) == [created, kept, kept, kept, created]
        before = stored_order(username, orders[0].id), read_queue_lengths()
        assert put_orders(orders) == [OrderOutcome.UNCHANGED] * 5
        assert (stored_order(username, orders[0].id), read_queue_lengths()) == before
        assert read_customer_counts(username)[Status.PLACED] == 5

    def test_takes_over_a_later_history(self, username):
        order = made_order(username)
        put_orders([order])
        later = went_on(order, Status.SHIPPED, days=3)
        assert put_orders([later]) == [OrderOutcome.UPDATED]
        assert find_order(order.id).status is Status.SHIPPED
        assert "open_shard" not in stored_order(username, order.id)
        assert read_customer_counts(username) == dict.fromkeys(Status, 0) | {Status.SHIPPED: 1}

    def test_never_undoes_what_the_shop_did_since(self, username):
        order = made_order(username)
        put_orders([order])
        move(order, Status.PLACED, Status.CANCELED, is_staff=False, now=START + 9 * DAY)
        assert put_orders([went_on(order, Status.APPROVED, days=3)]) == [OrderOutcome.UNCHANGED]
        assert find_order(order.id).status is Status.CANCELED

    def test_tells_of_a_foreign_id_that_another_order_has(self, username, fresh):
        foreign_id = fresh("elsewhere")
        put_orders([made_order(username, foreign_id=foreign_id)])
        other = made_order(fresh("bob"), foreign_id=foreign_id, placed_at=START + DAY)
        assert put_orders([other]) == [OrderOutcome.ID_IN_USE]
        assert read_customer_counts(other.username)[Status.PLACED] == 0

    def test_takes_two_lines_of_one_product(self, username):
        lines = [NewLine("lamp", "Lamp", 1, 100), NewLine("lamp", "Lamp, worn", 1, 50)]
        order = made_order(username, lines=lines)
        assert put_orders([order]) == [OrderOutcome.CREATED]
        assert [line.name for line in find_order(order.id).items] == ["Lamp", "Lamp, worn"]

    def test_keeps_the_lines_of_a_stored_order_with_a_later_history(self, username):
        put_orders([order := made_order(username)])
        longer = replace(order, lines=(*order.lines, NewLine("pen", "Pen", 1, 100)))
        assert put_orders([went_on(longer, Status.SHIPPED, days=3)]) == [OrderOutcome.UPDATED]
        found = find_order(order.id)
        assert (found.line_count, found.item_count, str(found.total)) == (1, 2, "39.98")
