"""``manage.py delete_webhook``: deletes a webhook, or lists all."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from dynapages.django.options import failures_in_one_line
from dynapages.django.security_log import log_event
from dynapages.django.tables import TableCommand
from shop.webhooks.known import list_webhooks
from shop.webhooks.services import delete_webhook


class Command(TableCommand):
    """Deletes a webhook."""

    help = "Delete a webhook, or list all webhooks where no ID is given."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", metavar="ID", nargs="?", help="its id in the list")

    def handle(self, **options: Any) -> None:
        webhook_id = options["id"]
        with failures_in_one_line():
            if webhook_id is None:
                self._list_webhooks()
                return
            if not delete_webhook(webhook_id):
                raise CommandError(f"There is no webhook {webhook_id}.")
        log_event("webhook-deleted", webhook=webhook_id, by="delete_webhook")
        self.stdout.write(f"The webhook {webhook_id} is deleted.")

    def _list_webhooks(self) -> None:
        for webhook in list_webhooks():
            day = webhook.created_at.date()
            self.stdout.write(f"{webhook.id}  {day}  {webhook.url}  {','.join(webhook.events)}")
