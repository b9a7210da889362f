"""The buttons that move an order, for rows of lists and its own page."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from shop.order_status import Status, may_move, moves_from
from shop.orders.entries import OrderEntry
from shop.web.next_url import with_next


@dataclass(frozen=True, slots=True)
class MoveButton:
    """A button that moves an order, and the URL of its form."""

    move: str
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class OrderButtons:
    """What may be done with an order; at ``cancel_url`` the visitor is asked first."""

    moves: tuple[MoveButton, ...]
    cancel_url: str


def buttons_for(order: OrderEntry, *, is_staff: bool, page_url: str) -> OrderButtons:
    """Return the buttons for an order; their forms redirect back to ``page_url``."""
    can_cancel = may_move(order.status, Status.CANCELED, is_staff=is_staff)
    cancel_url = with_next(reverse("cancel_order", args=[order.id]), page_url)
    moves = tuple(_moves(order, is_staff=is_staff, page_url=page_url))
    return OrderButtons(moves, cancel_url if can_cancel else "")


def _moves(order: OrderEntry, *, is_staff: bool, page_url: str) -> Iterator[MoveButton]:
    url = with_next(reverse("move_order", args=[order.id]), page_url)
    for move in moves_from(order.status, is_staff=is_staff):
        if move.target is not Status.CANCELED:
            yield MoveButton(move.target.value, str(move.label), url)
