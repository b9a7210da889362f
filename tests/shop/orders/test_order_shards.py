"""The shards of the queue."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random

import pytest

from dynapages.calls import metered
from dynapages.lists import PageRequest
from dynapages.process import client
from dynapages_testing.conflicts import cancelled, throttles
from dynapages_testing.hooks import hooked
from shop import keys, table
from shop.order_status import OPEN, Status
from shop.orders.filters import OrderFilter
from shop.orders.placing import place_order
from shop.orders.queries import list_open_orders
from shop.table import OPEN_ORDERS, QUEUE
from tests.support.chance import unique
from tests.support.orders.making import made_order, move, put, put_product, stored_order
from tests.support.shop.order_walks import queue_of, there_and_back

EVEN_LONGER_AGO = datetime(1999, 1, 1, tzinfo=UTC)
pytestmark = pytest.mark.usefixtures("tables")


class TestTheShards:
    def test_are_all_used_by_a_burst(self, fresh, settings):
        settings.ORDER_SHARDS = 4
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
        OPEN_ORDERS._known.clear()  # as in another process
        settings.ORDER_SHARDS = 1
        found = there_and_back(queue_of(Status.PLACED), size=100)
        assert {order.id for order in orders} <= {*found}


@pytest.fixture
def one_shard():
    """The number of shards as it is in a new shop, until the test is over."""
    before = OPEN_ORDERS.count()
    client().delete_item(TableName=table.TABLE, Key=table.wire_key(keys.shards(QUEUE)))
    forget()
    yield
    OPEN_ORDERS.raise_to(before)


def forget() -> None:
    """Know no more than a new process does."""
    OPEN_ORDERS._known.clear()


def place(username: str, product: str, *, at: datetime = EVEN_LONGER_AGO) -> str:
    return place_order(username=username, client_id=unique("intent"), basket={product: 1}, now=at)


@pytest.mark.usefixtures("one_shard")
class TestTheNumberOfShards:
    def test_is_one_at_first(self, fresh):
        place(fresh("alex"), put_product(fresh("lamp")))
        assert OPEN_ORDERS.count() == 1

    @pytest.mark.parametrize(("number", "expected"), [(1, 1), (2, 2)])
    def test_doubles_where_placing_is_throttled_twice(self, fresh, number, expected):
        with throttles(number):
            place(fresh("alex"), put_product(fresh("lamp")))
        assert OPEN_ORDERS.count() == expected

    @pytest.mark.parametrize(
        ("source", "target", "expected"),
        [
            (Status.PLACED, Status.APPROVED, 2),
            (Status.PROCESSING, Status.SHIPPED, 2),
            (Status.SHIPPED, Status.DELIVERED, 1),
        ],
    )
    def test_doubles_where_a_move_in_the_queue_or_out_of_it_is(
        self, fresh, source, target, expected
    ):
        order = made_order(fresh("alex"), source)
        put(order)
        with throttles(2):
            move(order, source, target)
        assert OPEN_ORDERS.count() == expected

    def test_stays_where_an_import_is(self, fresh):
        with throttles(4):
            put(made_order(fresh("alex")))
        assert OPEN_ORDERS.count() == 1

    def test_ends_at_that_of_counters(self, fresh, settings):
        settings.COUNTER_SHARDS = 3
        for _ in range(3):
            with throttles(2):
                place(fresh("alex"), put_product(fresh("lamp")))
        assert OPEN_ORDERS.count() == 3

    @pytest.mark.real_engine
    @pytest.mark.parametrize("seed", range(2))
    def test_may_grow_under_writers_and_a_reader_misses_and_repeats_nothing(self, fresh, seed):
        """Each third transaction is throttled; placing goes on while pages are read."""
        chance, numbers = Random(seed), count(1)
        users, lamp = [fresh("alex") for _ in range(4)], put_product(fresh("lamp"))
        placed: list[str] = []

        def throttle(params: dict[str, list[object]], **_: object) -> None:
            if next(numbers) % 3:
                raise cancelled(len(params["TransactItems"]), "ThrottlingError", at=0)

        def write(username: str) -> None:
            for _ in range(5):
                forget()
                at = EVEN_LONGER_AGO + timedelta(minutes=chance.randrange(10_000))
                placed.append(place(username, lamp, at=at))

        with (
            hooked("provide-client-params.dynamodb.TransactWriteItems", throttle),
            ThreadPoolExecutor(len(users)) as threads,
        ):
            writers = [threads.submit(write, username) for username in users]
            while not all(writer.done() for writer in writers):
                before = {*placed}
                found = list(walk(size=chance.randint(3, 9)))
                assert len(found) == len({*found})
                assert before <= {*found}
        assert OPEN_ORDERS.count() > 1
        assert [each for each in there_and_back(queue_of(), size=7) if each in placed] == sorted(
            placed
        )


def walk(*, size: int) -> Iterator[str]:
    """The ids on the pages of the queue, each read by a process that knows nothing."""
    position = None
    while True:
        forget()
        page = list_open_orders(OrderFilter(), PageRequest(size, position))
        yield from (order.id for order in page.items)
        if not page.page.has_next:
            return
        position = page.page.entries[-1].position


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
        assert [call.operation for call in meter.labelled("counts")] == ["BatchGetItem"]
