"""``manage.py revoke_api_key``: revokes a key of the API, or lists all."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from dynapages.calls import clock
from dynapages.django.options import failures_in_one_line
from dynapages.django.security_log import log_event
from dynapages.django.tables import TableCommand
from shop.api_keys.services import list_keys, revoke_key


class Command(TableCommand):
    """Revokes a key."""

    help = "Revoke a key of the API, or list all keys where no ID is given."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", metavar="ID", nargs="?", help="the part behind “dynashop_”")

    def handle(self, **options: Any) -> None:
        key_id = options["id"]
        with failures_in_one_line():
            if key_id is None:
                self._list_keys()
                return
            if not revoke_key(key_id, now=clock.now()):
                raise CommandError(f"There is no key {key_id}.")
        log_event("api-key-revoked", key=key_id, by="revoke_api_key")
        self.stdout.write(f"The key {key_id} is revoked.")

    def _list_keys(self) -> None:
        for key in list_keys():
            user = key.user_id or "-"
            day = key.created_at.date()
            self.stdout.write(f"{key.id}  {day}  {key.scope:5}  {user}  {key.name}")
