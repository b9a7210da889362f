"""Moves of several orders by staff at once, in as few transactions as hold them.

Each order is moved or refused by itself, as by `shop.orders.moving`: none stops another one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from dynapages.items import Item
from dynapages.process import pool
from dynapages.pynamodb import FAILURES
from shop import keys
from shop.models import Order
from shop.order_status import Move, Status
from shop.orders.move_writes import (
    MoveWrite,
    transactions_of,
    without_common_counters,
    write_together,
)
from shop.orders.moving import MovedByAnother, MoveRefused, OrderMoved, PlannedMove, plan_move
from shop.orders.queries import NoSuchOrder
from shop.orders.settling import settle

Plan = Callable[[Order], PlannedMove | None]
"""Returns the move of an order, None if it was made already. Raises MoveRefused."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The outcome for one of several orders; ``refusal`` is empty when it was moved.

    ``by_another`` says that somebody else had moved it to the same status.
    """

    order_id: str
    refusal: str = ""
    by_another: bool = False


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """What became of the orders so far, by their ids, and those that are still to be settled."""

    moved: dict[str, Moved]
    unsettled: list[Order]

    def note(self, order_id: str) -> None:
        """Note that an order was moved."""
        self.moved[order_id] = Moved(order_id)

    def note_refusal(self, order_id: str, error: MoveRefused | NoSuchOrder) -> None:
        """Note why an order was not moved."""
        if isinstance(error, NoSuchOrder):
            sentence = _("There is no order %(id)s.") % {"id": keys.short_id(order_id)}
        else:
            sentence = str(error)
        by_another = isinstance(error, MovedByAnother)
        self.moved[order_id] = Moved(order_id, sentence, by_another=by_another)


def move_orders(
    order_ids: Iterable[str], stored: Mapping[str, Order], move: Move, *, who: str, now: datetime
) -> list[Moved]:
    """Move orders of any customers as staff; return the outcome of each, once.

    ``stored`` are the orders as they were read, by `shop.orders.queries.stored_orders`. Raises what
    `dynapages.writes.transactions` raises: what was moved before that stays moved, and the same
    call goes on.
    """

    def plan(order: Order) -> PlannedMove | None:
        return plan_move(order, move.source, move.target, who=who, now=now)

    return move_as_planned(order_ids, stored, plan)


def move_as_planned(
    order_ids: Iterable[str], stored: Mapping[str, Order], plan: Plan
) -> list[Moved]:
    """Make the move that is planned for each order, as `move_orders` does."""
    outcomes = _Outcomes({}, [])
    each_once = list(dict.fromkeys(order_ids))
    plans: dict[str, PlannedMove] = {}
    for order_id in each_once:
        planned = _plan(order_id, stored.get(order_id), plan, outcomes)
        if planned is not None:
            plans[order_id] = planned
    transactions = transactions_of(_prepared(list(plans.values())))
    for group in without_common_counters(transactions):
        _write_at_once(group, plans, outcomes)
    pool().map(_settle, outcomes.unsettled)
    return [outcomes.moved[order_id] for order_id in each_once]


def _plan(
    order_id: str, order: Order | None, plan: Plan, outcomes: _Outcomes
) -> PlannedMove | None:
    """Return the move that is to be written, None where the outcome is known."""
    if order is None:
        outcomes.note_refusal(order_id, NoSuchOrder(order_id))
        return None
    try:
        planned = plan(order)
    except MoveRefused as error:
        outcomes.note_refusal(order_id, error)
        return None
    if planned is None:
        outcomes.note(order_id)
        if order.unsettled:  # the process that moved it was interrupted
            outcomes.unsettled.append(order)
    return planned


def _prepared(plans: Sequence[PlannedMove]) -> list[MoveWrite]:
    """Build the writes of moves of one kind; lines that are needed are read at the same time."""
    if any(Status.DELIVERED in {plan.source, plan.target} for plan in plans):
        return pool().map(PlannedMove.prepared, plans)
    return [plan.prepared() for plan in plans]


def _write_at_once(
    transactions: Sequence[Sequence[MoveWrite]],
    plans: Mapping[str, PlannedMove],
    outcomes: _Outcomes,
) -> None:
    """Write transactions at the same time, and note and announce what became of their orders.

    Raises the first failure when all have ended.
    """
    failures = []
    with pool().together() as together:
        started = [together.start(write_together, moves) for moves in transactions]
        for moves, writing in zip(transactions, started, strict=True):
            try:
                refused = writing.result()
            except FAILURES as failure:
                # Those that were written are announced, whatever became of the others.
                failures.append(failure)
            else:
                for move in moves:
                    _conclude(move, plans[move.order_id], refused.get(move.order_id), outcomes)
    if failures:
        raise failures[0]


def _conclude(
    move: MoveWrite, plan: PlannedMove, refused: Item | None, outcomes: _Outcomes
) -> None:
    """Announce an order that was moved, or note why not by the item that refused it."""
    if refused is None:
        plan.announce()
        if move.is_large:
            outcomes.unsettled.append(plan.order)
    else:
        try:
            plan.require_own(refused)
        except (OrderMoved, NoSuchOrder) as error:
            outcomes.note_refusal(plan.order_id, error)
            return
    outcomes.note(plan.order_id)


def _settle(order: Order) -> None:
    """Settle the purchases of an order that was moved."""
    settle(keys.username_in(order.pk), order.sk.removeprefix(keys.ORDER_PREFIX))
