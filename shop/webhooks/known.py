"""The webhooks that this process knows: read now and then, so that a change need not read them.

A change owes events only where a webhook hears of them, and has to know that before it is written.
What was read is good for `MOST_SECONDS`. A request that may write has it read anew before that, at
the same time as whatever else it reads (`read_meanwhile`).
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from math import inf

from dynapages.calls import Started, labelled_calls
from dynapages.process import pool
from shop import keys
from shop.models import WebhookItem

MOST_SECONDS = 30.0
"""How late a process may learn of a webhook that another one has made or deleted."""
READ_AGAIN_SECONDS = 20.0
"""After which a request reads them anew, though it could still do without."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook without its secret."""

    id: str
    url: str
    events: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Remembered:
    """Webhooks, and when the reading of them began: a moment of `time.monotonic`."""

    webhooks: Sequence[Webhook]
    read_at: float

    @property
    def age(self) -> float:
        """The seconds since then."""
        return time.monotonic() - self.read_at


NOT_READ = Remembered((), read_at=-inf)


@dataclass(slots=True)
class _Process:
    """What this process remembers."""

    remembered: Remembered = NOT_READ


_process = _Process()
_reading: ContextVar[Started[Sequence[Webhook]] | None] = ContextVar("reading", default=None)
"""The read that this request has begun."""


def list_webhooks() -> list[Webhook]:
    """Return all webhooks, the oldest first; one Query, strongly read."""
    items = WebhookItem.query(keys.WEBHOOKS, consistent_read=True)
    return sorted((_webhook_of(item) for item in items), key=_by_age)


def known_webhooks() -> Sequence[Webhook]:
    """Return the webhooks there were at most `MOST_SECONDS` ago.

    They are read where they were not since; raises what a read does.
    """
    remembered = _process.remembered
    if remembered.age < MOST_SECONDS:
        return remembered.webhooks
    started = _reading.get()
    return _read() if started is None else started.result()


def types_heard() -> frozenset[str]:
    """Return the types of events that any webhook hears of; raises like `known_webhooks`."""
    return frozenset(event for webhook in known_webhooks() for event in webhook.events)


@contextmanager
def read_meanwhile() -> Iterator[None]:
    """Have the webhooks read by another thread during the block where it is time to.

    Nobody waits for it but who cannot do without; what it raises is raised there.
    """
    if _process.remembered.age < READ_AGAIN_SECONDS:
        yield
        return
    with pool().together() as together:
        token = _reading.set(together.start(_read))
        try:
            yield
        finally:
            _reading.reset(token)


def remember(remembered: Remembered) -> None:
    """Take these webhooks as the ones there are."""
    _process.remembered = remembered


def forget() -> None:
    """Have the webhooks read before the next change."""
    _process.remembered = NOT_READ


def _read() -> Sequence[Webhook]:
    """Read the webhooks, and remember them."""
    begun = time.monotonic()
    with labelled_calls("webhooks"):
        webhooks = list_webhooks()
    remember(Remembered(webhooks, read_at=begun))
    return webhooks


def _webhook_of(item: WebhookItem) -> Webhook:
    events = tuple(str(event) for event in item.events)
    return Webhook(item.id, item.url, events, item.created_at)


def _by_age(webhook: Webhook) -> tuple[datetime, str]:
    return webhook.created_at, webhook.id
