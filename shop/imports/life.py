"""The history of an order from its status and the dates of its statuses."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from shop.order_status import Status
from shop.orders.items import StatusChange

_WAY = (
    Status.PLACED,
    Status.APPROVED,
    Status.PROCESSING,
    Status.SHIPPED,
    Status.DELIVERED,
)
"""The statuses that an order may pass before each later one, and before its other ends."""
Dates = Mapping[Status, datetime]
"""When an order entered its statuses; that of PLACED is always there."""


def history_of(status: Status, dates: Dates, original: str | None) -> tuple[StatusChange, ...]:
    """Return the history of an order in ``status``, which was called ``original``.

    The last status was entered at its date, or without one at the latest date. Those before were
    entered at their dates, clamped between the placing and the next status, or are left out.
    Dates of statuses after the last one are ignored.
    """
    moment = dates.get(status) or max(dates.values())
    passed = _WAY[: _WAY.index(status)] if status in _WAY else _WAY
    before = reversed(list(_until(moment, passed, dates)))
    return (*before, StatusChange(status, moment, original))


def furthest_in(dates: Dates) -> Status:
    """Return the status furthest in the life of an order that has a date."""
    return max(dates, key=list(Status).index)


def _until(moment: datetime, passed: tuple[Status, ...], dates: Dates) -> Iterator[StatusChange]:
    # The last one first.
    for status in reversed(passed):
        date = dates.get(status)
        if date is not None:
            moment = max(dates[Status.PLACED], min(date, moment))
            yield StatusChange(status, moment)
