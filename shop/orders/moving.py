"""Moves of orders from status to status.

A move is conditional on the status it leaves, so of two at once one fails. Keys, history, counts
and the purchases that “also bought” counts change with the status in one transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from dynapages.lists import Page, PageRequest, parse_timestamp
from dynapages.writes import Action, ConditionFailed
from shop import keys
from shop.catalogue.also_bought import purchase_updates
from shop.models import Order as StoredOrder
from shop.order_status import Move, Status, may_move
from shop.orders.actions import deltas_of, log_order, status_update, tell_moved
from shop.orders.filters import OrderFilter
from shop.orders.items import StatusChange, derived_keys, moment_in
from shop.orders.large import MOST_PURCHASES, new_token, settle
from shop.orders.queries import NoSuchOrder, every_line, list_open_orders, owner_of, stored_order
from shop.table import write_with_counts

MOMENT = timedelta(microseconds=1)
"""The precision of a history."""


class MoveRefused(ValueError):
    """An order was not moved; the text says why."""


class MoveNotAllowed(MoveRefused):
    """There is no such move, or this user may not make it."""


class OrderMoved(MoveRefused):
    """The order is in another status by now."""

    def __init__(self, order_id: str, current: Status) -> None:
        sentence = _("Order %(id)s is already %(status)s, so it was not changed.")
        super().__init__(sentence % {"id": order_id, "status": current.in_words})
        self.current = current


class MovedByAnother(OrderMoved):
    """The order is in the wanted status, but by somebody else's move."""

    def __init__(self, order_id: str, current: Status) -> None:
        super().__init__(order_id, current)
        sentence = _("Order %(id)s was already %(status)s by somebody else.")
        self.args = (sentence % {"id": order_id, "status": current.in_words},)


MOVER_CHARACTERS = 16


def mover_of(order_id: str, who: str) -> str:
    """Return what an order's history knows a user by, empty for a command.

    It is no name, so that the history need not be searched when a user is erased, and differs from
    order to order; with another SECRET_KEY nobody is known again.
    """
    digest = salted_hmac("shop.orders.mover", f"{order_id}/{who}", algorithm="sha256").hexdigest()
    return digest[:MOVER_CHARACTERS] if who else ""


def move_order(
    *,
    username: str,
    order_id: str,
    source: Status,
    target: Status,
    is_staff: bool,
    who: str = "",
    reason: str = "",
    now: datetime,
) -> None:
    """Move a customer's order from the status ``source`` to ``target``.

    ``who`` is the user name for the activity log; ``reason`` is for the order's history. A move is
    later than all before it, whatever ``now`` is. The same move again by the same user changes
    nothing. Raises MoveNotAllowed, NoSuchOrder, MovedByAnother when the same move is somebody
    else's, and OrderMoved when the order is in neither status.
    """
    if not may_move(source, target, is_staff=is_staff):
        sentence = _("You cannot move an order from “%(source)s” to “%(target)s”.")
        raise MoveNotAllowed(sentence % {"source": source.label, "target": target.label})
    order = stored_order(username, order_id)
    mover = mover_of(order_id, who)
    if [change.status for change in order.history[-2:]] == [source, target]:
        _require_mover(order, mover, order_id)
        if order.unsettled:  # the process that moved it was interrupted
            settle(username, order_id)
        return
    if order.status != source:
        raise OrderMoved(order_id, Status(order.status))
    now = max(now, parse_timestamp(order.history[-1].at) + MOMENT)
    update = status_update(
        username=username,
        order_id=order_id,
        source=source,
        target=StatusChange(target, now, reason=reason, mover=mover),
        derived=derived_keys(
            order_id=order_id,
            status=target,
            entered_at=now,
            placed_at=parse_timestamp(order.placed_at),
            shard=int(order.shard),
        ),
        unsettled=unsettled_by(order, source, target),
    )
    try:
        write_move(update, order, source=source, target=target)
    except ConditionFailed as failure:
        there = failure.failed[0]
        if not there:
            raise NoSuchOrder(order_id) from failure
        found = StoredOrder.from_raw_data(dict(there))
        if found.status != target:
            raise OrderMoved(order_id, Status(found.status)) from failure
        _require_mover(found, mover, order_id)
        return
    log_order(order_id=order_id, username=username, who=who, source=source, target=target, at=now)
    tell_moved(order_id, username, source, target, at=now, by=who)


def unsettled_by(order: StoredOrder, source: Status, target: Status) -> str | None:
    """Return a new mark for an order of more purchases than a move can change, else None."""
    has_many = int(order.line_count) > MOST_PURCHASES
    return new_token() if has_many and Status.DELIVERED in {source, target} else None


def _require_mover(order: StoredOrder, mover: str, order_id: str) -> None:
    """Raise MovedByAnother unless the latest move was the mover's: their form was sent again."""
    if (order.history[-1].mover or "") != mover:
        raise MovedByAnother(order_id, Status(order.status))


def write_move(change: Action, order: StoredOrder, *, source: Status, target: Status) -> None:
    """Write the change of an order to another status, with its counts and purchases.

    Those of an order that is `unsettled_by` the move, which ``change`` must say, are changed by
    further transactions. Raises ConditionFailed by the condition of ``change``, number 0, and what
    `dynapages.writes.transactions` raises.
    """
    username = keys.username_in(order.pk)
    deltas = deltas_of(username, left=source, entered=target)
    if unsettled_by(order, source, target):
        write_with_counts([change], deltas)
        settle(username, order.sk.removeprefix(keys.ORDER_PREFIX))
        return
    purchases = _purchases(order, source, target)
    while True:
        try:
            write_with_counts([change, *purchases], deltas)
        except ConditionFailed as failure:
            if 0 in failure.failed:
                raise
            # These products were ordered again, or their customer was erased.
            purchases = [each for n, each in enumerate(purchases, 1) if n not in failure.failed]
        else:
            return


def _purchases(order: StoredOrder, source: Status, target: Status) -> list[Action]:
    if Status.DELIVERED not in {source, target}:
        return []
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    return purchase_updates(
        [line["product_id"]["S"] for line in every_line(order)],
        username=keys.username_in(order.pk),
        order_id=order_id,
        moment=moment_in(order_id),
        delivered=target is Status.DELIVERED,
    )


@dataclass(frozen=True, slots=True)
class Moved:
    """The outcome for one of several orders; ``refusal`` is empty when it was moved.

    ``by_another`` says that somebody else had moved it to the same status.
    """

    order_id: str
    refusal: str = ""
    by_another: bool = False


def move_orders(
    *, order_ids: Sequence[str], source: Status, target: Status, who: str = "", now: datetime
) -> list[Moved]:
    """Move several orders of any customers as staff, each in its own transaction."""
    moved = []
    for order_id in dict.fromkeys(order_ids):
        refusal, by_another = "", False
        try:
            move_order(
                username=owner_of(order_id),
                order_id=order_id,
                source=source,
                target=target,
                is_staff=True,
                who=who,
                now=now,
            )
        except MoveRefused as error:
            refusal, by_another = str(error), isinstance(error, MovedByAnother)
        except NoSuchOrder:
            refusal = _("There is no order %(id)s.") % {"id": order_id}
        moved.append(Moved(order_id, refusal, by_another))
    return moved


def move_page(
    chosen: OrderFilter, request: PageRequest, *, move: Move, who: str, now: datetime
) -> tuple[list[Moved], Page]:
    """Move the orders of a page of the queue, each on its own; return the outcomes and the page."""
    found = list_open_orders(chosen, request)
    order_ids = [order.id for order in found.items]
    results = move_orders(
        order_ids=order_ids, source=move.source, target=move.target, who=who, now=now
    )
    return results, found.page
