"""The shop's open orders as their page shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from dynamo.web.paging import Pager
from dynamo.web.toggles import Toggle
from shop.order_status import OPEN, Status, moves_from
from shop.orders.entries import OrderEntry
from shop.orders.filters import toggled
from shop.web.next_url import with_next


@dataclass(frozen=True, slots=True)
class MoveButton:
    """A button that moves an order, and the URL of its form."""

    move: str
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class QueueEntry(OrderEntry):
    """An open order with its buttons."""

    actions: Sequence[MoveButton]

    @property
    def customer_url(self) -> str:
        return reverse("staff_customer_orders", args=[self.username])


def actions_for(order: OrderEntry, *, is_staff: bool, page_url: str) -> list[MoveButton]:
    """Return the buttons for an order; their forms redirect back to ``page_url``."""
    url = with_next(reverse("move_order", args=[order.id]), page_url)
    return [
        MoveButton(move.target.value, move.label, url)
        for move in moves_from(order.status, is_staff=is_staff)
    ]


def queue_url(statuses: Sequence[Status]) -> str:
    """Return the canonical URL of the queue of some open statuses, or (none) of all."""
    query = urlencode([("status", status.value) for status in statuses])
    return f"{reverse('staff_orders')}?{query}".rstrip("?")


def queue_pager(statuses: Sequence[Status]) -> Pager:
    """Return the pager of the queue; its tokens are bound to the statuses."""
    return Pager(first_url=queue_url(statuses), list_name=f"queue/{'.'.join(statuses)}")


def queue_context(
    statuses: Sequence[Status],
    orders: Sequence[OrderEntry],
    *,
    lengths: Mapping[Status, int],
    page_url: str,
) -> dict[str, Any]:
    """Build what the queue's template shows."""
    return {
        "orders": [_entry(order, page_url) for order in orders],
        "tabs": [_tab(status, statuses, lengths) for status in OPEN],
        "all_statuses": Toggle(
            value="~",
            label="All open",
            url=queue_url(()),
            pressed=not statuses,
            count=sum(lengths.values()),
        ),
        "length": sum(lengths[status] for status in statuses or OPEN),
        "bulk_url": with_next(reverse("ship_orders"), page_url),
    }


def _entry(order: OrderEntry, page_url: str) -> QueueEntry:
    shown = {field.name: getattr(order, field.name) for field in fields(OrderEntry)}
    return QueueEntry(**shown, actions=actions_for(order, is_staff=True, page_url=page_url))


def _tab(status: Status, chosen: Sequence[Status], lengths: Mapping[Status, int]) -> Toggle:
    target = toggled(chosen, status)
    return Toggle(
        value=status.value,
        label=status.label,
        url=queue_url(() if target == OPEN else target),
        pressed=status in chosen,
        count=lengths[status],
    )
