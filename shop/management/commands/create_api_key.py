"""``manage.py create_api_key``: creates a key of the API."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError, CommandParser

from dynapages.calls import clock
from dynapages.django.callers import Scope
from dynapages.django.options import failures_in_one_line
from dynapages.django.security_log import log_event
from dynapages.django.tables import TableCommand
from shop.api_keys.services import KeyRefused, create_key


class Command(TableCommand):
    """Creates a key and prints it."""

    help = (
        "Create a key of the API, and print it: once, for only a hash of it is stored. "
        "Scopes: read; write, in the name of a user; staff, all that a member of staff may do."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="what it is for, such as “Till 3”")
        parser.add_argument("--scope", required=True, choices=[scope.value for scope in Scope])
        parser.add_argument("--user", default="", metavar="U", help="needed to write, and by staff")

    def handle(self, **options: Any) -> None:
        name = options["name"]
        scope = Scope(options["scope"])
        username = get_user_model().normalize_username(options["user"])
        try:
            with failures_in_one_line():
                key, text = create_key(name=name, scope=scope, username=username, now=clock.now())
        except KeyRefused as error:
            raise CommandError(str(error)) from error
        # The text alone on the standard output, so that a script can take it from there.
        log_event("api-key-made", user=username, key=key.id, scope=scope, by="create_api_key")
        self.stderr.write(f"This is the key {key.id}. It will not be shown again:")
        self.stdout.write(text)
