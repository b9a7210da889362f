"""Orders in the activity log."""

from datetime import datetime

from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import record
from shop.order_status import Status


def log_order(
    *, order_id: str, username: str, who: str, source: Status | None, target: Status, at: datetime
) -> None:
    """Log that ``who`` moved a customer's order to a status, or (from None) placed it."""
    record(
        LogEntry(
            kind=Kind.ORDER,
            action=LogVerb.MOVED if source else LogVerb.PLACED,
            moment=at,
            who=who,
            subject=order_id,
            about=username,
            was=source.value if source else "",
            became=target.value,
        )
    )
