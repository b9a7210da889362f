"""The history of an imported order, made of its dates or read from an export of this shop."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from urllib.parse import quote, unquote

from dynapages.lists import parse_timestamp, timestamp
from shop.order_status import Status
from shop.orders.items import StatusChange

Dates = Mapping[Status, datetime]
"""When an order entered its statuses; that of PLACED is always there."""
_WAY = (Status.PLACED, Status.APPROVED, Status.PROCESSING, Status.SHIPPED, Status.DELIVERED)
"""The statuses that an order may pass before each later one, and before its other ends."""
_PARTS = 5
"""Of a status in an export: its name, its moment, and three texts."""


def history_of(status: Status, dates: Dates, original: str | None) -> tuple[StatusChange, ...]:
    """Return the history of an order in ``status``, which was called ``original``.

    The last status was entered at its date, or without one at the latest date. Those before were
    entered at their dates, clamped between the placing and the next status, or are left out.
    Dates of statuses after the last one are ignored.
    """
    moment = dates.get(status) or max(dates.values())
    history = [StatusChange(status, moment, original)]
    passed = list(_WAY)
    if status in _WAY:
        passed = passed[: _WAY.index(status)]
    # Backwards, as each date is bounded by the next one.
    for before in reversed(passed):
        if before in dates:
            moment = max(dates[Status.PLACED], min(dates[before], moment))
            history.append(StatusChange(before, moment))
    return tuple(reversed(history))


def write_history(history: Iterable[StatusChange]) -> str:
    """Return a history as text, which `parse_history` reads."""
    words = []
    for change in history:
        parts = [change.status.value, timestamp(change.moment)]
        for text in (change.original or "", change.reason, change.mover):
            parts.append(quote(text, safe=""))
        # Texts at the end that are empty are left out.
        words.append("@".join(parts).rstrip("@"))
    return " ".join(words)


def parse_history(text: str) -> tuple[StatusChange, ...]:
    """Parse what `write_history` wrote. Raises ValueError for other text."""
    changes = []
    for word in text.split():
        status, moment, *quoted = word.split("@", _PARTS - 1)
        texts = [unquote(text) for text in quoted]
        original, reason, mover = [*texts, "", "", ""][:3]
        changes.append(
            StatusChange(Status(status), parse_timestamp(moment), original or None, reason, mover)
        )
    return tuple(changes)
