"""Moves of orders from status to status.

A move is conditional on the status it leaves, so of two at once one fails. Keys, history, counts
and the purchases that “also bought” counts change with the status in one transaction; those of a
large order are settled behind it (`shop.orders.settling`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dynapages.items import table_key
from dynapages.lists import parse_timestamp
from dynapages.pynamodb import update
from dynapages.writes import Action, ConditionFailed
from shop import keys
from shop.catalogue.also_bought import purchase_updates
from shop.models import Order
from shop.order_status import Move, Status, may_move
from shop.orders.counts import count_changes
from shop.orders.ids import moment_in
from shop.orders.items import INDEX_KEYS, StatusChange, derived_keys, history_entry
from shop.orders.queries import NoSuchOrder, every_line, owner_of, stored_order
from shop.orders.settling import mark_of_move, settle
from shop.orders.signals import log_order, send_moved
from shop.table import set_or_remove, write_with_counts

HISTORY_PRECISION = timedelta(microseconds=1)
"""The least time between two statuses of an order."""
MOVER_CHARACTERS = 16


class MoveRefused(ValueError):
    """An order was not moved; the text says why."""


class MoveNotAllowed(MoveRefused):
    """There is no such move, or this user may not make it."""


class OrderMoved(MoveRefused):
    """The order is in another status by now."""

    sentence = gettext_noop("Order %(id)s is already %(status)s, so it was not changed.")

    def __init__(self, order_id: str, current: Status) -> None:
        super().__init__(_(self.sentence) % {"id": order_id, "status": current.in_words})
        self.current = current


class MovedByAnother(OrderMoved):
    """The order is in the wanted status, but by somebody else's move."""

    sentence = gettext_noop("Order %(id)s was already %(status)s by somebody else.")


def mover_of(order_id: str, who: str) -> str:
    """Return what an order's history knows a user by, empty for a command.

    It is no name, so that the history need not be searched when a user is erased, and differs from
    order to order; with another SECRET_KEY nobody is known again.
    """
    if not who:
        return ""
    digest = salted_hmac("shop.orders.mover", f"{order_id}/{who}", algorithm="sha256").hexdigest()
    return digest[:MOVER_CHARACTERS]


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
    latest_statuses = [change.status for change in order.history[-2:]]
    if latest_statuses == [source, target]:
        # The same form was sent again, or somebody else's was faster.
        _require_mover(order, mover, order_id)
        if order.unsettled:  # the process that moved it was interrupted
            settle(username, order_id)
        return
    if order.status != source:
        raise OrderMoved(order_id, Status(order.status))
    # Clocks of two servers differ: a history must not go back in time.
    now = max(now, parse_timestamp(order.history[-1].at) + HISTORY_PRECISION)
    change = StatusChange(target, now, reason=reason, mover=mover)
    try:
        write_move(_status_update(order, source, change), order, source=source, target=target)
    except ConditionFailed as failure:
        # The order as it is now came with the refusal, so it need not be read again.
        stored = failure.failed[0]
        if not stored:
            raise NoSuchOrder(order_id) from failure
        current = Order.from_raw_data(dict(stored))
        if current.status != target:
            raise OrderMoved(order_id, Status(current.status)) from failure
        _require_mover(current, mover, order_id)
        return
    log_order(order_id=order_id, username=username, who=who, source=source, target=target, at=now)
    send_moved(order_id, username, source, target, at=now, by=who)


def _status_update(order: Order, source: Status, target: StatusChange) -> Action:
    """Build the update of an order to a status, if it is still in ``source``."""
    derived = derived_keys(
        order_id=order.sk.removeprefix(keys.ORDER_PREFIX),
        now_in=target,
        placed_at=parse_timestamp(order.placed_at),
        shard=int(order.shard),
    )
    changes = [
        Order.status.set(target.status.value),
        Order.history.set(Order.history.append([history_entry(target)])),
        *set_or_remove(Order, INDEX_KEYS, derived),
    ]
    mark = mark_of_move(order, source, target.status)
    if mark:
        changes.append(Order.unsettled.set(mark))
    # No order enters a status twice, so the status serves as its version.
    is_unmoved = Order.status == source.value
    return update(Order, table_key(*order.key), changes, is_unmoved, return_item=True)


def _require_mover(order: Order, mover: str, order_id: str) -> None:
    """Raise MovedByAnother unless the latest move was the mover's: their form was sent again."""
    if (order.history[-1].mover or "") != mover:
        raise MovedByAnother(order_id, Status(order.status))


def write_move(change: Action, order: Order, *, source: Status, target: Status) -> None:
    """Write the change of an order to another status, with its counts and purchases.

    Those of a large order, which ``change`` must mark by `mark_of_move`, are changed by further
    transactions. Raises ConditionFailed by the condition of ``change``, number 0, and what
    `dynapages.writes.transactions` raises.
    """
    username = keys.username_in(order.pk)
    count_deltas = count_changes(username, left=source, entered=target)
    if mark_of_move(order, source, target):
        write_with_counts([change], count_deltas, may_spread=True)
        settle(username, order.sk.removeprefix(keys.ORDER_PREFIX))
        return
    actions = [change, *_purchase_updates(order, source, target)]
    while True:
        try:
            write_with_counts(actions, count_deltas, may_spread=True)
        except ConditionFailed as failure:
            if 0 in failure.failed:
                raise
            # These products were ordered again, or their customer was erased.
            for number in sorted(failure.failed, reverse=True):
                del actions[number]
        else:
            return


def _purchase_updates(order: Order, source: Status, target: Status) -> list[Action]:
    """Build the changes of purchases that an order brings which is delivered or sent back."""
    # “Also bought” counts delivered orders alone.
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


def move_orders(order_ids: Sequence[str], move: Move, *, who: str, now: datetime) -> list[Moved]:
    """Move several orders of any customers as staff, each in its own transaction."""
    return [_move_one(order_id, move, who=who, now=now) for order_id in dict.fromkeys(order_ids)]


def _move_one(order_id: str, move: Move, *, who: str, now: datetime) -> Moved:
    """Move an order as staff; return the outcome instead of raising it."""
    try:
        move_order(
            username=owner_of(order_id),
            order_id=order_id,
            source=move.source,
            target=move.target,
            is_staff=True,
            who=who,
            now=now,
        )
    except MovedByAnother as error:
        return Moved(order_id, str(error), by_another=True)
    except MoveRefused as error:
        return Moved(order_id, str(error))
    except NoSuchOrder:
        return Moved(order_id, _("There is no order %(id)s.") % {"id": order_id})
    return Moved(order_id)
