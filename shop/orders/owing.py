"""What others owe because of orders, such as events: stored in the transaction of the change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dynapages.work import Owed
from shop.order_status import Status


@dataclass(frozen=True, slots=True)
class OrderChange:
    """An order that is placed (``source`` is None), or moved from status to status.

    ``moment`` (aware) is when it entered ``target``.
    """

    order_id: str
    username: str
    source: Status | None
    target: Status
    moment: datetime


OrderEvents = Callable[[Sequence[OrderChange]], Sequence[Owed]]
order_events: set[OrderEvents] = set()
"""Each returns what is owed because of the changes of one transaction, which is about to be
written: one due item at the most. What one raises stops the write. They are added where Django
makes apps ready.
"""
MOST_EVENTS = 1
"""Due items of `order_events` in a transaction: one of them is added."""


def owed_by(changes: Sequence[OrderChange]) -> list[Owed]:
    """Return what is owed because of changes of orders; nothing is written."""
    owes: list[Owed] = []
    if changes:
        for events_of in order_events:
            owes += events_of(changes)
    return owes


def if_heard_of(change: OrderChange) -> OrderChange | None:
    """Return a change for which something is owed; None of one that nobody hears of.

    Only then has a transaction to have room for what is owed.
    """
    return change if owed_by([change]) else None
