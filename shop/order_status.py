"""The statuses of an order, and the one table of the moves between them.

PLACED → APPROVED → PROCESSING → SHIPPED → DELIVERED is the way of an order; CANCELED and
RETURNED are its other ends. No status is ever entered twice, so the status an order is in also
tells which version of the order somebody has seen.
"""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Where an order stands, in the order of its life; the values are what keys and URLs spell."""

    PLACED = "PLACED"
    APPROVED = "APPROVED"
    PROCESSING = "PROCESSING"
    SHIPPED = "SHIPPED"
    DELIVERED = "DELIVERED"
    CANCELED = "CANCELED"
    RETURNED = "RETURNED"

    @property
    def label(self) -> str:
        """The status as visitors read it."""
        return self.value.capitalize()

    @property
    def is_open(self) -> bool:
        """Tell whether the shop still has to do something before the parcel leaves."""
        return self in OPEN


OPEN = (Status.PLACED, Status.APPROVED, Status.PROCESSING)


@dataclass(frozen=True, slots=True)
class Move:
    """A change of status that is allowed, and what its button says."""

    source: Status
    target: Status
    label: str
    by_customer: bool = False
    """Whether the customer may do it; staff may do every move."""


MOVES = (
    Move(Status.PLACED, Status.APPROVED, "Approve"),
    Move(Status.APPROVED, Status.PROCESSING, "Process"),
    Move(Status.PROCESSING, Status.SHIPPED, "Ship"),
    Move(Status.SHIPPED, Status.DELIVERED, "Mark as delivered"),
    Move(Status.PLACED, Status.CANCELED, "Cancel", by_customer=True),
    Move(Status.APPROVED, Status.CANCELED, "Cancel", by_customer=True),
    Move(Status.PROCESSING, Status.CANCELED, "Cancel"),
    Move(Status.DELIVERED, Status.RETURNED, "Return", by_customer=True),
)


def moves_from(status: Status, *, is_staff: bool) -> tuple[Move, ...]:
    """Give the moves that somebody may make with an order in ``status``."""
    return tuple(m for m in MOVES if m.source == status and (is_staff or m.by_customer))


def may_move(source: Status, target: Status, *, is_staff: bool) -> bool:
    """Tell whether somebody may take an order from one status to another."""
    return any(move.target == target for move in moves_from(source, is_staff=is_staff))
