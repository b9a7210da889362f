"""Orders at the head of the queue, which all tests share."""

from datetime import UTC, datetime

from shop.orders.items import NewOrder
from tests.support.orders.making import stored_order

LONG_AGO = datetime(1980, 1, 1, tzinfo=UTC)
"""Nobody else's orders are as old: these come first in the queue."""


def stored_status(order: NewOrder) -> str:
    status: str = stored_order(order.username, order.id)["status"]["S"]
    return status


def ids_of(orders: list[NewOrder]) -> list[str]:
    return [order.id for order in orders]
