"""What webhooks are owed: events in the transaction of what happens, then one delivery each.

A transaction stores one due item, of all its events, and only where a webhook hears of one. The
worker turns it into a due item for each webhook and event, each of which is delivered, and fails,
by itself (`shop.webhooks.delivery`).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from dynapages.calls import clock
from dynapages.lists import parse_timestamp, timestamp
from dynapages.process import client, pool
from dynapages.work import Owed
from dynapages.writes import write_item
from shop.orders.owing import OrderChange
from shop.webhooks.events import ORDER_MOVED, ORDER_PLACED, TEST, Event, digest_of
from shop.webhooks.known import Webhook, list_webhooks, types_heard
from shop.work import QUEUE, do_at_once, owe_alone

EVENT = "event"
"""The kind of a due item for the events of one transaction."""
WEBHOOK = "webhook"
"""The kind of a due item for the delivery of one event to one webhook."""


# When something happens


def owed_events(events: Sequence[Event]) -> list[Owed]:
    """Return what the events of one transaction owe: one due item, or none if nobody hears of them.

    Nothing is written. Raises what reads do, where the webhooks are not known.
    """
    if not events:
        return []
    types = types_heard()
    heard = [event.as_list() for event in events if event.type in types]
    if not heard:
        return []
    return [QUEUE.owe(EVENT, {"at": timestamp(clock.now()), "events": heard})]


def owed_by_orders(changes: Sequence[OrderChange]) -> list[Owed]:
    """Return what changes of orders owe: a hook of `shop.orders.owing`."""
    if not types_heard():
        return []
    return owed_events([_event_of(change) for change in changes])


def _event_of(change: OrderChange) -> Event:
    data = {"order_id": change.order_id, "status": change.target.value}
    if change.source is None:
        return Event.at(change.moment, ORDER_PLACED, data)
    data["previous_status"] = change.source.value
    return Event.at(change.moment, ORDER_MOVED, data)


def owe_test(webhook_id: str, *, now: datetime) -> None:
    """Have a test event sent to one webhook, whatever it hears of. One write."""
    event = Event.at(now, TEST, {"webhook_id": webhook_id})
    owe_alone(_delivery(webhook_id, event, since=now))


# By the worker


def fan_out(payload: Mapping[str, Any]) -> None:
    """Owe the delivery of each event to each webhook that hears of it; each once, however often.

    A webhook that was made since hears of it too.
    """
    events = [Event.of_list(values) for values in payload["events"]]
    owes = list(_deliveries(events, list_webhooks(), since=parse_timestamp(payload["at"])))
    pool().map(_store, owes)
    do_at_once(owes)


def _deliveries(
    events: Sequence[Event], webhooks: Sequence[Webhook], *, since: datetime
) -> Iterator[Owed]:
    for event in events:
        for webhook in webhooks:
            if event.type in webhook.events:
                yield _delivery(webhook.id, event, since=since)


def _delivery(webhook_id: str, event: Event, *, since: datetime) -> Owed:
    """Return the delivery of an event, under a key that follows from all of these."""
    payload = {"webhook": webhook_id, "event": event.as_list()}
    token = digest_of([webhook_id, event.id], size=8)
    return QUEUE.owe(WEBHOOK, payload, since=since, token=token)


def _store(owed: Owed) -> None:
    write_item(client(), owed.action)


QUEUE.register(EVENT, fan_out)
