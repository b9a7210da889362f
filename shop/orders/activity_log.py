"""What the log tells of orders."""

from datetime import datetime

from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import record
from shop.order_status import Status


def order_placed(*, order_id: str, username: str, at: datetime) -> None:
    """Tell the log that a customer has placed an order."""
    record(
        LogEntry(
            kind=Kind.ORDER,
            action=LogVerb.PLACED,
            moment=at,
            who=username,
            subject=order_id,
            about=username,
            became=Status.PLACED.value,
        )
    )


def order_moved(
    *, order_id: str, username: str, who: str, source: Status, target: Status, at: datetime
) -> None:
    """Tell the log that somebody has moved a customer's order to another status."""
    record(
        LogEntry(
            kind=Kind.ORDER,
            action=LogVerb.MOVED,
            moment=at,
            who=who,
            subject=order_id,
            about=username,
            was=source.value,
            became=target.value,
        )
    )
