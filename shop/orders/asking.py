"""Requests for reviews of delivered orders: due items that are stored with the delivery.

A request is due `REVIEW_REQUEST_DAYS` behind the delivery, among all that the shop owes. The
order's attribute ``asks_at`` says when, so that the due item is found by its key: it goes in the
transaction in which the order is sent back. What does it when it is due is not the shop's own: a
project without that owes none.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b

from django.conf import settings

from dynapages.calls import clock
from dynapages.items import table_key
from dynapages.lists import parse_timestamp, timestamp
from dynapages.process import write_actions
from dynapages.pynamodb import update
from dynapages.work import Owed
from dynapages.writes import Action, ConditionFailed, delete
from shop import keys
from shop.models import Order
from shop.order_status import Status
from shop.table import TABLE
from shop.work import QUEUE

REVIEW_REQUEST = "review request"
"""The kind of these due items."""
MOST_REQUESTS = 1
"""Due items of requests that a move of an order stores, or deletes."""
_TOKEN_BYTES = 8


@dataclass(frozen=True, slots=True)
class Asking:
    """What a change of an order's status does with its request for reviews.

    ``asks_at`` is what the order has then, None for nothing; ``actions`` belong in the transaction.
    """

    asks_at: str | None = None
    actions: Sequence[Action] = ()


NOTHING_ASKED = Asking()


def is_asking() -> bool:
    """Return whether customers are asked for reviews of what was delivered."""
    return bool(settings.REVIEW_REQUEST_DAYS and settings.SITE_URL and QUEUE.does(REVIEW_REQUEST))


def asking_after(
    *,
    username: str,
    order_id: str,
    target: Status,
    moment: datetime,
    asks_at: str | None = None,
    may_ask: bool = True,
) -> Asking:
    """Return what is to be done about the request of an order that enters ``target``.

    ``asks_at`` is the order's own before that; imports of which nobody hears may not ask. A
    delivery whose day to ask is over already, as imports bring them, is not asked about.
    """
    if target is Status.DELIVERED:
        # Once an order, also where an import brings another moment.
        if asks_at is not None:
            return Asking(asks_at)
        due = moment + timedelta(days=settings.REVIEW_REQUEST_DAYS)
        if not may_ask or not is_asking() or due <= clock.now():
            return NOTHING_ASKED
        request = _request(username, order_id, due)
        return Asking(timestamp(due), (request.action,))
    if asks_at is None:
        return NOTHING_ASKED
    request = _request(username, order_id, parse_timestamp(asks_at))
    return Asking(actions=(_deletion_of(request),))


def forget_request(order: Order) -> None:
    """Delete the request of an order as it was read, and that it had one. Raises botocore's errors.

    One that was tried and put off is no longer under its key: whoever does it asks the order again.
    """
    request = request_of(order)
    if request is None:
        return
    is_same = Order.asks_at == order.asks_at
    unasked = update(Order, table_key(*order.key), [Order.asks_at.remove()], is_same)
    with suppress(ConditionFailed):  # it was sent back, or somebody else did the same
        write_actions([unasked, _deletion_of(request)])


def request_of(order: Order) -> Owed | None:
    """Return the due item of an order's request as its delivery stored it; None without one.

    It may be done by now, or be put off, and then be under another key.
    """
    if order.asks_at is None:
        return None
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    return _request(keys.username_in(order.pk), order_id, parse_timestamp(order.asks_at))


def _request(username: str, order_id: str, due: datetime) -> Owed:
    """Return the due item of an order's request; its key follows from the order and the moment."""
    # The same for one order: it is deleted by its key, and stored once.
    token = blake2b(order_id.encode(), digest_size=_TOKEN_BYTES).hexdigest()
    payload = {"user": username, "order": order_id}
    return Owed(QUEUE, REVIEW_REQUEST, payload, moment=due, owed_at=clock.now(), token=token)


def _deletion_of(request: Owed) -> Action:
    return delete(TABLE, QUEUE.key_of(request))
