"""The pickup point of an order, which its customer may change while the order is open.

The order keeps the point's name, address and hours as of the choice.
"""

from django.utils.translation import gettext as _
from pynamodb.expressions.update import Action as Change

from dynamo.calls.client import client
from dynamo.items import table_key
from dynamo.writes.transactions import Action, ConditionFailed, check, update, write_together
from shop import keys
from shop.models import Order, PickupChoice, ShopItem
from shop.order_status import OPEN, Status
from shop.orders.queries import NoSuchOrder, stored_order
from shop.pickup.points import PickupPoint
from shop.pickup.queries import NoSuchPoint, find_point


class OrderClosed(ValueError):
    """The order is not open any more; the text says its status."""

    def __init__(self, status: Status) -> None:
        sentence = _("This order is %(status)s: its delivery can no longer be changed.")
        super().__init__(sentence % {"status": status.in_words})


def find_open_order(*, username: str, order_id: str) -> Order:
    """Read a customer's open order as of the last write. Raises NoSuchOrder and OrderClosed."""
    order = stored_order(username, order_id)
    if not Status(order.status).is_open:
        raise OrderClosed(Status(order.status))
    return order


def choose_point(*, username: str, order_id: str, point_id: str) -> PickupPoint:
    """Set an open order's pickup point. Raises NoSuchPoint, NoSuchOrder and OrderClosed."""
    point = find_point(point_id)
    key = keys.pickup_point(point_id)
    choice = PickupChoice(  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
        id=point.id, name=point.name, address=point.address, hours=point.hours
    )
    chosen = _update(username, order_id, Order.pickup.set(choice))
    _write(order_id, [chosen, check(ShopItem, table_key(key, key), ShopItem.pk.exists())])
    return point


def forget_point(*, username: str, order_id: str) -> None:
    """Remove the pickup point of a customer's open order. Raises NoSuchOrder, OrderClosed."""
    _write(order_id, [_update(username, order_id, Order.pickup.remove())])


def _update(username: str, order_id: str, change: Change) -> Action:
    key = table_key(keys.user(username), keys.order(order_id))
    is_open = Order.status.is_in(*(status.value for status in OPEN))
    return update(Order, key, [change], is_open, return_item=True)


def _write(order_id: str, actions: list[Action]) -> None:
    try:
        write_together(client(), actions)
    except ConditionFailed as failure:
        if 0 not in failure.failed:
            raise NoSuchPoint("It was removed a moment ago.") from failure
        if order := failure.failed[0]:
            raise OrderClosed(Status(order["status"]["S"])) from failure
        raise NoSuchOrder(order_id) from failure
