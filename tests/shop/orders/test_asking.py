"""The request for reviews that a delivery owes: stored with it, and gone when it is sent back."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from dynapages.calls import clock, metered
from dynapages.lists import parse_timestamp
from dynapages.work import Owed
from shop.models import Order
from shop.order_status import Move, Status
from shop.orders.asking import REVIEW_REQUEST, forget_request
from shop.orders.importing import put_orders
from shop.orders.items import NewLine, NewOrder, StatusChange
from shop.orders.moving_many import move_orders
from shop.orders.settling import MOST_PURCHASES
from shop.work import QUEUE, everything_owed
from tests.support.chance import unique
from tests.support.orders.making import made_order, move, put, put_product, stored_order

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables", "asking")]
DAYS = 7
DELIVERY = Move(Status.SHIPPED, Status.DELIVERED)
YESTERDAY = timedelta(days=1)


@pytest.fixture
def asking(settings, monkeypatch) -> Iterator[None]:
    """A shop that asks for reviews a week behind the delivery."""
    settings.REVIEW_REQUEST_DAYS = DAYS
    settings.SITE_URL = "https://shop.example.com"
    monkeypatch.setitem(QUEUE._kinds, REVIEW_REQUEST, object())
    yield
    for owed in list(everything_owed()):
        if owed.kind == REVIEW_REQUEST:
            QUEUE.discard(owed)


def shipped(*, lines: int = 1, at: datetime | None = None) -> NewOrder:
    bought = [NewLine(put_product(unique("lamp")), "Lamp", 1, 1_999) for _ in range(lines)]
    placed_at = at or clock.now() - YESTERDAY
    order = made_order(unique("alex"), Status.SHIPPED, lines=bought, placed_at=placed_at)
    put(order)
    return order


def deliver(order: NewOrder) -> None:
    move(order, Status.SHIPPED, Status.DELIVERED, now=clock.now())


def requests_for(order: NewOrder) -> list[Owed]:
    waiting = [owed for owed in QUEUE.waiting() if owed.kind == REVIEW_REQUEST]
    return [owed for owed in waiting if owed.payload["order"] == order.id]


def read(order: NewOrder) -> Order:
    return Order.from_raw_data(dict(stored_order(order.username, order.id)))


class TestADelivery:
    def test_owes_a_request_that_is_due_some_days_later(self):
        deliver(order := shipped())
        (request,) = requests_for(order)
        assert request.payload == {"user": order.username, "order": order.id}
        delivered = parse_timestamp(read(order).history[-1].at)
        assert request.moment == delivered + timedelta(days=DAYS)

    def test_is_still_one_transaction(self):
        order = shipped()
        with metered() as meter:
            deliver(order)
        assert [call.operation for call in meter.log].count("TransactWriteItems") == 1

    def test_of_the_longest_order_still_fits_into_one_transaction(self):
        order = shipped(lines=MOST_PURCHASES)
        with metered() as meter:
            deliver(order)
        assert [call.operation for call in meter.log].count("TransactWriteItems") == 1
        assert len(requests_for(order)) == 1

    def test_of_several_orders_owes_a_request_for_each(self):
        orders = [shipped() for _ in range(3)]
        stored = {order.id: read(order) for order in orders}
        move_orders(stored, stored, DELIVERY, who="sam", now=clock.now())
        assert [len(requests_for(order)) for order in orders] == [1, 1, 1]

    def test_owes_none_where_nobody_is_asked(self, settings):
        settings.REVIEW_REQUEST_DAYS = 0
        deliver(order := shipped())
        assert requests_for(order) == []
        assert read(order).asks_at is None

    def test_owes_none_to_a_site_that_does_not_know_its_address(self, settings):
        settings.SITE_URL = ""
        deliver(order := shipped())
        assert requests_for(order) == []

    def test_owes_none_where_nothing_would_do_it(self, monkeypatch):
        monkeypatch.delitem(QUEUE._kinds, REVIEW_REQUEST)
        deliver(order := shipped())
        assert requests_for(order) == []


class TestAReturn:
    def test_takes_the_request_with_it(self):
        deliver(order := shipped())
        move(order, Status.DELIVERED, Status.RETURNED, now=clock.now())
        assert requests_for(order) == []
        assert read(order).asks_at is None

    def test_does_so_whatever_the_settings_are_by_then(self, settings):
        deliver(order := shipped())
        settings.REVIEW_REQUEST_DAYS = 3
        move(order, Status.DELIVERED, Status.RETURNED, now=clock.now())
        assert requests_for(order) == []


class TestAnImport:
    def importing(self, order: NewOrder, status: Status, *, announces: bool) -> None:
        entered = StatusChange(status, clock.now())
        put_orders(
            [replace(order, history=(*order.history, entered))],
            announces=announces,
        )

    def test_owes_none_unless_it_is_announced(self):
        self.importing(order := shipped(), Status.DELIVERED, announces=False)
        assert requests_for(order) == []

    def test_owes_a_request_for_a_delivery_that_is_announced(self):
        self.importing(order := shipped(), Status.DELIVERED, announces=True)
        assert len(requests_for(order)) == 1
        assert read(order).asks_at is not None

    def test_owes_a_request_for_a_new_order_that_is_delivered_already(self):
        at = clock.now() - YESTERDAY
        order = made_order(unique("alex"), Status.DELIVERED, placed_at=at)
        put_orders([order], announces=True)
        assert len(requests_for(order)) == 1
        assert read(order).asks_at is not None

    def test_owes_none_where_the_day_to_ask_is_over(self):
        order = made_order(unique("alex"), Status.DELIVERED)  # of 2023
        put_orders([order], announces=True)
        assert requests_for(order) == []

    def test_keeps_the_request_of_an_order_that_was_delivered_here(self):
        deliver(order := shipped())
        self.importing(order, Status.DELIVERED, announces=True)
        assert len(requests_for(order)) == 1
        assert read(order).asks_at is not None

    def test_of_a_return_takes_the_request_with_it(self):
        deliver(order := shipped())
        self.importing(order, Status.RETURNED, announces=False)
        assert requests_for(order) == []


class TestForgetting:
    def test_deletes_the_request_and_that_there_was_one(self):
        deliver(order := shipped())
        forget_request(read(order))
        assert requests_for(order) == []
        assert read(order).asks_at is None

    def test_does_nothing_where_the_order_was_sent_back_meanwhile(self):
        deliver(order := shipped())
        seen = read(order)
        move(order, Status.DELIVERED, Status.RETURNED, now=clock.now())
        forget_request(seen)
        assert read(order).status == Status.RETURNED
        assert read(order).asks_at is None
