"""The statuses of an order, and the one table of the moves between them.

PLACED → APPROVED → PROCESSING → SHIPPED → DELIVERED is the way of an order; CANCELED and
RETURNED are its other ends. For a short while staff may take a move back
that leads out of the queue (`shop.orders.undoing`): then the order enters the status before it a
second time. Otherwise none is entered twice.
"""

from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import pgettext_lazy


class Status(StrEnum):
    """The status of an order, in the order of its life; the values are in keys and URLs."""

    PLACED = "PLACED"
    APPROVED = "APPROVED"
    PROCESSING = "PROCESSING"
    SHIPPED = "SHIPPED"
    DELIVERED = "DELIVERED"
    CANCELED = "CANCELED"
    RETURNED = "RETURNED"

    @property
    def label(self) -> str:
        """The status for visitors, in their language."""
        return str(_LABELS[self])

    @property
    def in_words(self) -> str:
        """The status within a sentence, after “is”, such as “being processed”."""
        return str(_IN_WORDS[self])

    @property
    def is_open(self) -> bool:
        """Whether the shop has not sent the parcel yet."""
        return self in OPEN


_LABELS = {
    Status.PLACED: pgettext_lazy("status of an order", "Placed"),
    Status.APPROVED: pgettext_lazy("status of an order", "Approved"),
    Status.PROCESSING: pgettext_lazy("status of an order", "Processing"),
    Status.SHIPPED: pgettext_lazy("status of an order", "Shipped"),
    Status.DELIVERED: pgettext_lazy("status of an order", "Delivered"),
    Status.CANCELED: pgettext_lazy("status of an order", "Cancelled"),
    Status.RETURNED: pgettext_lazy("status of an order", "Returned"),
}
_IN_WORDS = {
    Status.PLACED: pgettext_lazy("the order is", "placed"),
    Status.APPROVED: pgettext_lazy("the order is", "approved"),
    Status.PROCESSING: pgettext_lazy("the order is", "being processed"),
    Status.SHIPPED: pgettext_lazy("the order is", "shipped"),
    Status.DELIVERED: pgettext_lazy("the order is", "delivered"),
    Status.CANCELED: pgettext_lazy("the order is", "cancelled"),
    Status.RETURNED: pgettext_lazy("the order is", "returned"),
}
OPEN = (Status.PLACED, Status.APPROVED, Status.PROCESSING)
ENDS = (Status.CANCELED, Status.RETURNED)


_BUTTONS = {
    Status.APPROVED: pgettext_lazy("button of an order", "Approve"),
    Status.PROCESSING: pgettext_lazy("button of an order", "Process"),
    Status.SHIPPED: pgettext_lazy("button of an order", "Ship"),
    Status.DELIVERED: pgettext_lazy("button of an order", "Mark as delivered"),
    Status.CANCELED: pgettext_lazy("button of an order", "Cancel"),
    Status.RETURNED: pgettext_lazy("button of an order", "Return"),
}
"""By the status that the button moves an order to."""


@dataclass(frozen=True, slots=True)
class Move:
    """An allowed change of status, by staff, or also ``by_customer``."""

    source: Status
    target: Status
    by_customer: bool = False

    @property
    def label(self) -> str:
        """The label of its button."""
        return str(_BUTTONS[self.target])

    @property
    def is_end(self) -> bool:
        """Whether the order is cancelled or returned: a page asks first, and takes a reason."""
        return self.target in ENDS


MOVES = (
    Move(Status.PLACED, Status.APPROVED),
    Move(Status.APPROVED, Status.PROCESSING),
    Move(Status.PROCESSING, Status.SHIPPED),
    Move(Status.SHIPPED, Status.DELIVERED),
    Move(Status.PLACED, Status.CANCELED, by_customer=True),
    Move(Status.APPROVED, Status.CANCELED, by_customer=True),
    Move(Status.PROCESSING, Status.CANCELED),
    Move(Status.DELIVERED, Status.RETURNED, by_customer=True),
)

FORWARD = tuple(m for m in MOVES if m.source.is_open and not m.is_end)
"""The moves along the way out of the queue, one from each open status."""


def moves_from(status: Status, *, is_staff: bool) -> tuple[Move, ...]:
    """Return the moves that staff, or the customer, may make with an order in ``status``."""
    return tuple(m for m in MOVES if m.source == status and (is_staff or m.by_customer))


def may_move(source: Status, target: Status, *, is_staff: bool) -> bool:
    """Return whether staff, or the customer, may make a move."""
    return any(move.target == target for move in moves_from(source, is_staff=is_staff))
