"""What the tests of the queue share."""

from datetime import timedelta

import pytest

from shop.order_status import OPEN, Status
from tests.support.orders.making import made_order, put
from tests.support.orders.queueing import LONG_AGO, stored_status


@pytest.fixture
def opened(alice, bob, sam):
    """Six open orders at the head of the queue, two in each status, gone afterwards."""
    orders = [
        made_order(who.username, status, placed_at=LONG_AGO + timedelta(hours=n))
        for n, (status, who) in enumerate((status, who) for status in OPEN for who in (alice, bob))
    ]
    put(*orders)
    yield orders
    for order in orders:
        status = stored_status(order)
        if Status(status).is_open:
            fields = {"from_status": status, "move": "CANCELED"}
            sam.send(f"/orders/{order.id}/move/", fields)
