"""The delivery of an event to a webhook, signed as Standard Webhooks says.

It is sent at least once: again where a process is killed after the receiver has answered and before
the due item is deleted, and where the receiver has it and its answer is lost. The id is the same.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from hmac import digest
from http import HTTPStatus
from typing import Any

from dynapages.calls import clock
from dynapages.work import Postponed
from shop.webhooks import sending
from shop.webhooks.addresses import target_of
from shop.webhooks.events import Event
from shop.webhooks.owing import WEBHOOK
from shop.webhooks.services import SECRET_PREFIX, find_webhook
from shop.work import QUEUE

USER_AGENT = "dynashop-webhooks/1"


def deliver_owed(payload: Mapping[str, Any]) -> None:
    """Deliver an event that is owed; nothing where its webhook was deleted. Raises Postponed."""
    webhook = find_webhook(payload["webhook"])
    if webhook is None:
        return
    event = Event.of_list(payload["event"])
    target = target_of(webhook.url)
    headers = headers_of(event, webhook.secret, now=clock.now())
    try:
        status = sending.post(target, headers, event.body, network=sending.INTERNET)
    except sending.NotSent as error:
        raise Postponed(error.sentence, is_away=error.is_away) from error
    if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        raise Postponed(f"{target.host} answered {status}.")


def headers_of(event: Event, secret: str, *, now: datetime) -> dict[str, str]:
    """Return the headers of a delivery, with the signature of its id, the moment and the body."""
    seconds = str(int(now.timestamp()))
    return {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        "webhook-id": event.id,
        "webhook-timestamp": seconds,
        "webhook-signature": signature_of(event.id, seconds, event.body, secret=secret),
    }


def signature_of(event_id: str, seconds: str, body: bytes, *, secret: str) -> str:
    """Return the signature of a delivery that is sent at a moment, in seconds since 1970."""
    signed = b".".join([event_id.encode(), seconds.encode(), body])
    key = b64decode(secret.removeprefix(SECRET_PREFIX))
    signature = b64encode(digest(key, signed, sha256)).decode()
    return f"v1,{signature}"


def _receiver(payload: Mapping[str, Any]) -> str:
    """Return whose receiver has to be there for a delivery: that of the webhook."""
    name: str = payload["webhook"]
    return name


QUEUE.register(WEBHOOK, deliver_owed, system=_receiver)
