"""``manage.py delete_user_data``: erases a user's data, on request."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from comments.erasure.user_data import TRACES as COMMENT_TRACES
from dynapages.django.options import failures_in_one_line
from dynapages.django.security_log import log_event
from dynapages.django.tables import TableCommand
from dynapages.upkeep import erase
from shop.accounts.names import BadUsername, username_of
from shop.accounts.services import shut_profile
from shop.user_data import (
    ACTIVITY,
    ADDRESSES,
    API_KEYS,
    EMAILS,
    PROFILE,
    PURCHASES,
    REQUESTS,
    has_orders,
)


class Command(TableCommand):
    """Erases a user's data except for the orders."""

    help = (
        "Delete a user's comments, votes and reports, their name on replies, the records of what "
        "they bought and did, their keys of the API, e-mails that are owed to them, their e-mail "
        "address and password. Orders are "
        "business records and stay, under a name that nobody can use any more; without orders the "
        "profile is deleted too. Indexes lag: run it again after a minute, until it finds nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("--dry-run", action="store_true", help="only say what there is")
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, **options: Any) -> None:
        try:
            username = username_of(options["username"])
        except BadUsername as error:
            raise CommandError(str(error)) from error
        dry_run: bool = options["dry_run"]
        with failures_in_one_line():
            # By the address, which is gone with the profile.
            emails_found = erase([EMAILS], username, dry_run=dry_run)
            # Shut at once, so that nobody can write in that name meanwhile.
            is_shut = not dry_run and shut_profile(username)
            traces = [*COMMENT_TRACES, REQUESTS, PURCHASES, ADDRESSES, API_KEYS, ACTIVITY, PROFILE]
            numbers = erase(traces, username, dry_run=dry_run)
            numbers |= emails_found
            numbers[PROFILE.kind] |= is_shut
            keeps_orders = has_orders(username)
        if not dry_run:
            # Backups still have the data: after a restore, the log tells whom to erase again.
            log_event("account-erased", user=username, by="delete_user_data")
        if options["json"]:
            figures = {"username": username, "dry_run": dry_run, "found": numbers}
            self.stdout.write(json.dumps(figures | {"orders_kept": keeps_orders}))
            return
        for kind, number in numbers.items():
            line = f"{kind}: {number}"
            if not dry_run:
                line += " closed" if kind == PROFILE.kind and keeps_orders else " deleted"
            self.stdout.write(line)
        if keeps_orders:
            self.stdout.write("The orders stay, without addresses: they are business records.")
