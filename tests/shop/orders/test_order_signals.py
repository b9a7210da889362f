"""Signals of orders: each is sent once, after the write."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.dispatch import Signal

from shop.order_status import Status
from shop.orders.importing import put_orders
from shop.orders.placing import place_order
from shop.orders.signals import order_moved, order_placed
from tests.support.orders.making import LATER, START, made_order, move, put_product, stored_order

Sent = list[dict[str, Any]]


@pytest.fixture
def sent() -> Iterator[Sent]:
    found: Sent = []

    def receive(**arguments: Any) -> None:
        found.append(arguments)

    for signal in (order_placed, order_moved):
        signal.connect(receive)
    yield found
    for signal in (order_placed, order_moved):
        signal.disconnect(receive)


def signals(sent: Sent) -> list[Signal]:
    return [told["signal"] for told in sent]


class TestAPlacedOrder:
    def test_is_told_of_once_however_often_the_form_is_sent(self, sent, fresh, tables):
        username, intent, lamp = fresh("alex"), fresh("intent"), put_product(fresh("lamp"))
        for _ in range(2):
            order_id = place_order(username=username, client_id=intent, basket={lamp: 1}, now=START)
        (told,) = sent
        assert told["signal"] is order_placed
        assert (told["order_id"], told["username"], told["by"]) == (order_id, username, username)
        assert told["moment"] == START


class TestAMove:
    def test_is_told_of_once(self, sent, order):
        for _ in range(2):
            move(order, Status.PLACED, Status.APPROVED, who="sam")
        (told,) = sent
        assert told["signal"] is order_moved
        assert (told["source"], told["target"]) == (Status.PLACED, Status.APPROVED)
        assert (told["order_id"], told["username"]) == (order.id, order.username)
        assert (told["by"], told["moment"]) == ("sam", LATER)

    def test_stays_when_a_receiver_raises(self, order):
        def receive(**_: object) -> None:
            raise ZeroDivisionError

        order_moved.connect(receive)
        try:
            move(order, Status.PLACED, Status.APPROVED)
        finally:
            order_moved.disconnect(receive)
        assert stored_order(order.username, order.id)["status"]["S"] == "APPROVED"


class TestAnImport:
    def test_tells_of_nothing_unless_it_is_asked_to(self, sent, fresh, tables):
        put_orders([made_order(fresh("alex"))])
        assert sent == []

    def test_tells_of_what_it_writes_if_it_is_asked_to(self, sent, fresh, tables):
        username, foreign = fresh("alex"), fresh("foreign")
        for status in (Status.PLACED, Status.SHIPPED, Status.SHIPPED):
            order = made_order(username, status, foreign_id=foreign)
            put_orders([order], announces=True)
        assert signals(sent) == [order_placed, order_moved]
        assert (sent[1]["source"], sent[1]["target"]) == (Status.PLACED, Status.SHIPPED)
        assert {told["by"] for told in sent} == {""}
