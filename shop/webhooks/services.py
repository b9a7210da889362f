"""The webhooks there are: made, listed and deleted; their secrets are shown once."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from secrets import token_bytes, token_hex

from django.utils.translation import gettext as _

from dynapages.items import table_key
from dynapages.process import client
from dynapages.writes import ConditionFailed, delete, write_item
from shop import keys
from shop.models import WebhookItem
from shop.table import put_of
from shop.webhooks import known
from shop.webhooks.addresses import BadUrl, target_of
from shop.webhooks.events import MEANINGS
from shop.webhooks.known import Webhook

SECRET_PREFIX = "whsec_"  # noqa: S105 - what is behind it is secret
SECRET_BYTES = 32
MOST_WEBHOOKS = 20
"""Each gets its own delivery of each event, from this very server."""


class WebhookRefused(ValueError):
    """No such webhook can be made; the text is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class MadeWebhook:
    """A webhook that was just made, and its secret, which is shown only now."""

    webhook: Webhook
    secret: str = field(repr=False)


def create_webhook(url: str, events: Iterable[str], *, now: datetime) -> MadeWebhook:
    """Create a webhook. Raises WebhookRefused.

    This process tells it of what happens from now on, the others within `known.MOST_SECONDS`.
    """
    webhook = Webhook(token_hex(6), url, tuple(sorted(set(events))), now)
    _refuse_unless_valid(webhook)
    secret = SECRET_PREFIX + b64encode(token_bytes(SECRET_BYTES)).decode()
    item = WebhookItem(
        keys.WEBHOOKS,
        keys.webhook(webhook.id),
        id=webhook.id,
        url=webhook.url,
        events=list(webhook.events),
        secret=secret,
        created_at=webhook.created_at,
    )
    write_item(client(), put_of(item, WebhookItem.pk.does_not_exist()))
    known.forget()
    return MadeWebhook(webhook, secret)


def delete_webhook(webhook_id: str) -> bool:
    """Delete a webhook; return whether there was one. What it is still owed is not delivered."""
    key = table_key(keys.WEBHOOKS, keys.webhook(webhook_id))
    try:
        write_item(client(), delete(WebhookItem, key, WebhookItem.pk.exists()))
    except ConditionFailed:
        return False
    known.forget()
    return True


def find_webhook(webhook_id: str) -> WebhookItem | None:
    """Return the stored webhook with its secret, strongly read; None where there is none."""
    return WebhookItem.find(keys.WEBHOOKS, keys.webhook(webhook_id))


def _refuse_unless_valid(webhook: Webhook) -> None:
    """Raise WebhookRefused where no webhook can have this address and these events."""
    try:
        target_of(webhook.url)
    except BadUrl as error:
        raise WebhookRefused(str(error)) from error
    if not webhook.events:
        raise WebhookRefused(_("Choose the events that are sent to the address."))
    for event in webhook.events:
        if event not in MEANINGS:
            sentence = _("There is no event “%(event)s”, only %(events)s.")
            raise WebhookRefused(sentence % {"event": event, "events": ", ".join(MEANINGS)})
    if len(known.list_webhooks()) >= MOST_WEBHOOKS:
        sentence = _("There are %(most)s webhooks already: delete one first.")
        raise WebhookRefused(sentence % {"most": MOST_WEBHOOKS})
