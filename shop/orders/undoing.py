"""Moves of orders along the way out of the queue, taken back by who has made them.

Taking a move back is a move in the other direction, with its own line in the history. Only the
latest move can be taken back, only by the member of staff who made it, and only within
`UNDO_WITHIN`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from dynapages.lists import parse_timestamp
from shop import keys
from shop.models import Order
from shop.order_status import FORWARD, Move, Status
from shop.orders.entries import name_in
from shop.orders.moving import MoveRefused, PlannedMove, mover_of, plan_move
from shop.orders.moving_many import Moved, move_as_planned
from shop.orders.refs import OrderRef

UNDO_WITHIN = timedelta(minutes=10)
"""How long a move can be taken back."""
_MOVES = {move.target.value: move for move in FORWARD}


class UndoRefused(MoveRefused):
    """A move is not the user's own latest one of the last minutes."""

    def __init__(self, order: Order) -> None:
        sentence = _(
            "Order %(id)s cannot be moved back any more: only who has moved it last can do that, "
            "within %(minutes)s minutes."
        )
        minutes = UNDO_WITHIN // timedelta(minutes=1)
        super().__init__(sentence % {"id": name_in(order), "minutes": minutes})


def write_undo(move: Move, refs: Iterable[OrderRef]) -> str:
    """Return what the button that takes a move back sends: the move, and the orders."""
    return json.dumps([move.target.value, [ref.text for ref in refs]])


def parse_undo(text: str) -> tuple[Move, list[OrderRef]]:
    """Parse what `write_undo` wrote. Raises ValueError for other text."""
    try:
        said = json.loads(text)
    except RecursionError as error:  # brackets in brackets, as nobody's button sends
        raise ValueError(text) from error
    match said:
        case [str(target), list(texts)] if target in _MOVES:
            return _MOVES[target], [OrderRef.of_text(str(each)) for each in texts]
    raise ValueError(text)


def undo_moves(
    order_ids: Sequence[str],
    stored: Mapping[str, Order],
    move: Move,
    *,
    who: str,
    now: datetime,
) -> list[Moved]:
    """Take a move of several orders back; return the outcome of each, as `move_orders` does."""

    def plan(order: Order) -> PlannedMove | None:
        return _plan_undo(order, move, who=who, now=now)

    return move_as_planned(order_ids, stored, plan)


def _plan_undo(order: Order, move: Move, *, who: str, now: datetime) -> PlannedMove | None:
    """Return the move back, None if the same user has made it already.

    Raises UndoRefused, and like `plan_move` OrderMoved where the order has gone on.
    """
    back = plan_move(order, move.target, move.source, who=who, now=now)
    if back is not None:
        _require_own_of_late(order, move.source, who=who, now=now)
    return back


def _require_own_of_late(order: Order, source: Status, *, who: str, now: datetime) -> None:
    """Raise UndoRefused unless a user moved an order from a status, as its latest, a moment ago."""
    if len(order.history) <= 1:
        raise UndoRefused(order)
    previous, latest = order.history[-2:]
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    is_own = bool(latest.mover) and latest.mover == mover_of(order_id, who)
    is_recent = now - parse_timestamp(latest.at) <= UNDO_WITHIN
    if previous.status != source or not is_own or not is_recent:
        raise UndoRefused(order)
