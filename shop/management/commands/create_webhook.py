"""``manage.py create_webhook``: creates a webhook, whose address is told of events."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from dynapages.calls import clock
from dynapages.django.options import failures_in_one_line
from dynapages.django.security_log import log_event
from dynapages.django.tables import TableCommand
from shop.webhooks.events import MEANINGS
from shop.webhooks.services import WebhookRefused, create_webhook


class Command(TableCommand):
    """Creates a webhook, and prints its secret."""

    help = (
        "Create a webhook, and print the secret that signs what it is sent: it is not shown again. "
        "All processes know the webhook half a minute later."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", metavar="URL", help="a public address that begins with https://")
        parser.add_argument(
            "--events",
            required=True,
            metavar="E,E…",
            help=f"what it is told of, with commas between: {', '.join(MEANINGS)}",
        )

    def handle(self, **options: Any) -> None:
        events = [event.strip() for event in options["events"].split(",") if event.strip()]
        try:
            with failures_in_one_line():
                made = create_webhook(options["url"], events, now=clock.now())
        except WebhookRefused as error:
            raise CommandError(str(error)) from error
        webhook = made.webhook
        log_event("webhook-made", webhook=webhook.id, by="create_webhook")
        # The secret alone on the standard output, so that a script can take it from there.
        self.stderr.write(
            f"This is the secret of the webhook {webhook.id}. It will not be shown again:"
        )
        self.stdout.write(made.secret)
