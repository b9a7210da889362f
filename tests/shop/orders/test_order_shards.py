"""The shards of the queue."""

from datetime import UTC, datetime, timedelta

import pytest

from dynapages.calls import metered
from dynapages.lists import PageRequest
from shop import table
from shop.order_status import OPEN, Status
from shop.orders.filters import OrderFilter
from shop.orders.queries import list_open_orders
from shop.table import OPEN_ORDERS
from tests.support.orders.making import made_order, put, stored_order
from tests.support.shop.order_walks import queue_of, there_and_back

EVEN_LONGER_AGO = datetime(1999, 1, 1, tzinfo=UTC)
pytestmark = pytest.mark.usefixtures("tables")


class TestTheShards:
    def test_are_all_used_by_a_burst(self, fresh, settings):
        username, shards = fresh("alex"), max(OPEN_ORDERS.count(), settings.ORDER_SHARDS)
        orders = [
            made_order(username) for _ in range(12 * shards)
        ]  # one in ten thousand misses one
        put(*orders)
        used = {stored_order(username, order.id)["open_shard"]["S"] for order in orders}
        assert used == {f"OPEN#PLACED#{shard}" for shard in range(OPEN_ORDERS.count())}

    def test_are_known_to_the_table_before_an_order_is_put_in_one(self, settings):
        settings.ORDER_SHARDS = OPEN_ORDERS.count() + 1
        assert OPEN_ORDERS.pick() < OPEN_ORDERS.count() == settings.ORDER_SHARDS

    def test_may_change_in_number_and_no_order_is_lost(self, fresh, settings):
        username, orders = fresh("alex"), []
        for round_, number in enumerate([2, 6, 1, 7, 3]):
            settings.ORDER_SHARDS = number
            placed_at = EVEN_LONGER_AGO + timedelta(hours=round_)
            some = [made_order(username, placed_at=placed_at) for _ in range(8)]
            put(*some)
            orders += sorted(order.id for order in some)
        found = there_and_back(queue_of(Status.PLACED), size=25)
        assert [order_id for order_id in found if order_id in set(orders)] == orders

    def test_are_all_read_by_a_process_that_has_written_none(self, fresh, settings):
        settings.ORDER_SHARDS = OPEN_ORDERS.count() + 3
        orders = [made_order(fresh("alex"), placed_at=EVEN_LONGER_AGO) for _ in range(30)]
        put(*orders)
        table._shards_of.cache_clear()  # as in another process
        settings.ORDER_SHARDS = 1
        found = there_and_back(queue_of(Status.PLACED), size=100)
        assert {order.id for order in orders} <= {*found}


class TestWhatTheQueueReads:
    @pytest.mark.parametrize("chosen", [(), (Status.PLACED,), (Status.PLACED, Status.PROCESSING)])
    def test_is_one_query_for_each_status_and_shard_and_no_scan(self, chosen):
        with metered() as meter:
            list_open_orders(OrderFilter(chosen), PageRequest(20))
        queries = [call for call in meter.log if call.label == "list"]
        partitions = {f"OPEN#{s}#{n}" for s in chosen or OPEN for n in range(OPEN_ORDERS.count())}
        firsts = queries[: len(partitions)]
        assert {call.partition for call in firsts} == partitions
        assert {(call.operation, call.index) for call in queries} == {("Query", "queue")}
        assert [call.operation for call in meter.labelled("shards")] == ["GetItem"]
