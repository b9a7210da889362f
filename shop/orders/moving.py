"""Moves of orders from status to status.

A move is conditional on the status it leaves, so of two at once one fails. Keys, history, counts
and the purchases that “also bought” counts change with the status in one transaction; those of a
large order are settled behind it (`shop.orders.settling`). So do the request for reviews that a
delivery owes, and what others owe because of the move.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dynapages.items import Item, table_key
from dynapages.lists import parse_timestamp
from dynapages.pynamodb import update
from dynapages.writes import Action, ConditionFailed
from shop import keys
from shop.models import Order
from shop.order_status import Status, may_move
from shop.orders.asking import Asking, asking_after
from shop.orders.entries import name_in
from shop.orders.items import INDEX_KEYS, StatusChange, derived_keys, history_entry
from shop.orders.move_writes import MoveWrite, prepared_move, write_move
from shop.orders.owing import OrderChange, if_heard_of
from shop.orders.queries import NoSuchOrder, stored_order
from shop.orders.settling import mark_of_move, settle
from shop.orders.signals import log_order, send_moved
from shop.table import set_or_remove

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

    def __init__(self, name: str, current: Status) -> None:
        super().__init__(_(self.sentence) % {"id": name, "status": current.in_words})
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


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """A move of an order as it was read, from the status ``source``, by the user ``who``."""

    order: Order
    source: Status
    change: StatusChange
    who: str
    asking: Asking

    @property
    def order_id(self) -> str:
        return self.order.sk.removeprefix(keys.ORDER_PREFIX)

    @property
    def target(self) -> Status:
        """The status that it moves to."""
        return self.change.status

    def prepared(self) -> MoveWrite:
        """Build the write of the move; to or from DELIVERED the order's lines are read.

        The update of the order's item is on condition of the status that it leaves.
        """
        return prepared_move(
            _status_update(self.order, self.source, self.change, self.asking),
            self.order,
            source=self.source,
            target=self.target,
            further=self.asking.actions,
            announced=if_heard_of(self._event),
        )

    @property
    def _event(self) -> OrderChange:
        username = keys.username_in(self.order.pk)
        return OrderChange(self.order_id, username, self.source, self.target, self.change.moment)

    def require_own(self, stored: Item) -> None:
        """Require that an order that is not moved now was moved before, by the same user.

        Raises OrderMoved and MovedByAnother, and NoSuchOrder if ``stored`` is empty.
        """
        if not stored:
            raise NoSuchOrder(self.order_id)
        current = Order.from_raw_data(dict(stored))
        if current.status != self.target:
            raise OrderMoved(name_in(current), Status(current.status))
        _require_mover(current, self.change.mover)

    def announce(self) -> None:
        """Log that the order was moved, and send the signal."""
        username, at = keys.username_in(self.order.pk), self.change.moment
        source, target = self.source, self.target
        log_order(
            order_id=self.order_id,
            username=username,
            who=self.who,
            source=source,
            target=target,
            at=at,
        )
        send_moved(self.order_id, username, source, target, at=at, by=self.who)


def plan_move(
    order: Order, source: Status, target: Status, *, who: str, reason: str = "", now: datetime
) -> PlannedMove | None:
    """Return the move of an order that was read, None if the same user has made it already.

    Raises MovedByAnother and OrderMoved like `move_order`.
    """
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    mover = mover_of(order_id, who)
    latest_statuses = [change.status for change in order.history[-2:]]
    if latest_statuses == [source, target]:
        # The same form was sent again, or somebody else's was faster.
        _require_mover(order, mover)
        return None
    if order.status != source:
        raise OrderMoved(name_in(order), Status(order.status))
    # Clocks of two servers differ: a history must not go back in time.
    moment = max(now, parse_timestamp(order.history[-1].at) + HISTORY_PRECISION)
    change = StatusChange(target, moment, reason=reason, mover=mover)
    asking = asking_after(
        username=keys.username_in(order.pk),
        order_id=order_id,
        target=target,
        moment=moment,
        asks_at=order.asks_at,
    )
    return PlannedMove(order, source, change, who, asking)


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
    """Move a customer's order like `move_stored_order`. Raises NoSuchOrder, too."""
    _require_allowed(source, target, is_staff=is_staff)
    order = stored_order(username, order_id)
    move_stored_order(
        order, source=source, target=target, is_staff=is_staff, who=who, reason=reason, now=now
    )


def move_stored_order(
    order: Order,
    *,
    source: Status,
    target: Status,
    is_staff: bool,
    who: str = "",
    reason: str = "",
    now: datetime,
) -> None:
    """Move an order, as it was read, from the status ``source`` to ``target``.

    ``who`` is the user name for the activity log; ``reason`` is for the order's history. A move is
    later than all before it, whatever ``now`` is. The same move again by the same user changes
    nothing. Raises MoveNotAllowed, MovedByAnother when the same move is somebody else's, OrderMoved
    when the order is in neither status, and NoSuchOrder when it was deleted since.
    """
    _require_allowed(source, target, is_staff=is_staff)
    move = plan_move(order, source, target, who=who, reason=reason, now=now)
    if move is None:
        if order.unsettled:  # the process that moved it was interrupted
            settle(keys.username_in(order.pk), order.sk.removeprefix(keys.ORDER_PREFIX))
        return
    try:
        write_move(move.prepared())
    except ConditionFailed as failure:
        # The order as it is now came with the refusal, so it need not be read again.
        move.require_own(failure.failed[0])
    else:
        move.announce()


def _require_allowed(source: Status, target: Status, *, is_staff: bool) -> None:
    """Raise MoveNotAllowed unless staff, or the customer, may make a move."""
    if not may_move(source, target, is_staff=is_staff):
        sentence = _("You cannot move an order from “%(source)s” to “%(target)s”.")
        raise MoveNotAllowed(sentence % {"source": source.label, "target": target.label})


def _status_update(order: Order, source: Status, target: StatusChange, asking: Asking) -> Action:
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
    if asking.asks_at:
        changes.append(Order.asks_at.set(asking.asks_at))
    elif order.asks_at:
        changes.append(Order.asks_at.remove())
    # The moment at which it entered the status serves as its version: a move may be taken back.
    is_unmoved = (Order.status == source.value) & (
        Order.order_status_date == order.order_status_date
    )
    return update(Order, table_key(*order.key), changes, is_unmoved, return_item=True)


def _require_mover(order: Order, mover: str) -> None:
    """Raise MovedByAnother unless the latest move was the mover's: their form was sent again."""
    if (order.history[-1].mover or "") != mover:
        raise MovedByAnother(name_in(order), Status(order.status))
