"""What others learn of orders: Django signals, and entries of the activity log."""

from datetime import datetime

from django.dispatch import Signal

from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import record
from shop.models import Order
from shop.order_status import Status

order_placed = Signal()
"""An order was placed; arguments as of `order_moved`, without ``source`` and ``target``."""
order_moved = Signal()
"""An order entered the status ``target`` from ``source``, both a `Status`.

``order_id``, ``username`` of its customer, ``by`` (a user name, empty for a command or an import)
and ``moment`` (aware). Sent once, after the write is committed; what a receiver raises is logged.
"""
queue_counted = Signal()
"""Sent when the open orders were counted: ``count``, and the moment ``at``."""


def send_placed(order_id: str, username: str, at: datetime, *, by: str = "") -> None:
    """Send `order_placed`."""
    # What a receiver raises must not undo an order that is written.
    order_placed.send_robust(Order, order_id=order_id, username=username, by=by, moment=at)


def send_moved(
    order_id: str, username: str, source: Status, target: Status, *, at: datetime, by: str = ""
) -> None:
    """Send `order_moved`."""
    order_moved.send_robust(
        Order,
        order_id=order_id,
        username=username,
        by=by,
        moment=at,
        source=source,
        target=target,
    )


def log_order(
    *, order_id: str, username: str, who: str, source: Status | None, target: Status, at: datetime
) -> None:
    """Log that ``who`` moved a customer's order to a status, or (from None) placed it."""
    action, status_before = LogVerb.PLACED, ""
    if source is not None:
        action, status_before = LogVerb.MOVED, source.value
    record(
        LogEntry(
            kind=Kind.ORDER,
            action=action,
            moment=at,
            who=who,
            subject=order_id,
            about=username,
            was=status_before,
            became=target.value,
        )
    )
