"""The history of an order from Olist's status and dates."""

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
"""Olist's statuses and the shop's."""
_BEFORE = {
    Status.PLACED: (),
    Status.APPROVED: _WAY[:1],
    Status.PROCESSING: _WAY[:2],
    Status.SHIPPED: _WAY[:2],
    Status.DELIVERED: _WAY[:3],
    Status.CANCELED: _WAY,
}
"""The statuses before each, as far as Olist has dates of them."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Olist's dates of an order."""

    purchased: datetime
    approved: datetime | None = None
    handed_to_carrier: datetime | None = None
    delivered: datetime | None = None

    def of(self, status: Status) -> datetime | None:
        """Return the date of entering a status, if there is one."""
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
    """Return the history of an order with Olist's status ``original`` (a key of `STATUSES`).

    The last status was entered at its date, or without one at the latest date. Those before were
    entered at their dates, clamped between the purchase and the next status, or are left out.
    """
    status = STATUSES[original]
    moment = dates.of(status) or dates.latest
    before = reversed(list(_until(moment, _BEFORE[status], dates)))
    return (*before, StatusChange(status, moment, original))


def _until(moment: datetime, passed: tuple[Status, ...], dates: Dates) -> Iterator[StatusChange]:
    # The last one first.
    for status in reversed(passed):
        date = dates.of(status)
        if date is not None:
            moment = max(dates.purchased, min(date, moment))
            yield StatusChange(status, moment)
