"""``manage.py export_user_data``: what is stored about a user, on request."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.user_data import ALL_TRACES, export_text, sections_of
from dynapages.calls import Keyed
from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.process import client
from shop.accounts.names import BadUsername, username_of


class Command(TableCommand):
    """Prints a user's data as JSON."""

    help = (
        "Print all that is stored about a user as JSON: the profile without its password, keys of "
        "the API without their secrets, orders, purchases, comments, votes, reports, signed "
        "replies and entries of the activity log. "
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
            for part in export_text(username, sections_of(username, ALL_TRACES, _read_one_by_one)):
                self.stdout.write(part, ending="")


def _read_one_by_one(keys: Sequence[Keyed]) -> Iterator[Keyed]:
    """Read one item after the other: those who may run this may not all read batches of the log."""
    for table, key in keys:
        response = client().get_item(TableName=table, Key=key, ConsistentRead=True)
        if "Item" in response:
            yield table, response["Item"]
