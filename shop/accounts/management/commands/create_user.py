"""``manage.py create_user``: creates an account, or changes one."""

import argparse
import sys
from getpass import getpass
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.core.validators import validate_email

from dynapages.calls import clock
from dynapages.django.options import failures_in_one_line
from dynapages.django.security_log import log_event
from dynapages.django.tables import TableCommand
from shop.accounts.emails import owed_email
from shop.accounts.models import User
from shop.accounts.names import BadUsername, email_of, username_of
from shop.accounts.queries import find_user
from shop.accounts.second_factor.services import turn_off
from shop.accounts.services import create_profile


class Command(TableCommand):
    """Creates a customer or, with ``--staff``, a member of staff."""

    help = (
        "Create a user. The password is asked for when it is not given, so that it stands in no "
        "history. With --update, a user who exists is changed instead: also how somebody whose "
        "orders were imported is given a password."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--password")
        parser.add_argument(
            "--staff",
            action=argparse.BooleanOptionalAction,
            default=None,
            help="may see all orders",
        )
        parser.add_argument("--email", help="where to send a link when the password is forgotten")
        parser.add_argument(
            "--no-second-factor",
            action="store_true",
            help="with --update: forget the second factor of somebody who has lost it",
        )
        parser.add_argument(
            "--update",
            action="store_true",
            help="change the user if there is one; what is not given stays as it is",
        )

    @failures_in_one_line()
    def handle(self, **options: Any) -> None:
        try:
            username = username_of(options["username"])
            email = _email(options["email"])
            user = find_user(username)
            if user is None:
                self._create(username, email, options)
            elif options["update"]:
                self._update(user, email, options)
            else:
                raise CommandError(f"There is a user {username} already; --update changes them.")
        except BadUsername as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from error

    def _create(self, username: str, email: str | None, options: dict[str, Any]) -> None:
        """Create the user of the options. Raises ValidationError for a weak password."""
        # Left out of the options so that it is in no history of a shell.
        password = options["password"]
        if password is None:
            password = _password_typed_twice()
        user = User(username=username, email=email or "", is_staff=bool(options["staff"]))
        validate_password(password, user)
        create_profile(
            username=username,
            password=password,
            email=email,
            is_staff=bool(options["staff"]),
            now=clock.now(),
        )
        log_event("account-made", user=username, by="create_user")
        self.stdout.write(f"Created {username}.")

    def _update(self, user: User, email: str | None, options: dict[str, Any]) -> None:
        """Change what the options name, by one write. Raises ValidationError."""
        if email is not None:
            user.email = email
        # Neither --staff nor --no-staff leaves it as it is.
        if options["staff"] is not None:
            user.is_staff = options["staff"]
        if options["password"] is not None:
            validate_password(options["password"], user)
            user.set_password(options["password"])
        if options["no_second_factor"]:
            # An e-mail needs the address of the site, for the link in it.
            if settings.SITE_URL:
                user.owe(owed_email("factor_off", user.username, settings.SITE_URL))
            turn_off(user)
        user.save()
        changed = [name for name in ("email", "staff", "password") if options[name] is not None]
        if options["no_second_factor"]:
            changed.append("no-second-factor")
        log_event(
            "account-changed", user=user.username, by="create_user", changed=" ".join(changed)
        )
        self.stdout.write(f"Updated {user.get_username()}.")


def _email(option: str | None) -> str | None:
    """Return the address as it is stored, None without one. Raises ValidationError."""
    if option is None:
        return None
    if option:
        validate_email(option)
    return email_of(option)


def _password_typed_twice() -> str:
    """Ask for a password at the terminal. Raises CommandError without one, and where it differs."""
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to ask for the password on: give --password.")
    password = getpass("Password: ")
    if getpass("Password, once more: ") != password:
        raise CommandError("The two passwords differ.")
    return password
