"""Events of orders are owed in the transaction of the change: none is lost, and each has one id."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from dynapages.calls import metered
from dynapages.process import client
from shop.models import Order
from shop.order_status import Move, Status
from shop.orders.importing import put_orders
from shop.orders.moving_many import move_orders
from shop.orders.placing import place_order
from shop.webhooks.events import ORDER_MOVED, ORDER_PLACED
from shop.webhooks.known import known_webhooks
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
from tests.support.receivers import status
from tests.support.webhooks import deliver_all, hearing_of, ids, told
from tests.support.work import finish_what_waits, forget_what_waits

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def told_of(receiver) -> Iterator[object]:
    """What a webhook was told of an order, by type, once all that is owed is done."""

    def told_of(order_id: str) -> list[dict[str, object]]:
        deliver_all()
        return [body for body in told(receiver) if body["data"]["order_id"] == order_id]

    with hearing_of(receiver.url, ORDER_PLACED, ORDER_MOVED):
        yield told_of


class TestAnOrder:
    def test_is_told_of_when_it_is_placed(self, told_of, fresh):
        lamp = put_product(fresh("lamp"))
        name = fresh("alex")
        order_id = place_order(
            username=name, client_id=fresh("intent"), basket={lamp: 1}, now=START
        )
        (event,) = told_of(order_id)
        assert event["type"] == ORDER_PLACED
        assert event["timestamp"] == "2023-01-01T00:00:00.000000Z"
        assert event["data"] == {"order_id": order_id, "status": "PLACED"}
        assert name not in str(event)

    def test_is_told_of_when_it_is_moved(self, told_of, order):
        move(order, Status.PLACED, Status.APPROVED)
        (event,) = told_of(order.id)
        assert event["type"] == ORDER_MOVED
        assert event["data"] == {
            "order_id": order.id,
            "status": "APPROVED",
            "previous_status": "PLACED",
        }

    def test_is_told_of_each_by_itself_where_many_are_moved(self, told_of, fresh):
        orders = [made_order(fresh("alex")) for _ in range(3)]
        put(*orders)
        stored = {}
        for order in orders:
            stored[order.id] = Order.from_raw_data(dict(stored_order(order.username, order.id)))
        approval = Move(Status.PLACED, Status.APPROVED)
        move_orders(stored, stored, approval, who="sam", now=LATER)
        assert [len(told_of(order.id)) for order in orders] == [1, 1, 1]

    def test_is_told_of_by_an_import_that_is_announced_alone(self, told_of, fresh):
        silent, announced = made_order(fresh("alex")), made_order(fresh("kim"))
        put_orders([silent])
        put_orders([announced], announces=True)
        assert told_of(silent.id) == []
        assert [event["type"] for event in told_of(announced.id)] == [ORDER_PLACED]


@pytest.mark.real_engine
class TestAProcessThatIsKilled:
    @pytest.fixture(autouse=True)
    def one_client(self, monkeypatch):
        """The calls of the queue fail as all others do."""
        monkeypatch.setattr(QUEUE, "_client", client)

    @pytest.mark.parametrize("when", EVENTS)
    def test_loses_no_event_wherever_it_was(self, receiver, when):
        """Between the change, the due item, the fan-out, the delivery, and its deletion."""
        rounds = repeated = 0
        with hearing_of(receiver.url, ORDER_MOVED):
            for fault in faults(when, every_call=True, kills=True):
                put(order := made_order(unique("alex")))
                with fault.injected(), suppress(Killed):
                    move(order, Status.PLACED, Status.APPROVED)
                    finish_what_waits()
                forget_what_waits()
                deliver_all()
                is_moved = stored_order(order.username, order.id)["status"]["S"] == "APPROVED"
                assert len(set(ids(receiver))) == int(is_moved), fault
                assert {body["data"]["order_id"] for body in told(receiver)} <= {order.id}
                assert list(QUEUE.waiting()) == []
                repeated += len(receiver.requests) > 1
                receiver.requests.clear()
                rounds += 1
        assert rounds > 5
        # Where it is killed between the answer of the receiver and the deletion, it is sent again.
        if when == "before it is sent":
            assert repeated

    @pytest.mark.parametrize("when", EVENTS)
    def test_loses_no_event_while_calls_fail(self, receiver, when):
        rounds = 0
        with hearing_of(receiver.url, ORDER_MOVED):
            for fault in faults(when, every_call=False):
                put(order := made_order(unique("alex")))
                move(order, Status.PLACED, Status.APPROVED)
                with fault.injected():
                    finish_what_waits()
                deliver_all()
                assert len(set(ids(receiver))) == 1, fault
                receiver.requests.clear()
                rounds += 1
        assert rounds > 1


@pytest.mark.real_engine
class TestTheCost:
    """As docs/webhooks.md says."""

    @pytest.fixture
    def units(self, order, receiver):
        """What a move costs, and what is done for it afterwards."""

        def units() -> tuple[float, float, int]:
            with metered() as moving:
                move(order, Status.PLACED, Status.APPROVED)
            with metered() as doing:
                finish_what_waits()
            return moving.units, doing.units, moving.calls

        return units

    def test_is_nothing_without_a_webhook(self, units):
        assert units()[1] == 0

    def test_is_that_of_one_item_where_a_webhook_hears_of_it(self, receiver, fresh, units):
        before = [made_order(fresh("alex")), made_order(fresh("alex"))]
        put(*before)
        with metered() as alone:
            move(before[0], Status.PLACED, Status.APPROVED)
        with hearing_of(receiver.url, ORDER_PLACED), metered() as of_others:
            move(before[1], Status.PLACED, Status.APPROVED)
        assert of_others.units - of_others.units_of("webhooks") == alone.units
        with hearing_of(receiver.url, ORDER_MOVED):
            # Once a process knows of it, a change makes no call more.
            known_webhooks()
            moving, doing, calls = units()
        assert calls == alone.calls
        assert moving == alone.units + 3
        assert doing == 10
        assert len(receiver.requests) == 1

    def test_of_an_attempt_that_fails_is_little(self, receiver, units):
        receiver.answer = status(500)
        with hearing_of(receiver.url, ORDER_MOVED):
            _moving, doing, _calls = units()
        # Eight for the attempt, and what the delivery is owed by.
        assert doing == 8 + 4 + 2
