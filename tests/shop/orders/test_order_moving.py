"""Moving orders from status to status."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from dynamo.calls.client import client
from dynamo.writes.counters import shards_in
from shop import keys
from shop.models import ShopItem
from shop.order_status import OPEN, Status
from shop.orders.counts import counter_of, counts_of, queue_lengths
from shop.orders.items import NewOrder
from shop.orders.moving import Moved, MoveNotAllowed, OrderMoved, move_order, move_orders
from shop.orders.queries import NoSuchOrder
from tests.support.orders.making import LIFE, START, made_order, put, stored_order

LATER = START + timedelta(days=1)
SPARSE = {"order_open_date", "open_shard", "open_place"}


@pytest.fixture
def order(fresh: Callable[[str], str], tables: None) -> NewOrder:
    order = made_order(fresh("alex"))
    put(order)
    return order


def move(order: NewOrder, source: Status, target: Status, **how: Any) -> None:
    how = {"is_staff": True, "now": LATER, **how}
    move_order(username=order.username, order_id=order.id, source=source, target=target, **how)


@pytest.mark.fallback
class TestAMove:
    def test_rewrites_the_composite_key(self, order: NewOrder) -> None:
        move(order, Status.PLACED, Status.APPROVED)
        stored = stored_order(order.username, order.id)
        expected = f"APPROVED#2023-01-02T00:00:00.000000Z#{order.id}"
        assert stored["order_status_date"] == {"S": expected}

    def test_keeps_the_shard_and_the_place_in_the_queue(self, order: NewOrder) -> None:
        before = stored_order(order.username, order.id)
        move(order, Status.PLACED, Status.APPROVED)
        after = stored_order(order.username, order.id)
        assert after["open_shard"]["S"] == before["open_shard"]["S"].replace("PLACED", "APPROVED")
        assert after["open_place"] == before["open_place"]

    @pytest.mark.parametrize("end", [Status.SHIPPED, Status.CANCELED])
    def test_that_closes_the_order_removes_the_sparse_keys(
        self, order: NewOrder, end: Status
    ) -> None:
        assert stored_order(order.username, order.id).keys() >= SPARSE
        for source, target in [*itertools.pairwise(OPEN), (OPEN[-1], end)]:
            move(order, source, target)
        assert not SPARSE & stored_order(order.username, order.id).keys()

    def test_is_added_to_the_history(self, order: NewOrder) -> None:
        move(order, Status.PLACED, Status.CANCELED)
        history = stored_order(order.username, order.id)["history"]["L"]
        assert [step["M"]["status"]["S"] for step in history] == ["PLACED", "CANCELED"]
        assert history[1]["M"]["at"] == {"S": "2023-01-02T00:00:00.000000Z"}

    @pytest.mark.parametrize("late", [timedelta(0), timedelta(minutes=5)])
    def test_is_later_than_the_one_before_whatever_the_clock_says(
        self, order: NewOrder, late: timedelta
    ) -> None:
        move(order, Status.PLACED, Status.APPROVED)
        move(order, Status.APPROVED, Status.PROCESSING, now=LATER - late)
        stored = stored_order(order.username, order.id)
        times = [step["M"]["at"]["S"] for step in stored["history"]["L"]]
        assert times[-1] == "2023-01-02T00:00:00.000001Z"
        assert times == sorted(times)
        assert stored["order_status_date"]["S"] == f"PROCESSING#{times[-1]}#{order.id}"

    def test_moves_the_counts(self, order: NewOrder) -> None:
        before = queue_lengths()
        for source, target in itertools.pairwise(LIFE):
            move(order, source, target)
            counts = counts_of(order.username)
            assert counts[target] == sum(counts.values()) == 1
        assert queue_lengths() == before | {Status.PLACED: before[Status.PLACED] - 1}


class TestAMoveIsRefused:
    def test_when_the_order_has_left_the_status_that_was_seen(self, order: NewOrder) -> None:
        move(order, Status.PLACED, Status.APPROVED)
        with pytest.raises(OrderMoved) as refusal:
            move(order, Status.PLACED, Status.CANCELED)
        assert refusal.value.current is Status.APPROVED

    def test_when_somebody_is_faster_by_a_hair(self, order: NewOrder) -> None:
        """The order moves between this move's own read and its write."""

        def overtake(**_: object) -> None:
            client().meta.events.unregister(event, overtake)
            move(order, Status.PLACED, Status.APPROVED)

        event = "before-parameter-build.dynamodb.TransactWriteItems"
        client().meta.events.register(event, overtake)
        with pytest.raises(OrderMoved) as refusal:
            move(order, Status.PLACED, Status.CANCELED)
        assert refusal.value.current is Status.APPROVED
        assert counts_of(order.username)[Status.CANCELED] == 0

    def test_when_there_is_no_such_move(self, order: NewOrder) -> None:
        with pytest.raises(MoveNotAllowed, match="from “Placed” to “Delivered”"):
            move(order, Status.PLACED, Status.DELIVERED)

    def test_when_it_is_not_the_customers(self, order: NewOrder) -> None:
        with pytest.raises(MoveNotAllowed):
            move(order, Status.PLACED, Status.APPROVED, is_staff=False)

    def test_for_an_order_that_does_not_exist(self, fresh: Callable[[str], str]) -> None:
        with pytest.raises(NoSuchOrder):
            move(made_order(fresh("alex")), Status.PLACED, Status.APPROVED)


class TestAMoveThatWasMadeBefore:
    def test_changes_nothing(self, order: NewOrder) -> None:
        move(order, Status.PLACED, Status.APPROVED)
        before = stored_order(order.username, order.id)
        move(order, Status.PLACED, Status.APPROVED)
        assert stored_order(order.username, order.id) == before


class TestManyWhoMoveOneOrder:
    @pytest.mark.real_engine
    def test_move_it_once_each_time(self, order: NewOrder) -> None:
        with ThreadPoolExecutor(12) as threads:
            for source, target in itertools.pairwise(LIFE):
                tries = [threads.submit(move, order, source, target) for _ in range(12)]
                for one in tries:
                    one.result()
        history = stored_order(order.username, order.id)["history"]["L"]
        assert [change["M"]["status"]["S"] for change in history] == list(LIFE)
        assert counts_of(order.username) == dict.fromkeys(Status, 0) | {Status.RETURNED: 1}


class TestAConflict:
    def test_is_tried_again_and_at_the_second_spreads_the_counter(self, order: NewOrder) -> None:
        shards, left = stored_shards(order.username), [1, 2]

        def conflict(**_: object) -> None:
            if not left:
                return
            left.pop()
            reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}, {"Code": "None"}]
            error = {"Error": {"Code": "TransactionCanceledException", "Message": ""}}
            raise ClientError(
                {**error, "CancellationReasons": reasons},  # type: ignore[arg-type]
                "TransactWriteItems",
            )

        event = "before-parameter-build.dynamodb.TransactWriteItems"
        client().meta.events.register(event, conflict)
        try:
            move(order, Status.PLACED, Status.APPROVED)
        finally:
            client().meta.events.unregister(event, conflict)
        assert stored_shards(order.username) == shards * 2
        assert counts_of(order.username)[Status.APPROVED] == 1


def stored_shards(username: str) -> int:
    key = {n: {"S": v} for n, v in keys.counter(counter_of(username), 0).items()}
    response = client().get_item(TableName=ShopItem.Meta.table_name, Key=key, ConsistentRead=True)
    return shards_in(response["Item"])


class TestMovingSeveral:
    def test_moves_each_that_can_be_moved(self, fresh: Callable[[str], str], tables: None) -> None:
        ready = [made_order(fresh("alex"), Status.PROCESSING) for _ in range(2)]
        placed = made_order(fresh("bob"))
        put(*ready, placed)
        ids = [ready[0].id, placed.id, "nonsense", ready[1].id, ready[0].id]
        results = move_orders(
            order_ids=ids, source=Status.PROCESSING, target=Status.SHIPPED, now=datetime.now(UTC)
        )
        assert [r for r in results if not r.refusal] == [Moved(order.id) for order in ready]
        assert [r.order_id for r in results if r.refusal] == [placed.id, "nonsense"]
