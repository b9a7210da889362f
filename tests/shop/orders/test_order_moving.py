"""Moving orders from status to status."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from functools import partial

import pytest
from botocore.exceptions import ClientError

from dynapages.process import client
from dynapages.writes import shards_in
from shop import keys
from shop.order_status import Status
from shop.orders.counts import customer_counter, read_customer_counts
from shop.orders.moving import MovedByAnother, MoveNotAllowed, OrderMoved
from shop.orders.queries import NoSuchOrder
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.orders.making import LATER, LIFE, made_order, move, stored_order
from tests.support.shop.checks import stored


@pytest.mark.fallback
class TestAMove:
    def test_is_added_to_the_history(self, order):
        move(order, Status.PLACED, Status.CANCELED)
        history = stored_order(order.username, order.id)["history"]["L"]
        assert [step["M"]["status"]["S"] for step in history] == ["PLACED", "CANCELED"]
        assert history[1]["M"]["at"] == {"S": "2023-01-02T00:00:00.000000Z"}

    @pytest.mark.parametrize("late", [timedelta(0), timedelta(minutes=5)])
    def test_is_later_than_the_one_before_whatever_the_clock_says(self, order, late):
        move(order, Status.PLACED, Status.APPROVED)
        move(order, Status.APPROVED, Status.PROCESSING, now=LATER - late)
        stored = stored_order(order.username, order.id)
        times = [step["M"]["at"]["S"] for step in stored["history"]["L"]]
        assert times[-1] == "2023-01-02T00:00:00.000001Z"
        assert times == sorted(times)
        assert stored["order_status_date"]["S"] == f"PROCESSING#{times[-1]}#{order.id}"


class TestAMoveIsRefused:
    def test_when_somebody_is_faster_by_a_hair(self, order):
        """The order moves between this move's own read and its write."""
        with (
            before_the_next_transaction(lambda: move(order, Status.PLACED, Status.APPROVED)),
            pytest.raises(OrderMoved) as refusal,
        ):
            move(order, Status.PLACED, Status.CANCELED)
        assert refusal.value.current is Status.APPROVED
        assert read_customer_counts(order.username)[Status.CANCELED] == 0

    @pytest.mark.parametrize(("who", "is_told"), [("kim", True), ("sam", False)])
    def test_when_the_same_move_is_somebody_elses_by_a_hair(self, order, who, is_told):
        same = partial(move, order, Status.PLACED, Status.APPROVED)
        refused = pytest.raises(MovedByAnother) if is_told else nullcontext()
        with before_the_next_transaction(lambda: same(who=who)), refused:
            same(who="sam")
        history = stored_order(order.username, order.id)["history"]["L"]
        assert [step["M"]["status"]["S"] for step in history] == ["PLACED", "APPROVED"]
        assert who not in str(history)

    @pytest.mark.parametrize(
        ("target", "is_staff"), [(Status.DELIVERED, True), (Status.APPROVED, False)]
    )
    def test_when_there_is_no_such_move_for_who_asks(self, order, target, is_staff):
        with pytest.raises(MoveNotAllowed, match=f"from “Placed” to “{target.label}”"):
            move(order, Status.PLACED, target, is_staff=is_staff)

    def test_for_an_order_that_does_not_exist(self, fresh, tables):
        with pytest.raises(NoSuchOrder):
            move(made_order(fresh("alex")), Status.PLACED, Status.APPROVED)


class TestManyWhoMoveOneOrder:
    @pytest.mark.real_engine
    def test_move_it_once_each_time(self, order):
        with ThreadPoolExecutor(12) as threads:
            for source, target in itertools.pairwise(LIFE):
                tries = [threads.submit(move, order, source, target) for _ in range(12)]
                for one in tries:
                    one.result()
        history = stored_order(order.username, order.id)["history"]["L"]
        assert [change["M"]["status"]["S"] for change in history] == list(LIFE)
        counts = dict.fromkeys(Status, 0) | {Status.RETURNED: 1}
        assert read_customer_counts(order.username) == counts


class TestAConflict:
    def test_is_tried_again_and_at_the_second_spreads_the_counter(self, order):
        shards, left = stored_shards(order.username), [1, 2]

        def conflict(**_: object) -> None:
            if not left:
                return
            left.pop()
            reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}, {"Code": "None"}]
            error = {"Error": {"Code": "TransactionCanceledException", "Message": ""}}
            raise ClientError(
                {**error, "CancellationReasons": reasons},
                "TransactWriteItems",
            )

        event = "before-parameter-build.dynamodb.TransactWriteItems"
        client().meta.events.register(event, conflict)
        try:
            move(order, Status.PLACED, Status.APPROVED)
        finally:
            client().meta.events.unregister(event, conflict)
        assert stored_shards(order.username) == shards * 2
        assert read_customer_counts(order.username)[Status.APPROVED] == 1


def stored_shards(username: str) -> int:
    key = keys.counter(customer_counter(username), 0)
    return shards_in(stored((key["pk"], key["sk"])))
