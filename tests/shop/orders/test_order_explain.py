"""EXPLAIN for lists of orders."""

from datetime import timedelta
from functools import partial

import pytest

from dynapages.lists import Explanation
from shop.order_status import Status
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList, explain_list, queue_pager
from shop.orders.queries import list_open_orders, read_orders
from shop.table import OPEN_ORDERS
from tests.support.orders.making import START, made_order, put

BOTH = OrderFilter(statuses=(Status.SHIPPED, Status.DELIVERED))


@pytest.fixture
def username(fresh, tables):
    username = fresh("alex")
    for n, status in enumerate([Status.SHIPPED, Status.DELIVERED] * 2):
        put(made_order(username, status, placed_at=START + timedelta(days=n)))
    return username


def explain_orders(username: str, chosen: OrderFilter, *, size: int) -> Explanation:
    pager = OrderList(username, "").pager(chosen)
    return explain_list(pager, partial(read_orders, username, chosen), size=size)


class TestExplainingOrders:
    @pytest.mark.parametrize(
        ("chosen", "plan", "index"),
        [
            (OrderFilter(), "orders_by_user", "shop"),
            (BOTH, "orders_by_status", "by_status"),
            (OrderFilter(open_only=True), "open_by_date", "open_by_date"),
        ],
    )
    def test_names_the_plan_and_what_it_read(self, username, chosen, plan, index):
        explanation = explain_orders(username, chosen, size=20)
        assert explanation.plan == plan
        assert {query.index.rpartition("-")[2] for query in explanation.queries} == {index}
        assert [line.name for line in explanation.other] == ["counts"]


class TestExplainingTheQueue:
    def test_names_each_shard(self, username):
        chosen = OrderFilter((Status.PLACED,))
        read = partial(list_open_orders, chosen)
        explanation = explain_list(queue_pager(chosen), read, size=20)
        keys = [query.key for query in explanation.queries]
        assert keys == [f"OPEN#PLACED#{shard}" for shard in range(OPEN_ORDERS.count())]
        assert [line.name for line in explanation.other] == ["counts"]
