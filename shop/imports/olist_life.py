"""What Olist's statuses and dates tell of an order's life."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from shop.order_status import Status
from shop.orders.items import StatusChange

_WAY = (Status.PLACED, Status.APPROVED, Status.SHIPPED, Status.DELIVERED)
STATUSES = {
    "created": Status.PLACED,
    "approved": Status.APPROVED,
    "invoiced": Status.APPROVED,
    "processing": Status.PROCESSING,
    "shipped": Status.SHIPPED,
    "delivered": Status.DELIVERED,
    "canceled": Status.CANCELED,
    "unavailable": Status.CANCELED,
}
"""Olist's statuses, and ours."""
_BEFORE = {
    Status.PLACED: (),
    Status.APPROVED: _WAY[:1],
    Status.PROCESSING: _WAY[:2],
    Status.SHIPPED: _WAY[:2],
    Status.DELIVERED: _WAY[:3],
    Status.CANCELED: _WAY,
}
"""What an order has passed through, as far as there are dates: nothing tells when one that was
shipped began to be processed."""


@dataclass(frozen=True, slots=True)
class Dates:
    """The moments Olist knows of an order."""

    purchased: datetime
    approved: datetime | None = None
    handed_to_carrier: datetime | None = None
    delivered: datetime | None = None

    def of(self, status: Status) -> datetime | None:
        """Return the date that stands for entering a status, if there is one."""
        dated = {
            Status.PLACED: self.purchased,
            Status.APPROVED: self.approved,
            Status.PROCESSING: self.approved,
            Status.SHIPPED: self.handed_to_carrier,
            Status.DELIVERED: self.delivered,
        }
        return dated.get(status)

    @property
    def latest(self) -> datetime:
        """The latest date present."""
        dates = (self.purchased, self.approved, self.handed_to_carrier, self.delivered)
        return max(date for date in dates if date is not None)


def history_of(original: str, dates: Dates) -> tuple[StatusChange, ...]:
    """Tell the life of an order whose status Olist calls ``original`` (a key of `STATUSES`).

    The status it is in was entered at the date of that status, or, where that is missing and for
    CANCELED, at the latest date present. A status before it was entered at its own date, but not
    after one that follows it, and not before the purchase. One without a date is left out.
    """
    status = STATUSES[original]
    moment = dates.of(status) or dates.latest
    before = reversed(list(_until(moment, _BEFORE[status], dates)))
    return (*before, StatusChange(status, moment, original))


def _until(moment: datetime, passed: tuple[Status, ...], dates: Dates) -> Iterator[StatusChange]:
    """Return what came before ``moment``, the last one first."""
    for status in reversed(passed):
        date = dates.of(status)
        if date is not None:
            moment = max(dates.purchased, min(date, moment))
            yield StatusChange(status, moment)
