"""What the tests of the queue share."""

from datetime import timedelta

import pytest

from shop.order_status import OPEN, Status
from tests.support.orders.making import made_order, move, put
from tests.support.orders.queueing import LONG_AGO, stored_status


@pytest.fixture
def opened(alice, bob):
    """Six open orders at the head of the queue, two in each status, gone afterwards."""
    orders = [
        made_order(who.username, status, placed_at=LONG_AGO + timedelta(hours=n))
        for n, (status, who) in enumerate((status, who) for status in OPEN for who in (alice, bob))
    ]
    put(*orders)
    yield orders
    for order in orders:
        status = Status(stored_status(order))
        if status.is_open:
            move(order, status, Status.CANCELED)
