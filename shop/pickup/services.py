"""The pickup point of an open order: chosen and forgotten by its customer."""

from django.utils.translation import gettext as _
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action as Change

from dynapages.items import table_key
from dynapages.process import write_actions
from dynapages.pynamodb import update
from dynapages.writes import Action, ConditionFailed, check
from shop import keys
from shop.models import Order, PickupChoice, ShopItem
from shop.order_status import OPEN, Status
from shop.orders.queries import NoSuchOrder, stored_order
from shop.pickup.items import PickupPoint
from shop.pickup.queries import NoSuchPoint

ORDER_ACTION = 0
"""The index of the order's update in each transaction."""


class OrderClosed(ValueError):
    """The order is not open any more; the text says its status."""

    def __init__(self, status: Status) -> None:
        sentence = _("This order is %(status)s: its delivery can no longer be changed.")
        super().__init__(sentence % {"status": status.in_words})


class NoAddress(ValueError):
    """The order has no address, so it needs its pickup point."""

    def __init__(self) -> None:
        sentence = _(
            "This order has no address that it could go to. "
            "Choose another pickup point, or cancel it and order again with an address."
        )
        super().__init__(sentence)


def find_open_order(*, username: str, order_id: str) -> Order:
    """Return a customer's open order as of the last write. Raises NoSuchOrder and OrderClosed."""
    order = stored_order(username, order_id)
    status = Status(order.status)
    if not status.is_open:
        raise OrderClosed(status)
    return order


def choose_point(*, username: str, order_id: str, point: PickupPoint) -> None:
    """Set an open order's pickup point. Raises NoSuchPoint, NoSuchOrder and OrderClosed."""
    choice = PickupChoice(  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
        id=point.id, name=point.name, address=point.address, hours=point.hours
    )
    key = keys.pickup_point(point.id)
    # The point may be removed between the read and this write.
    still_exists = check(ShopItem, table_key(key, key), ShopItem.pk.exists())
    _write_order(
        order_id, [_order_update(username, order_id, Order.pickup.set(choice)), still_exists]
    )


def forget_point(*, username: str, order_id: str) -> None:
    """Remove the pickup point of a customer's open order, which then goes to its address.

    Raises NoAddress, NoSuchOrder and OrderClosed.
    """
    removal = _order_update(username, order_id, Order.pickup.remove(), Order.address.exists())
    _write_order(order_id, [removal])


def _order_update(
    username: str, order_id: str, change: Change, further: Condition | None = None
) -> Action:
    """Build the change of an order, on condition that it is open, and of a ``further`` one."""
    key = table_key(keys.user(username), keys.order(order_id))
    is_open = Order.status.is_in(*(status.value for status in OPEN))
    condition = is_open if further is None else is_open & further
    return update(Order, key, [change], condition, return_item=True)


def _write_order(order_id: str, actions: list[Action]) -> None:
    """Write a transaction; raise what a failed condition means for the customer."""
    try:
        write_actions(actions)
    except ConditionFailed as failure:
        if ORDER_ACTION not in failure.failed:
            raise NoSuchPoint("It was removed a moment ago.") from failure
        order = failure.failed[ORDER_ACTION]
        if order:
            status = Status(order["status"]["S"])
            raise (NoAddress() if status.is_open else OrderClosed(status)) from failure
        raise NoSuchOrder(order_id) from failure
