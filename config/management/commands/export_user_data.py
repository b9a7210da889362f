"""``manage.py export_user_data``: what is stored about a user, on request."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.erasure.user_data import TRACES
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.management.failures import failures_in_one_line
from dynamo.upkeep.erasure import held
from shop.accounts.names import BadUsername, username_of
from shop.activity.user_data import ACTIVITY
from shop.exports.queries import walk_through
from shop.user_data import PROFILE, PURCHASES

SECRETS = ("password", "totp_secret", "recovery_codes")
"""What a profile has to sign in with: whoever reads the export must not be able to."""


class Command(BaseCommand):
    """Prints a user's data as JSON."""

    help = (
        "Print all that is stored about a user as JSON: the profile without its password, orders, "
        "purchases, comments, votes, reports, signed replies and entries of the activity log. "
        "It is what delete_user_data finds, and the orders besides."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")

    def handle(self, **options: Any) -> None:
        try:
            username = username_of(options["username"])
        except BadUsername as error:
            raise CommandError(str(error)) from error
        with failures_in_one_line():
            found = held([PROFILE, PURCHASES, *TRACES, ACTIVITY], username, _read)
            orders = [row for batch in walk_through(username)(None) for row in batch.rows]
        for profile in found[PROFILE.kind]:
            for secret in SECRETS:
                profile.pop(secret, None)
        data = {"username": username, **found, "orders": orders}
        self.stdout.write(json.dumps(data, default=_plain, ensure_ascii=False, indent=2))


def _read(table: str, key: Item) -> Item:
    return client().get_item(TableName=table, Key=key, ConsistentRead=True).get("Item", {})


def _plain(value: object) -> object:
    """Return what JSON has no form of: maps and lists of PynamoDB, moments, bytes."""
    if hasattr(value, "attribute_values"):
        return dict(value.attribute_values)
    return value.hex() if isinstance(value, bytes) else str(value)
