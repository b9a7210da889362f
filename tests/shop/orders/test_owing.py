"""What others owe because of orders: stored in the transaction of the change, and done at once."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta

import pytest

from dynapages.calls import clock
from dynapages.work import Owed
from shop.models import Order
from shop.order_status import Move, Status
from shop.orders.importing import put_orders
from shop.orders.items import NewLine
from shop.orders.moving_many import move_orders
from shop.orders.owing import OrderChange, order_events
from shop.orders.placing import place_order
from shop.orders.settling import MOST_PURCHASES
from shop.work import QUEUE
from tests.support.chance import unique
from tests.support.comments.faulty import EVENTS, Killed, faults
from tests.support.orders.making import (
    LATER,
    START,
    made_order,
    move,
    put,
    put_product,
    stored_order,
)

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]
KIND = "order heard of"


@pytest.fixture
def kind(monkeypatch) -> Iterator[str]:
    """The kind of what is owed for each transaction of orders."""

    def heard_of(changes: Sequence[OrderChange]) -> list[Owed]:
        return [QUEUE.owe(KIND, {"orders": [change.order_id for change in changes]})]

    monkeypatch.setattr("shop.orders.owing.order_events", {heard_of})
    yield KIND
    for owed in list(QUEUE.waiting()):
        if owed.kind == KIND:
            QUEUE.discard(owed)


def heard_of(*order_ids: str) -> list[list[str]]:
    """The orders of each due item that names one of these."""
    waiting = [owed for owed in QUEUE.waiting() if owed.kind == KIND]
    named = [owed.payload["orders"] for owed in waiting]
    return [sorted(each) for each in named if set(each) & set(order_ids)]


@pytest.mark.usefixtures("kind")
class TestWhatIsOwed:
    def test_is_stored_with_an_order_that_is_placed(self, fresh):
        lamp = put_product(fresh("lamp"))
        order_id = place_order(
            username=fresh("alex"), client_id=fresh("intent"), basket={lamp: 1}, now=START
        )
        assert heard_of(order_id) == [[order_id]]

    def test_is_stored_with_a_move(self, order):
        move(order, Status.PLACED, Status.APPROVED)
        assert heard_of(order.id) == [[order.id]]

    def test_is_stored_once_though_a_move_is_sent_twice(self, order):
        for _ in range(2):
            move(order, Status.PLACED, Status.APPROVED, who="sam")
        assert heard_of(order.id) == [[order.id]]

    def test_is_one_item_for_all_orders_of_a_transaction(self, fresh):
        orders = [made_order(fresh("alex")) for _ in range(3)]
        put(*orders)
        stored = {order.id: _read(order.username, order.id) for order in orders}
        approval = Move(Status.PLACED, Status.APPROVED)
        move_orders(stored, stored, approval, who="sam", now=LATER)
        assert heard_of(*stored) == [sorted(stored)]

    def test_is_stored_with_the_delivery_of_the_longest_order(self, fresh):
        lines = [NewLine(fresh("lamp"), "Lamp", 1, 1_999) for _ in range(MOST_PURCHASES)]
        put(order := made_order(fresh("alex"), Status.SHIPPED, lines=lines))
        move(order, Status.SHIPPED, Status.DELIVERED)
        assert heard_of(order.id) == [[order.id]]

    def test_is_owed_by_imports_that_are_announced_alone(self, fresh):
        silent, told = made_order(fresh("alex")), made_order(fresh("kim"))
        put_orders([silent])
        put_orders([told], announces=True)
        assert heard_of(silent.id, told.id) == [[told.id]]

    @pytest.mark.parametrize("when", EVENTS)
    def test_is_stored_if_and_only_if_the_order_was_moved(self, when):
        rounds = 0
        for fault in faults(when, every_call=True, kills=True):
            put(order := made_order(unique("alex")))
            with fault.injected(), suppress(Killed):
                move(order, Status.PLACED, Status.APPROVED)
            is_moved = stored_order(order.username, order.id)["status"]["S"] == "APPROVED"
            assert len(heard_of(order.id)) == int(is_moved), fault
            rounds += 1
        assert rounds > 1


def _read(username: str, order_id: str) -> Order:
    return Order.from_raw_data(dict(stored_order(username, order_id)))


def test_what_one_of_them_raises_stops_the_write(order, monkeypatch):
    def raises(_changes: Sequence[OrderChange]) -> list[Owed]:
        raise ZeroDivisionError

    monkeypatch.setattr("shop.orders.owing.order_events", {raises})
    with pytest.raises(ZeroDivisionError):
        move(order, Status.PLACED, Status.APPROVED)
    assert stored_order(order.username, order.id)["status"]["S"] == "PLACED"


def test_nothing_is_owed_by_a_shop_alone():
    moment = clock.now() - timedelta(days=1)
    change = OrderChange("an order", "alex", None, Status.PLACED, moment)
    owed = [each for events_of in order_events for each in events_of([change])]
    assert owed == []
