"""Webhooks as a process knows them, and what their receivers were told."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from hmac import new
from math import inf
from typing import Any

from dynapages.calls import clock
from shop.webhooks import known
from shop.webhooks.services import MadeWebhook, create_webhook, delete_webhook
from shop.work import QUEUE
from tests.support.receivers import Receiver, Request
from tests.support.work import finish_what_waits, work_off


def remember_no_webhooks() -> None:
    """Have this process know that there are none, for ever: so nothing it writes reads them."""
    known.remember(known.Remembered((), read_at=inf))


@contextmanager
def hearing_of(url: str, *events: str) -> Iterator[MadeWebhook]:
    """Have an address hear of events within the block; all that is owed is forgotten behind it."""
    made = create_webhook(url, events, now=clock.now())
    try:
        yield made
    finally:
        delete_webhook(made.webhook.id)
        for owed in [*QUEUE.waiting(), *QUEUE.dead()]:
            QUEUE.discard(owed)
        remember_no_webhooks()


def deliver_all() -> None:
    """Have this process do what it was woken for, and another one what it left."""
    finish_what_waits()
    work_off(QUEUE)


def is_signed(request: Request, secret: str) -> bool:
    """Whether a request has the signature of Standard Webhooks, made by its description alone."""
    names = ("webhook-id", "webhook-timestamp")
    signed = ".".join([request.headers[name] for name in names]).encode() + b"." + request.body
    key = b64decode(secret.removeprefix("whsec_"))
    signature = b64encode(new(key, signed, sha256).digest()).decode()
    return request.headers["webhook-signature"] == f"v1,{signature}"


def told(receiver: Receiver) -> list[dict[str, Any]]:
    """The bodies of all that a receiver was sent."""
    return [json.loads(request.body) for request in receiver.requests]


def ids(receiver: Receiver) -> list[str]:
    """The ids of the events that a receiver was sent, in the order of sending."""
    return [request.headers["webhook-id"] for request in receiver.requests]
